"""Choosing hits and excerpts within the number and tokens that a reply may use."""

from dataclasses import replace
from uuid import UUID

import pytest

from llm.tokens import estimate_tokens
from memory.aaak import Pointer
from memory.recall.block import context_block, tokens_left, tokens_of_hit
from memory.recall.budget import OMITTED, TOO_LONG, choose
from memory.recall.types import Hit, Query, RecallSettings
from tests.drills.ledger import NOW


def hit(number, words=20, **changes):
    text = " ".join(f"word{n}" for n in range(words))
    made = Hit(
        drawer_id=UUID(int=number),
        pointer=Pointer(1, 1, number),
        wing="W",
        wing_kind="topic",
        room="R",
        closet="C",
        room_id=UUID(int=99),
        role="user",
        said_at=NOW,
        text=text,
        reason="",
        score=1.0,
        tokens=estimate_tokens(text),
    )
    return replace(made, **changes)


QUERY = Query("?")


def choose_hits(hits, neighbours=(), query=QUERY, **settings):
    return choose(hits, RecallSettings(**settings), lambda hits: {hits[0].drawer_id: neighbours}, query)


def ids(found):
    return [each.drawer_id.int for each in found.hits]


def test_the_best_hits_are_chosen_up_to_top_k():
    found = choose_hits([hit(n) for n in range(9)], top_k=3)
    assert ids(found) == [0, 1, 2]
    assert [cut.drawer_id.int for cut in found.cut] == [3, 4, 5, 6, 7, 8]
    assert [cut for cut in found.cut if "better" not in cut.why] == []
    assert choose_hits([], (hit(1),)).hits == ()


FACTS = ["The bakery opens at seven", "Bruno is a greyhound & <b>fast</b>", "Rain fell on Tuesday"]
LONG = " ".join([*(f"Nothing happened on day {n}." for n in range(90)), *(f"{fact}." for fact in FACTS)])


@pytest.mark.parametrize("budget", [170, 240, 400, 800, 1500])
def test_the_block_stays_within_the_budget_by_excerpting_long_drawers(budget):
    hits = [hit(n, text=LONG) for n in range(1, 9)]
    found = choose_hits(hits, query=Query("?", words=("greyhound",)), token_budget=budget)
    assert 0 < estimate_tokens(context_block(found.hits, RecallSettings().zone)) <= budget
    assert len(found.hits) + len(found.cut) == 8
    assert [each for each in found.cut if each.why != TOO_LONG] == []
    for each in found.hits:
        assert each.excerpt
        assert "Bruno is a greyhound & <b>fast</b>." in each.text
        assert [piece for piece in each.text.split(f" {OMITTED} ") if piece not in LONG] == []


@pytest.mark.parametrize("span", [(0, 0), (700, 1400), (0, 9_000)])
def test_without_query_words_the_excerpt_is_the_passage_nearest_in_meaning(span):
    text = "".join(f"word{n}. " if n % 9 == 8 else f"word{n} " for n in range(400))
    (kept,) = choose_hits([hit(1, text=text, span=span)], token_budget=260).hits
    assert kept.excerpt
    first = kept.text.split(f" {OMITTED} ")[0]
    assert text.index(first) == (0 if span[0] == 0 else text.rindex(". ", 0, 700) + 2)


def test_short_drawers_stay_whole_and_the_excerpt_of_an_endless_sentence_is_its_beginning():
    found = choose_hits([hit(1, text=LONG), hit(2), hit(3, text=LONG), hit(4)], token_budget=700)
    assert ids(found) == [1, 2, 3, 4]
    assert [each.excerpt for each in found.hits] == [True, False, True, False]
    endless = hit(1, words=2_000)
    (kept,) = choose_hits([endless], token_budget=200).hits
    assert endless.text.startswith(kept.text)
    assert len(kept.text) > 100


def test_neighbours_come_last():
    neighbours = (hit(2), hit(3), hit(1))
    for top_k, expected in ((3, [1, 2, 3]), (2, [1, 2]), (1, [1])):
        assert ids(choose_hits([hit(1)], neighbours, top_k=top_k)) == expected


def test_neighbours_use_only_the_remaining_budget():
    neighbours = (hit(2), hit(3), hit(1))
    frame = 1_000 - tokens_left(RecallSettings(token_budget=1_000))
    one, two = (frame + count * tokens_of_hit(hit(1), RecallSettings().zone) for count in (1, 2))
    assert ids(choose_hits([hit(1)], neighbours, token_budget=one)) == [1]
    settings = RecallSettings(top_k=5, token_budget=two)
    for reserve, expected in ((0, [1, 2]), (1, [1])):
        found = choose([hit(1)], settings, lambda _: {hit(1).drawer_id: [hit(2)]}, QUERY, reserve)
        assert ids(found) == expected
    assert ids(choose([hit(1), hit(2)], settings, lambda _: {}, QUERY, two)) == [1, 2]


def several_of(text, assistant=(), **changes):
    return [
        hit(n, text=text, role="assistant" if n in assistant else "user", **changes) for n in range(1, 31)
    ]


def test_a_question_with_several_answers_gets_more_and_shorter_hits():
    several = Query("?", several=True)
    for text, one, more in (("Five words say it.", 10, 20), (LONG, 10, 14)):
        assert len(choose_hits(several_of(text)).hits) == one
        assert len(choose_hits(several_of(text), query=several).hits) == more
    settings = RecallSettings().limited_to(3)
    assert ids(choose(several_of("Short."), settings, lambda _: {}, several)) == [1, 2, 3]


FIRST_TEN = [*range(1, 11)]


@pytest.mark.parametrize(
    ("text", "query", "scores", "expected"),
    [
        (LONG, QUERY, {}, [1, 2, 3, 4, 5, 6, 8, 10, 12, 14]),
        (LONG, QUERY, {"pinned": 1.0}, FIRST_TEN),
        (LONG, Query("?", about_assistant=True), {}, FIRST_TEN),
        ("Short.", QUERY, {}, FIRST_TEN),
    ],
    ids=["asides", "pinned", "asked about", "everything fits"],
)
def test_user_drawers_precede_those_of_the_assistant_when_space_is_short(text, query, scores, expected):
    every_other = several_of(text, assistant=range(1, 31, 2), scores=scores)
    assert ids(choose_hits(every_other, query=query)) == expected
