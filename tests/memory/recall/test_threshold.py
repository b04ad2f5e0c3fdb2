from uuid import UUID

from memory.recall.threshold import BELOW, NOTHING, relevant
from memory.recall.types import Candidate, RecallSettings
from tests.drills.ledger import NOW

SETTINGS = RecallSettings(similarity_floor=0.6)


def found(number=1, **scores):
    return Candidate(UUID(int=number), UUID(int=7), "user", NOW, scores)


def test_one_strong_signal_is_an_answer_and_without_one_there_is_none():
    for scores in ({"similarity": 0.6}, {"coverage": 0.6}, {"pointer": 1.0}):
        kept, cut = relevant([found(**scores)], SETTINGS)
        assert (len(kept), cut) == (1, ())
    for scores in ({}, {"similarity": 0.59}, {"coverage": 0.59}, {"words": 1.0}, {"pinned": 1.0}):
        kept, cut = relevant([found(**scores), found(2)], SETTINGS)
        assert kept == ()
        assert {each.why for each in cut} == {NOTHING}
    given = [found(1, similarity=0.0, coverage=0.1)]
    assert relevant(given, RecallSettings(similarity_floor=0.0))[0] == tuple(given)


def test_answers_far_below_the_best_are_cut_off_and_the_order_is_kept():
    given = [found(1, similarity=0.4), found(2, similarity=0.9), found(3, coverage=0.5)]
    assert relevant(given, SETTINGS)[0] == tuple(given)
    kept, cut = relevant([*given, found(4, similarity=0.31), found(5, similarity=0.29)], SETTINGS)
    assert [each.drawer_id.int for each in kept] == [1, 2, 3, 4]
    assert [(each.drawer_id.int, each.why) for each in cut] == [(5, BELOW)]


def test_where_meaning_cannot_be_trusted_shared_words_count_for_more():
    half = [found(similarity=0.1, coverage=0.4)]
    assert relevant(half, SETTINGS, trust=1.0)[0] == ()
    assert len(relevant(half, SETTINGS, trust=0.1)[0]) == 1
    assert relevant([found(similarity=0.1, coverage=0.2)], SETTINGS, trust=0.1)[0] == ()


def test_a_language_raises_or_lowers_the_similarity_that_answers():
    for needed, similarity, answers in ((0.19, 0.7, 0), (0.19, 0.8, 1), (-0.1, 0.52, 1), (-0.1, 0.48, 0)):
        kept, _ = relevant([found(similarity=similarity)], SETTINGS, needed=needed)
        assert len(kept) == answers
    anything = [found(similarity=0.0)]
    assert relevant(anything, RecallSettings(similarity_floor=0.0), needed=0.19)[0] == tuple(anything)
