from dataclasses import replace
from uuid import UUID

import pytest

from llm.tokens import estimate_tokens
from memory.aaak import Pointer
from memory.recall.block import context_block, tokens_left, tokens_of_hit
from memory.recall.budget import OMITTED, TOO_LONG, choose
from memory.recall.types import Hit, Query, RecallSettings
from tests.drills.ledger import NOW


def hit(number, words=20, span=(0, 0)):
    text = " ".join(f"word{n}" for n in range(words))
    return Hit(
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
        span=span,
    )


QUERY = Query("?")


def choose_hits(hits, neighbours=(), query=QUERY, **settings):
    return choose(hits, RecallSettings(**settings), lambda hits: {hits[0].drawer_id: neighbours}, query)


def ids(hits):
    return [each.drawer_id.int for each in hits]


def test_the_best_hits_are_chosen_up_to_top_k():
    found = choose_hits([hit(n) for n in range(9)], top_k=3)
    assert ids(found.hits) == [0, 1, 2]
    assert [cut.drawer_id.int for cut in found.cut] == [3, 4, 5, 6, 7, 8]
    assert all("better" in cut.why for cut in found.cut)
    assert choose_hits([], (hit(1),)).hits == ()


FACTS = ["The bakery opens at seven", "Bruno is a greyhound & <b>fast</b>", "Rain fell on Tuesday"]
LONG = " ".join([*(f"Nothing happened on day {n}." for n in range(90)), *(f"{fact}." for fact in FACTS)])


@pytest.mark.parametrize("budget", [170, 240, 400, 800, 1500])
def test_the_block_stays_within_the_budget_by_excerpting_long_drawers(budget):
    hits = [replace(hit(n), text=LONG) for n in range(1, 9)]
    settings = RecallSettings(token_budget=budget)
    found = choose(hits, settings, lambda _: {}, Query("?", words=("greyhound",)))
    assert 0 < estimate_tokens(context_block(found.hits, settings.zone)) <= budget
    assert len(found.hits) + len(found.cut) == 8
    assert all(each.why == TOO_LONG for each in found.cut)
    for each in found.hits:
        assert each.excerpt
        assert "Bruno is a greyhound & <b>fast</b>." in each.text
        assert all(piece in LONG for piece in each.text.split(f" {OMITTED} "))


def test_short_drawers_stay_whole_beside_long_ones():
    found = choose_hits(
        [replace(hit(1), text=LONG), hit(2), replace(hit(3), text=LONG), hit(4)], token_budget=700
    )
    assert [(each.drawer_id.int, each.excerpt) for each in found.hits] == [
        (1, True), (2, False), (3, True), (4, False),
    ]  # fmt: skip


@pytest.mark.parametrize("span", [(0, 0), (700, 1400), (0, 9_000)])
def test_without_query_words_the_excerpt_is_the_passage_nearest_in_meaning(span):
    text = "".join(f"word{n}. " if n % 9 == 8 else f"word{n} " for n in range(400))
    (kept,) = choose_hits([replace(hit(1), text=text, span=span)], token_budget=260).hits
    assert kept.excerpt
    first = kept.text.split(f" {OMITTED} ")[0]
    assert text.index(first) == (0 if span[0] == 0 else text.rindex(". ", 0, 700) + 2)


def test_the_excerpt_of_an_endless_sentence_is_its_beginning():
    endless = hit(1, words=2_000)
    (kept,) = choose_hits([endless], token_budget=200).hits
    assert endless.text.startswith(kept.text)
    assert len(kept.text) > 100


def test_neighbours_come_last_and_use_only_the_remaining_budget():
    neighbours = (hit(2), hit(3), hit(1))
    for top_k, expected in ((3, [1, 2, 3]), (2, [1, 2]), (1, [1])):
        assert ids(choose_hits([hit(1)], neighbours, top_k=top_k).hits) == expected

    frame = 1_000 - tokens_left(RecallSettings(token_budget=1_000))
    one, two = (frame + count * tokens_of_hit(hit(1), RecallSettings().zone) for count in (1, 2))
    assert ids(choose_hits([hit(1)], neighbours, token_budget=one).hits) == [1]
    settings = RecallSettings(top_k=5, token_budget=two)
    with_reserve = [
        ids(choose([hit(1)], settings, lambda _: {hit(1).drawer_id: [hit(2)]}, QUERY, n).hits) for n in (0, 1)
    ]
    assert with_reserve == [[1, 2], [1]]
    assert ids(choose([hit(1), hit(2)], settings, lambda _: {}, QUERY, two).hits) == [1, 2]


def several_of(text, assistant=(), **fields):
    return [
        replace(hit(n), text=text, role="assistant" if n in assistant else "user", **fields)
        for n in range(1, 31)
    ]


def test_a_question_with_several_answers_gets_more_and_shorter_hits():
    several = Query("?", several=True)
    counts = [
        [len(choose_hits(several_of(text), query=query).hits) for query in (QUERY, several)]
        for text in ("Five words say it.", LONG)
    ]
    assert counts == [[10, 20], [10, 14]]
    settings = RecallSettings().limited_to(3)
    assert ids(choose(several_of("Short."), settings, lambda _: {}, several).hits) == [1, 2, 3]


@pytest.mark.parametrize(
    ("query", "scores", "expected"),
    [
        (QUERY, {}, [1, 2, 3, 4, 5, 6, 8, 10, 12, 14]),
        (QUERY, {"pinned": 1.0}, [*range(1, 11)]),
        (Query("?", about_assistant=True), {}, [*range(1, 11)]),
    ],
    ids=["asides", "pinned", "asked about"],
)
def test_user_drawers_precede_those_of_the_assistant_when_space_is_short(query, scores, expected):
    every_other = several_of(LONG, assistant=range(1, 31, 2), scores=scores)
    assert ids(choose_hits(every_other, query=query).hits) == expected


def test_assistant_drawers_keep_their_rank_when_everything_fits():
    assert ids(choose_hits(several_of("Short.", assistant=range(1, 31, 2))).hits) == [*range(1, 11)]
