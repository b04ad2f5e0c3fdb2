from uuid import UUID

import pytest

from memory.recall.threshold import BELOW, NOTHING, relevant
from memory.recall.types import Candidate, RecallSettings
from tests.drills.ledger import NOW

SETTINGS = RecallSettings(similarity_floor=0.6)


def found(number=1, **scores):
    return Candidate(UUID(int=number), UUID(int=7), "user", NOW, scores)


@pytest.mark.parametrize("scores", [{"similarity": 0.6}, {"coverage": 0.6}, {"pointer": 1.0}])
def test_one_strong_signal_is_an_answer(scores):
    kept, cut = relevant([found(**scores)], SETTINGS)
    assert (len(kept), cut) == (1, ())


@pytest.mark.parametrize(
    "scores", [{}, {"similarity": 0.59}, {"coverage": 0.59}, {"words": 1.0}, {"pinned": 1.0}]
)
def test_without_one_there_is_none(scores):
    kept, cut = relevant([found(**scores), found(2)], SETTINGS)
    assert kept == ()
    assert {each.why for each in cut} == {NOTHING}


def test_the_second_of_two_answers_is_not_cut_off():
    kept, cut = relevant(
        [found(1, similarity=0.9), found(2, similarity=0.31), found(3, similarity=0.29)], SETTINGS
    )
    assert [each.drawer_id.int for each in kept] == [1, 2]
    assert [(each.drawer_id.int, each.why) for each in cut] == [(3, BELOW)]


def test_the_order_is_kept():
    given = [found(1, similarity=0.4), found(2, similarity=0.9), found(3, coverage=0.5)]
    assert relevant(given, SETTINGS)[0] == tuple(given)


def test_a_floor_of_nothing_lets_everything_through():
    given = [found(1, similarity=0.0, coverage=0.1)]
    assert relevant(given, RecallSettings(similarity_floor=0.0))[0] == tuple(given)


def test_where_meaning_cannot_be_trusted_shared_words_count_for_more():
    half = [found(similarity=0.1, coverage=0.4)]
    assert relevant(half, SETTINGS, trust=1.0)[0] == ()
    assert len(relevant(half, SETTINGS, trust=0.1)[0]) == 1
    assert relevant([found(similarity=0.1, coverage=0.2)], SETTINGS, trust=0.1)[0] == ()
