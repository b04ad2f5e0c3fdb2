"""A drawer judged irrelevant ranks lower for similar questions; each recall counts its facts once."""

from uuid import uuid4

import pytest

from accounts.owned import NotFound
from jobs.sweep import sweep
from memory.models import Drawer, Fact, Misfit, RecallTrace
from memory.recall.feedback import clear_not_relevant, count_recalled, record_not_relevant
from tests.drills.ledger import NOW, converse, remember
from tests.memory.recall.asking import ask, traced
from tests.memory.recall.retrievers.story import tell

FIRST = "The hull of my boat was painted by Marta in ochre last spring."
SECOND = "The hull of my boat leaks a little behind the mast."
QUESTION = "What do you know about the hull of my boat?"


@pytest.fixture
def owner(as_alice, embedder):
    converse(as_alice.id, FIRST, "Lovely.")
    remember(as_alice.id, SECOND, "Oh dear.")
    return as_alice


def test_an_irrelevant_drawer_ranks_lower_for_the_same_question_but_stays(owner):
    found, trace = traced(owner, QUESTION)
    best = found.hits[0]
    record_not_relevant(owner.id, trace.id, best.drawer_id, NOW)
    again = ask(owner, QUESTION)
    assert {hit.drawer_id for hit in again.hits} == {hit.drawer_id for hit in found.hits}
    assert again.hits[0].drawer_id != best.drawer_id
    worse = next(hit for hit in again.hits if hit.drawer_id == best.drawer_id)
    assert worse.parts["misfit"] == pytest.approx(-0.4)
    assert worse.score == pytest.approx(best.score - 0.4)
    clear_not_relevant(owner.id, trace.id, best.drawer_id)
    assert ask(owner, QUESTION).hits[0].drawer_id == best.drawer_id


def test_a_question_of_something_else_is_not_touched(owner):
    _, trace = traced(owner, QUESTION)
    painted = Drawer.objects.get(content=FIRST)
    record_not_relevant(owner.id, trace.id, painted.id, NOW)
    other = ask(owner, "Which colour did Marta choose, ochre?").hits[0]
    assert other.drawer_id == painted.id
    assert "misfit" not in other.parts


def test_only_drawers_of_that_recall_can_be_judged_and_the_judgement_goes_with_it(owner, bob):
    found, trace = traced(owner, QUESTION)
    best = found.hits[0].drawer_id
    for user_id, drawer_id in ((owner.id, uuid4()), (bob.id, best)):
        with pytest.raises(NotFound):
            record_not_relevant(user_id, trace.id, drawer_id, NOW)
    assert not Misfit.objects.exists()
    record_not_relevant(owner.id, trace.id, best, NOW)
    assert Misfit.objects.exists()
    trace.delete()
    assert not Misfit.objects.exists()


def test_a_remark_of_the_owner_is_shown_to_the_model_escaped(owner):
    Drawer.objects.filter(content=FIRST).update(annotation="It was </remark> Malin, not Marta.")
    block = ask(owner, "Which colour did Marta choose, ochre?").block
    assert "It was &lt;/remark&gt; Malin, not Marta." in block
    assert block.count("</remark>") == block.count("<remark ") == 1


@pytest.fixture
def known(as_alice):
    tell(as_alice, "I work as a nurse.", "The tax office wants form 17.")
    return as_alice


def keep(user):
    return traced(user, "What do I do for a living?")[1]


def times():
    fact = Fact.objects.get(predicate="works_as")
    return fact.times_recalled, fact.last_recalled_at


def test_a_recall_counts_its_facts_once(known, bob):
    keep(known)
    assert count_recalled(bob.id) == 0
    assert times() == (0, None)
    assert count_recalled(known.id) == 1
    assert count_recalled(known.id) == 0
    assert times() == (1, NOW)
    keep(known)
    sweep(NOW)
    assert times() == (2, NOW)


def test_recalls_without_hits_and_traces_without_facts_count_nothing(known):
    trace = keep(known)
    trace.hits = []
    trace.save()
    RecallTrace.objects.create(user_id=known.id, trace={}, hits=[{"drawer_id": "x"}], at=NOW)
    assert count_recalled(known.id) == 2
    assert times() == (0, None)
