from uuid import UUID

import pytest

from llm.tokens import estimate_tokens
from memory.aaak import Pointer
from memory.recall.budget import LEAST_EXCERPT_TOKENS, choose
from memory.recall.types import Hit, RecallSettings
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


def chosen(hits, beside=(), **settings):
    return choose(hits, RecallSettings(**settings), lambda hits: {hits[0].drawer_id: beside})


def ids(hits):
    return [each.drawer_id.int for each in hits]


def test_the_best_come_first_up_to_top_k():
    found = chosen([hit(n) for n in range(9)], top_k=3)
    assert ids(found.hits) == [0, 1, 2]
    assert [cut.drawer_id.int for cut in found.cut] == [3, 4, 5, 6, 7, 8]
    assert all("better" in cut.why for cut in found.cut)
    assert chosen([], (hit(1),)).hits == ()


def test_a_long_drawer_gives_way_to_shorter_ones_and_is_never_cut_to_a_scrap():
    small = hit(1)
    found = chosen([small, hit(2, words=900), hit(3)], token_budget=small.tokens * 3)
    assert ids(found.hits) == [1, 3]
    assert not any(each.excerpt for each in found.hits)
    assert "budget" in found.cut[0].why
    scrap = chosen([hit(1, words=900)], token_budget=LEAST_EXCERPT_TOKENS - 1)
    assert (scrap.hits, len(scrap.cut)) == ((), 1)


@pytest.mark.parametrize("span", [(0, 0), (700, 1400), (0, 9_000)])
def test_the_best_drawer_is_cut_to_what_matched_rather_than_lost(span):
    long = hit(1, words=2_000, span=span)
    (kept,) = chosen([long], token_budget=100).hits
    assert kept.excerpt
    assert kept.text in long.text
    assert kept.text
    assert 0 < kept.tokens <= 100
    if span == (700, 1400):
        assert long.text.index(kept.text) == 700


def test_neighbours_come_last_and_only_into_what_is_left():
    beside = (hit(2), hit(3), hit(1))
    for top_k, expected in ((3, [1, 2, 3]), (2, [1, 2]), (1, [1])):
        assert ids(chosen([hit(1)], beside, top_k=top_k).hits) == expected
    assert ids(chosen([hit(1)], beside, token_budget=hit(1).tokens).hits) == [1]

    budget = hit(1).tokens + hit(2).tokens
    settings = RecallSettings(top_k=5, token_budget=budget)
    spared = [ids(choose([hit(1)], settings, lambda _: {hit(1).drawer_id: [hit(2)]}, n).hits) for n in (0, 1)]
    assert spared == [[1, 2], [1]]
    assert ids(choose([hit(1), hit(2)], settings, lambda _: {}, budget).hits) == [1, 2]
