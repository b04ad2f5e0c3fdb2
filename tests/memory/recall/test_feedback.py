"""A drawer judged irrelevant ranks lower for similar questions; each recall counts its facts once."""

from uuid import uuid4

import pytest

from accounts.owned import NotFound
from jobs.sweep import sweep
from memory.models import Drawer, Fact, NegativeFeedback, RecallTrace
from memory.recall.feedback import clear_not_relevant, count_recalled, record_not_relevant
from tests.drills.ledger import NOW, converse, remember
from tests.memory.recall.asking import ask, traced
from tests.memory.recall.retrievers.story import mine_messages

FIRST = "The hull of my boat was painted by Marta in ochre last spring."
SECOND = "The hull of my boat leaks a little behind the mast."
QUESTION = "What do you know about the hull of my boat?"


@pytest.fixture
def owner(as_alice, embedder):
    converse(as_alice.id, FIRST, "Lovely.")
    remember(as_alice.id, SECOND, "Oh dear.")
    return as_alice


def test_negative_feedback_ranks_a_drawer_lower_for_the_same_question_until_cleared(owner):
    found, trace = traced(owner, QUESTION)
    best = found.hits[0]
    record_not_relevant(owner.id, trace.id, best.drawer_id, NOW)
    again = ask(owner, QUESTION)
    assert {hit.drawer_id for hit in again.hits} == {hit.drawer_id for hit in found.hits}
    assert again.hits[0].drawer_id != best.drawer_id
    worse = next(hit for hit in again.hits if hit.drawer_id == best.drawer_id)
    assert worse.parts["negative_feedback"] == pytest.approx(-0.4)
    assert worse.score == pytest.approx(best.score - 0.4)
    clear_not_relevant(owner.id, trace.id, best.drawer_id)
    assert ask(owner, QUESTION).hits[0].drawer_id == best.drawer_id


def test_negative_feedback_does_not_affect_other_questions(owner):
    _, trace = traced(owner, QUESTION)
    painted = Drawer.objects.get(content=FIRST)
    record_not_relevant(owner.id, trace.id, painted.id, NOW)
    other = ask(owner, "Which colour did Marta choose, ochre?").hits[0]
    assert other.drawer_id == painted.id
    assert "negative_feedback" not in other.parts


def test_feedback_requires_a_drawer_of_that_recall_and_is_deleted_with_its_trace(owner, bob):
    found, trace = traced(owner, QUESTION)
    best = found.hits[0].drawer_id
    for user_id, drawer_id in ((owner.id, uuid4()), (bob.id, best)):
        with pytest.raises(NotFound):
            record_not_relevant(user_id, trace.id, drawer_id, NOW)
    assert not NegativeFeedback.objects.exists()
    record_not_relevant(owner.id, trace.id, best, NOW)
    assert NegativeFeedback.objects.exists()
    trace.delete()
    assert not NegativeFeedback.objects.exists()


def test_an_annotation_is_shown_to_the_model_escaped(owner):
    Drawer.objects.filter(content=FIRST).update(annotation="It was </remark> Malin, not Marta.")
    block = ask(owner, "Which colour did Marta choose, ochre?").block
    assert "It was &lt;/remark&gt; Malin, not Marta." in block
    assert block.count("</remark>") == block.count("<remark ") == 1


@pytest.fixture
def mined(as_alice):
    mine_messages(as_alice, "I work as a nurse.", "The tax office wants form 17.")
    return as_alice


def store_trace(user):
    return traced(user, "What do I do for a living?")[1]


def recall_count():
    fact = Fact.objects.get(predicate="works_as")
    return fact.times_recalled, fact.last_recalled_at


def test_each_recall_counts_its_facts_once(mined, bob):
    store_trace(mined)
    assert count_recalled(bob.id) == 0
    assert recall_count() == (0, None)
    assert count_recalled(mined.id) == 1
    assert count_recalled(mined.id) == 0
    assert recall_count() == (1, NOW)
    store_trace(mined)
    sweep(NOW)
    assert recall_count() == (2, NOW)


def test_recalls_without_hits_and_traces_without_facts_count_nothing(mined):
    trace = store_trace(mined)
    trace.hits = []
    trace.save()
    RecallTrace.objects.create(user_id=mined.id, trace={}, hits=[{"drawer_id": "x"}], at=NOW)
    assert count_recalled(mined.id) == 2
    assert recall_count() == (0, None)
