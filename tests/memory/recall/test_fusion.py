"""Ranking by combined signals, alternating rooms, capped boosts and the threshold."""

from datetime import timedelta
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.recall.fusion import BOOST_CAP, BOOSTS, boost, fuse
from memory.recall.threshold import BELOW, NOTHING, relevant
from memory.recall.types import Candidate, Query, RecallRequest, RecallSettings
from memory.text.dates import DateSpan
from tests.drills.ledger import NOW

REQUEST = RecallRequest(UUID(int=1), "?", NOW, settings=RecallSettings())


def candidate(number=1, room=None, role="user", days_ago=100, **scores):
    said_at = NOW - timedelta(days=days_ago)
    return Candidate(UUID(int=number), UUID(int=room or 100 + number), role, said_at, scores)


def order(candidates, query=None, request=REQUEST):
    fused = fuse(request, query or Query("?"), candidates)
    assert len(fused) == len(candidates)
    return [each.drawer_id.int for each in fused]


@pytest.mark.parametrize(
    ("candidates", "expected"),
    [
        ([], []),
        ([candidate(1, scaled_cosine=0.5), candidate(2, scaled_cosine=0.5, words=0.8)], [2, 1]),
        ([candidate(1, scaled_cosine=0.6, uninformative=1.0), candidate(2, scaled_cosine=0.5)], [2, 1]),
        ([candidate(1, scaled_cosine=1.0, uninformative=1.0), candidate(2, scaled_cosine=0.5)], [1, 2]),
        ([candidate(1, scaled_cosine=1.0, words=1.0, pinned=1.0), candidate(2, pointer=1.0)], [2, 1]),
        ([candidate(1, scaled_cosine=0.5), candidate(2, scaled_cosine=0.45, pinned=1.0)], [2, 1]),
        (
            [candidate(1, days_ago=400, scaled_cosine=0.5), candidate(2, days_ago=1, scaled_cosine=0.5)],
            [2, 1],
        ),
        (
            [candidate(1, days_ago=400, scaled_cosine=0.55), candidate(2, days_ago=1, scaled_cosine=0.5)],
            [1, 2],
        ),
    ],
    ids=[
        *("nothing", "meaning and words add up", "uninformative ranks lower", "unless it is far better"),
        *("a named pointer beats everything", "pinned is a boost", "newer wins a tie"),
        "newer wins nothing but a tie",
    ],
)
def test_signals_decide_the_order(candidates, expected):
    assert order(candidates) == expected


@pytest.mark.parametrize(
    ("first", "second", "other", "expected"),
    [
        ({"scaled_cosine": 0.9}, {"scaled_cosine": 0.8}, {"scaled_cosine": 0.82}, [1, 3, 2]),
        ({"scaled_cosine": 0.9}, {"scaled_cosine": 0.8}, {"scaled_cosine": 0.1}, [1, 2, 3]),
        ({"scaled_cosine": 0.6}, {"scaled_cosine": 0.1, "words": 0.5}, {"scaled_cosine": 0.65}, [1, 2, 3]),
    ],
    ids=[
        "a room nearly as good comes before the second",
        "a far weaker room waits",
        "a room's evidence adds up",
    ],
)
def test_rooms_alternate_unless_one_is_far_weaker(first, second, other, expected):
    given = [candidate(1, room=5, **first), candidate(2, room=5, **second), candidate(3, room=6, **other)]
    assert order(given) == expected


def test_a_date_in_the_question_boosts_drawers_of_that_time_without_filtering():
    day = (NOW - timedelta(days=100)).date()
    query = Query("?", span=DateSpan(day, day + timedelta(days=1), "then", 3))
    given = [candidate(1, days_ago=1, scaled_cosine=0.5), candidate(2, days_ago=100, scaled_cosine=0.5)]
    assert order(given, query) == [2, 1]
    assert order([*given, candidate(3, days_ago=50, scaled_cosine=0.6, about=1.0)], query) == [3, 2, 1]


def test_assistant_drawers_rank_higher_when_asked_about():
    given = [
        candidate(1, room=5, scaled_cosine=0.5),
        candidate(2, room=5, role="assistant", scaled_cosine=0.5),
    ]
    assert order(given) == [1, 2]
    assert order(given, Query("?", about_assistant=True)) == [2, 1]


