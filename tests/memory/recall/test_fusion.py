"""Knowledge lifts, and never above what is strong by itself."""

from datetime import timedelta
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.recall.fusion import BOOST_CAP, BOOSTS, boost, fuse
from memory.recall.types import Candidate, Query, RecallRequest, RecallSettings
from memory.text.dates import DateSpan
from tests.drills.ledger import NOW

REQUEST = RecallRequest(UUID(int=1), "?", NOW, settings=RecallSettings())


def found(number, room=None, role="user", days_ago=100, **scores):
    said_at = NOW - timedelta(days=days_ago)
    return Candidate(UUID(int=number), UUID(int=room or 100 + number), role, said_at, scores)


def order(candidates, query=None, request=REQUEST):
    fused = fuse(request, query or Query("?"), candidates)
    assert len(fused) == len(candidates)
    return [each.drawer_id.int for each in fused]


def test_meaning_and_words_add_up():
    assert order([found(1, likeness=0.5), found(2, likeness=0.5, words=0.8)]) == [2, 1]


def test_what_hardly_tells_anything_stands_back():
    assert order([found(1, likeness=0.6, little=1.0), found(2, likeness=0.5)]) == [2, 1]
    assert order([found(1, likeness=1.0, little=1.0), found(2, likeness=0.5)]) == [1, 2]


def test_a_named_pointer_beats_everything():
    assert order([found(1, likeness=1.0, words=1.0, pinned=1.0), found(2, pointer=1.0)]) == [2, 1]


def test_a_room_nearly_as_good_speaks_before_another_speaks_twice():
    given = [
        found(1, room=5, likeness=0.9),
        found(2, room=5, likeness=0.8),
        found(3, room=6, likeness=0.82),
    ]
    assert order(given) == [1, 3, 2]


def test_a_far_weaker_room_waits_for_the_second_of_a_strong_one():
    given = [
        found(1, room=5, likeness=0.9),
        found(2, room=5, likeness=0.8),
        found(3, room=6, likeness=0.1),
    ]
    assert order(given) == [1, 2, 3]


def test_a_room_counts_by_all_its_evidence():
    """One drawer has the meaning and another the words; together they beat a room with less."""
    given = [
        found(1, room=5, likeness=0.6),
        found(2, room=5, likeness=0.1, words=0.5),
        found(3, room=6, likeness=0.65),
    ]
    assert order(given)[0] == 1


def test_a_date_in_the_question_lifts_what_was_said_then_and_filters_nothing():
    day = (NOW - timedelta(days=100)).date()
    query = Query("?", span=DateSpan(day, day + timedelta(days=1), "then", 3))
    given = [found(1, days_ago=1, likeness=0.5), found(2, days_ago=100, likeness=0.5)]
    assert order(given, query) == [2, 1]


def test_without_a_date_the_newer_one_wins_a_tie_only():
    tie = [found(1, days_ago=400, likeness=0.5), found(2, days_ago=1, likeness=0.5)]
    assert order(tie) == [2, 1]
    better = [found(1, days_ago=400, likeness=0.55), found(2, days_ago=1, likeness=0.5)]
    assert order(better) == [1, 2]


def test_what_the_assistant_said_is_wanted_when_asked_for():
    given = [found(1, room=5, likeness=0.5), found(2, room=5, role="assistant", likeness=0.5)]
    assert order(given) == [1, 2]
    assert order(given, Query("?", about_assistant=True)) == [2, 1]


def test_pinned_is_a_boost():
    assert order([found(1, likeness=0.5), found(2, likeness=0.45, pinned=1.0)]) == [2, 1]


def test_the_order_does_not_depend_on_the_order_given():
    given = [found(n, room=n % 3 + 1, likeness=0.5) for n in range(9)]
    assert order(given) == order(given[::-1])


def test_nothing_gives_nothing():
    assert order([]) == []


def test_a_drawer_of_the_future_is_as_recent_as_can_be():
    fused = fuse(REQUEST, Query("?"), [found(1, days_ago=-900, likeness=0.5)])
    assert fused[0].scores["recency"] == REQUEST.settings.recency


def test_what_meets_the_question_word_by_word_comes_before_what_only_sounds_like_it():
    given = [
        found(1, likeness=0.72, late=0.6),
        found(2, likeness=0.7, late=0.8),
        found(3, likeness=0.1),
    ]
    assert order(given) == [2, 1, 3]


def test_fusing_again_with_one_signal_more_starts_from_the_signals_alone():
    given = [found(1, likeness=0.7, words=0.3), found(2, likeness=0.6, words=0.2)]
    once = fuse(REQUEST, Query("?"), given)
    assert fuse(REQUEST, Query("?"), once) == once


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
def test_five_strong_hits_stay_first_whatever_is_known_of_others(known):
    strong = [found(step, likeness=BOOST_CAP + step / 10) for step in range(1, 6)]
    weak = [found(10 + at, likeness=0.6, **signals) for at, signals in enumerate(known)]
    ranked = fuse(REQUEST, Query("?"), [*weak, *strong])
    assert {each.drawer_id.int for each in ranked[:5]} == {1, 2, 3, 4, 5}
