from datetime import timedelta

import pytest

from accounts.tenancy import tenant
from memory.consolidation.application import consolidate
from memory.consolidation.schedule import is_due
from memory.preferences import change_preferences
from tests.memory.consolidation.facts import add
from tests.memory.palaces import MONDAY

SECOND = timedelta(seconds=1)


@pytest.mark.parametrize(("schedule", "days"), [("daily", 1), ("weekly", 7), ("monthly", 30)])
def test_consolidation_is_due_a_period_after_the_first_fact_and_each_run(
    as_alice, bob, bread, schedule, days
):
    change_preferences(as_alice.id, {"consolidation": schedule}, MONDAY)

    add(bread[0], "Likes tea.")
    first = MONDAY + timedelta(days=days)
    assert not is_due(as_alice.id, first - SECOND)
    assert is_due(as_alice.id, first)
    consolidate(as_alice.id, first, scheduled=True)
    assert not is_due(as_alice.id, first + timedelta(days=days) - SECOND)
    assert is_due(as_alice.id, first + timedelta(days=days))
    with tenant(bob.id):
        assert not is_due(bob.id, MONDAY + timedelta(days=1000)), "he has no facts"
    change_preferences(as_alice.id, {"consolidation": "never"}, MONDAY)
    assert not is_due(as_alice.id, MONDAY + timedelta(days=1000))
