from datetime import timedelta

import pytest

from accounts.models import User
from memory.consolidation.application import consolidate
from memory.consolidation.schedule import is_due
from memory.models import Drawer
from memory.preferences import change_preferences
from tests.memory.consolidation.facts import add
from tests.memory.palaces import MONDAY

SECOND = timedelta(seconds=1)


def test_nobody_without_facts_is_due(as_alice: User):
    assert not is_due(as_alice.id, MONDAY)


@pytest.mark.parametrize(("schedule", "days"), [("daily", 1), ("weekly", 7), ("monthly", 30)])
def test_it_is_due_a_period_after_the_first_fact_and_after_each_run(
    as_alice: User, bread: list[Drawer], schedule: str, days: int
):
    change_preferences(as_alice.id, {"consolidation": schedule}, MONDAY)
    add(bread[0], "Likes tea.")
    first = MONDAY + timedelta(days=days)
    assert not is_due(as_alice.id, first - SECOND)
    assert is_due(as_alice.id, first)

    consolidate(as_alice.id, first, scheduled=True)
    assert not is_due(as_alice.id, first + timedelta(days=days) - SECOND)
    assert is_due(as_alice.id, first + timedelta(days=days))


def test_who_wants_to_do_it_by_hand_is_never_due(as_alice: User, bread: list[Drawer]):
    add(bread[0], "Likes tea.")
    change_preferences(as_alice.id, {"consolidation": "never"}, MONDAY)
    assert not is_due(as_alice.id, MONDAY + timedelta(days=1000))