def test_the_order_depends_on_the_signals_alone():
    given = [candidate(n, room=n % 3 + 1, scaled_cosine=0.5) for n in range(9)]
    assert order(given) == order(given[::-1])
    given = [candidate(1, scaled_cosine=0.7, words=0.3), candidate(2, scaled_cosine=0.6, words=0.2)]
    once = fuse(REQUEST, Query("?"), given)
    assert fuse(REQUEST, Query("?"), once) == once


def test_a_drawer_from_the_future_has_maximum_recency():
    fused = fuse(REQUEST, Query("?"), [candidate(1, days_ago=-900, scaled_cosine=0.5)])
    assert fused[0].scores["recency"] == REQUEST.settings.recency


STRENGTHS = st.dictionaries(st.sampled_from([signal for _, signal, _ in BOOSTS]), st.floats(0, 1))


@given(st.floats(-1, 3, allow_nan=False), STRENGTHS)
def test_a_boost_never_lowers_a_score_nor_lifts_it_above_the_cap(score, signals):
    boosted = boost(score, signals)
    assert len(boosted) <= 1
    assert all(added >= 0 for added in boosted.values())
    assert score + sum(boosted.values()) <= max(score, BOOST_CAP) + 1e-9


def test_only_the_strongest_boost_counts():
    assert boost(0.1, {"known_boost": 0.7, "way": 1.0}) == {"known_facts": pytest.approx(0.7)}
    assert boost(0.1, {}) == {}
    assert boost(BOOST_CAP + 0.1, {"known_boost": 1.0}) == {}


@given(st.lists(STRENGTHS, min_size=20, max_size=20))
def test_boosts_never_displace_five_strong_hits(boosts):
    strong = [candidate(step, scaled_cosine=BOOST_CAP + step / 10) for step in range(1, 6)]
    weak = [candidate(10 + at, scaled_cosine=0.6, **signals) for at, signals in enumerate(boosts)]
    ranked = fuse(REQUEST, Query("?"), [*weak, *strong])
    assert {each.drawer_id.int for each in ranked[:5]} == {1, 2, 3, 4, 5}


SETTINGS = RecallSettings(similarity_floor=0.6)


def test_an_answer_requires_one_signal_above_the_threshold():
    for scores in ({"similarity": 0.6}, {"coverage": 0.6}, {"pointer": 1.0}):
        kept, cut = relevant([candidate(**scores)], SETTINGS)
        assert (len(kept), cut) == (1, ())
    for scores in ({}, {"similarity": 0.59}, {"coverage": 0.59}, {"words": 1.0}, {"pinned": 1.0}):
        kept, cut = relevant([candidate(**scores), candidate(2)], SETTINGS)
        assert kept == ()
        assert {each.why for each in cut} == {NOTHING}
        assert all(each.similarity < each.minimum == 0.6 for each in cut)
    given = [candidate(1, similarity=0.0, coverage=0.1)]
    assert relevant(given, RecallSettings(similarity_floor=0.0))[0] == tuple(given)


def test_candidates_far_below_the_best_are_cut_and_the_order_is_kept():
    given = [candidate(1, similarity=0.4), candidate(2, similarity=0.9), candidate(3, coverage=0.5)]
    assert relevant(given, SETTINGS)[0] == tuple(given)
    kept, cut = relevant([*given, candidate(4, similarity=0.31), candidate(5, similarity=0.29)], SETTINGS)
    assert [each.drawer_id.int for each in kept] == [1, 2, 3, 4]
    assert [(each.drawer_id.int, each.why) for each in cut] == [(5, BELOW)]
    assert (cut[0].similarity, cut[0].minimum) == (0.29, 0.3)


def test_shared_words_weigh_more_where_similarity_is_not_trusted():
    half = [candidate(similarity=0.1, coverage=0.4)]
    assert relevant(half, SETTINGS, trust=1.0)[0] == ()
    assert len(relevant(half, SETTINGS, trust=0.1)[0]) == 1
    assert relevant([candidate(similarity=0.1, coverage=0.2)], SETTINGS, trust=0.1)[0] == ()


def test_a_language_margin_shifts_the_similarity_threshold():
    for margin, similarity, answers in ((0.19, 0.7, 0), (0.19, 0.8, 1), (-0.1, 0.52, 1), (-0.1, 0.48, 0)):
        kept, _ = relevant([candidate(similarity=similarity)], SETTINGS, margin=margin)
        assert len(kept) == answers
    anything = [candidate(similarity=0.0)]
    assert relevant(anything, RecallSettings(similarity_floor=0.0), margin=0.19)[0] == tuple(anything)
