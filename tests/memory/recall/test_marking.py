"""Facts that led to recalled drawers are counted after the reply, each recall once."""

import pytest

from chat.sweep import sweep
from memory.models import Fact, RecallTrace
from memory.recall.marking import count_recalled
from memory.recall.record import hit_as_json, trace_as_json
from tests.drills.ledger import NOW
from tests.memory.recall.arms.story import ask, tell


@pytest.fixture
def known(as_alice):
    tell(as_alice, "I work as a nurse.", "The tax office wants form 17.")
    return as_alice


def keep(user):
    found = ask(user, "What do I do for a living?")
    return RecallTrace.objects.create(
        user_id=user.id,
        trace=trace_as_json(found.trace),
        hits=[hit_as_json(hit) for hit in found.hits],
        at=NOW,
    )


def times():
    fact = Fact.objects.get(predicate="works_as")
    return fact.times_recalled, fact.last_recalled_at


def test_a_recall_counts_its_facts_once(known):
    keep(known)
    assert times() == (0, None)
    assert count_recalled(known.id) == 1
    assert count_recalled(known.id) == 0
    assert times() == (1, NOW)
    keep(known)
    count_recalled(known.id)
    assert times() == (2, NOW)


def test_the_sweep_does_it(known):
    keep(known)
    sweep(NOW)
    assert times() == (1, NOW)


def test_only_the_facts_of_what_was_recalled_count(known):
    trace = keep(known)
    trace.hits = []
    trace.save()
    count_recalled(known.id)
    assert times() == (0, None)


def test_old_traces_that_name_no_facts_are_no_trouble(known):
    RecallTrace.objects.create(user_id=known.id, trace={}, hits=[{"drawer_id": "x"}], at=NOW)
    assert count_recalled(known.id) == 1


def test_nobody_counts_for_another(known, bob):
    keep(known)
    assert count_recalled(bob.id) == 0
