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
SETTINGS = RecallSettings(similarity_floor=0.6)


def candidate(number=1, meaning=None, room=None, role="user", days_ago=100, **scores):
    """A candidate in a room of its own, with this scaled cosine and other signals."""
    said_at = NOW - timedelta(days=days_ago)
    signals = scores if meaning is None else {"scaled_cosine": meaning, **scores}
    return Candidate(UUID(int=number), UUID(int=room or 100 + number), role, said_at, signals)


def order(candidates, **query):
    fused = fuse(REQUEST, Query("?", **query), candidates)
    assert len(fused) == len(candidates)
    return [each.drawer_id.int for each in fused]


def in_two_rooms(*signals):
    """Two candidates of one room and one of another."""
    return [candidate(n, room=5 + n // 3, **each) for n, each in enumerate(signals, 1)]


DAY = (NOW - timedelta(days=100)).date()
THAT_DAY = {"span": DateSpan(DAY, DAY + timedelta(days=1), "then", 3)}
ON_DAYS = [candidate(1, 0.5, days_ago=1), candidate(2, 0.5, days_ago=100)]
BY_BOTH = [candidate(1, 0.5, room=5), candidate(2, 0.5, room=5, role="assistant")]
ORDERS = {
    "nothing": ([], []),
    "meaning and words add up": ([candidate(1, 0.5), candidate(2, 0.5, words=0.8)], [2, 1]),
    "uninformative ranks lower": ([candidate(1, 0.6, uninformative=1.0), candidate(2, 0.5)], [2, 1]),
    "unless it is far better": ([candidate(1, 1.0, uninformative=1.0), candidate(2, 0.5)], [1, 2]),
    "a named pointer beats everything": (
        [candidate(1, 1.0, words=1.0, pinned=1.0), candidate(2, pointer=1.0)],
        [2, 1],
    ),
    "pinned is a boost": ([candidate(1, 0.5), candidate(2, 0.45, pinned=1.0)], [2, 1]),
    "newer wins a tie": ([candidate(1, 0.5, days_ago=400), candidate(2, 0.5, days_ago=1)], [2, 1]),
    "newer wins nothing but a tie": (
        [candidate(1, 0.55, days_ago=400), candidate(2, 0.5, days_ago=1)],
        [1, 2],
    ),
    "a room nearly as good comes before the second": (
        in_two_rooms({"meaning": 0.9}, {"meaning": 0.8}, {"meaning": 0.82}),
        [1, 3, 2],
    ),
    "a far weaker room waits": (
        in_two_rooms({"meaning": 0.9}, {"meaning": 0.8}, {"meaning": 0.1}),
        [1, 2, 3],
    ),
    "a room's evidence adds up": (
        in_two_rooms({"meaning": 0.6}, {"meaning": 0.1, "words": 0.5}, {"meaning": 0.65}),
        [1, 2, 3],
    ),
    "a date boosts drawers of that time": (ON_DAYS, [2, 1], THAT_DAY),
    "or about that time, without filtering": (
        [*ON_DAYS, candidate(3, 0.6, days_ago=50, about=1.0)],
        [3, 2, 1],
        THAT_DAY,
    ),
    "the user before the assistant": (BY_BOTH, [1, 2]),
    "unless asked about": (BY_BOTH, [2, 1], {"about_assistant": True}),
}


@pytest.mark.parametrize("case", ORDERS)
def test_signals_rooms_dates_and_speakers_decide_the_order(case):
    candidates, expected, *query = ORDERS[case]
    assert order(candidates, **dict(*query)) == expected


def test_the_order_depends_on_the_signals_alone():
    given = [candidate(n, 0.5, room=n % 3 + 1) for n in range(9)]
    assert order(given) == order(given[::-1])
    once = fuse(REQUEST, Query("?"), [candidate(1, 0.7, words=0.3), candidate(2, 0.6, words=0.2)])
    assert fuse(REQUEST, Query("?"), once) == once
    (future,) = fuse(REQUEST, Query("?"), [candidate(1, 0.5, days_ago=-900)])
    assert future.scores["recency"] == REQUEST.settings.recency


STRENGTHS = st.dictionaries(st.sampled_from([signal for _, signal, _ in BOOSTS]), st.floats(0, 1))


@given(st.floats(-1, 3, allow_nan=False), STRENGTHS)
def test_a_boost_never_lowers_a_score_nor_lifts_it_above_the_cap(score, signals):
    boosted = boost(score, signals)
    assert len(boosted) <= 1
    assert [added for added in boosted.values() if added < 0] == []
    assert score + sum(boosted.values()) <= max(score, BOOST_CAP) + 1e-9


def test_only_the_strongest_boost_counts():
    assert boost(0.1, {"known_boost": 0.7, "way": 1.0}) == {"known_facts": pytest.approx(0.7)}
    assert boost(0.1, {}) == {}
    assert boost(BOOST_CAP + 0.1, {"known_boost": 1.0}) == {}


def test_an_answer_requires_one_signal_above_the_threshold():
    for scores in (
        {"similarity": 0.6},
        {"coverage": 0.6},
        {"pointer": 1.0},
        {"known": 0.9, "asked_for": 0.6},
    ):
        kept, cut = relevant([candidate(**scores)], SETTINGS)
        assert (len(kept), cut) == (1, ())
    for scores in (
        {},
        {"similarity": 0.59},
        {"coverage": 0.59},
        {"words": 1.0},
        {"pinned": 1.0},
        {"known": 1.0},
    ):
        kept, cut = relevant([candidate(**scores), candidate(2)], SETTINGS)
        assert kept == ()
        assert {each.why for each in cut} == {NOTHING}
        assert [each for each in cut if not each.similarity < each.minimum == 0.6] == []
    given = [candidate(1, similarity=0.0, coverage=0.1)]
    assert relevant(given, RecallSettings(similarity_floor=0.0))[0] == tuple(given)


@pytest.mark.parametrize(
    ("meaning", "words", "dated", "found"),
    [(0.5, 0.1, {}, 3), (0.5, 0.0, {}, 0), (0.45, 0.0, THAT_DAY, 3), (0.3, 0.0, THAT_DAY, 0)],
)
def test_three_drawers_answer_together_what_none_of_them_answers_alone(meaning, words, dated, found):
    given = [
        candidate(number, meaning, similarity=meaning, words=words, coverage=words) for number in range(1, 4)
    ]
    fused = fuse(REQUEST, Query("?", **dated), given)
    assert len(relevant(fused, SETTINGS)[0]) == found
    assert relevant(fused[:2], SETTINGS)[0] == ()
    assert relevant(fused, SETTINGS, margin=0.19)[0] == ()


def test_candidates_far_below_the_best_are_cut_and_the_order_is_kept():
    given = [candidate(1, similarity=0.4), candidate(2, similarity=0.9), candidate(3, coverage=0.5)]
    assert relevant(given, SETTINGS)[0] == tuple(given)
    kept, cut = relevant([*given, candidate(4, similarity=0.31), candidate(5, similarity=0.29)], SETTINGS)
    assert [each.drawer_id.int for each in kept] == [1, 2, 3, 4]
    assert [(each.drawer_id.int, each.why) for each in cut] == [(5, BELOW)]
    assert (cut[0].similarity, cut[0].minimum) == (0.29, 0.3)


def test_what_only_asks_needs_more_similarity_than_a_statement_beside_an_answer():
    asks = {"similarity": 1.0, "uninformative": 1.0}
    given = [
        candidate(1, 0.9, similarity=0.9),
        candidate(2, 0.4, similarity=0.4),
        candidate(3, 1.2, **asks),
        candidate(4, 1.4, **asks),
        candidate(5, 1.2, coverage=0.4, **asks),
        candidate(6, 1.2, known=0.4, **asks),
    ]
    kept, cut = relevant(fuse(REQUEST, Query("?"), given), SETTINGS)
    assert {each.drawer_id.int for each in kept} == {1, 2, 4, 5, 6}
    assert [(each.drawer_id.int, each.why) for each in cut] == [(3, BELOW)]


@pytest.mark.parametrize(
    ("scores", "given", "answers"),
    [
        ({"similarity": 0.1, "coverage": 0.4}, {"trust": 1.0}, 0),
        ({"similarity": 0.1, "coverage": 0.4}, {"trust": 0.1}, 1),
        ({"similarity": 0.1, "coverage": 0.2}, {"trust": 0.1}, 0),
        ({"similarity": 0.7}, {"margin": 0.19}, 0),
        ({"similarity": 0.8}, {"margin": 0.19}, 1),
    ],
)
def test_trust_in_meaning_and_a_language_margin_shift_the_threshold(scores, given, answers):
    assert len(relevant([candidate(**scores)], SETTINGS, **given)[0]) == answers
    anything = [candidate(similarity=0.0)]
    assert relevant(anything, RecallSettings(similarity_floor=0.0), margin=0.19)[0] == tuple(anything)
