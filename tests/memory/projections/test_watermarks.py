from datetime import timedelta

import pytest

from accounts.models import User
from memory.forgetting.trash import delete, undo
from memory.models import Fact, MinedWindow
from memory.projections.upkeep import Mark, keep_mark, mark_now, mark_then
from tests.memory.palaces import MONDAY
from tests.memory.projections.conftest import Know

NOW = MONDAY + timedelta(days=30)


def test_nothing_known_is_the_mark_of_somebody_never_looked_at(as_alice: User):
    assert mark_now(as_alice.id) == mark_then(as_alice.id) == Mark(0, 0)


def test_a_mark_that_was_kept_is_remembered_with_its_time(as_alice: User, priya: list[Fact]):
    mark = mark_now(as_alice.id)
    for _ in range(2):
        keep_mark(as_alice.id, mark, NOW)
    assert mark_then(as_alice.id) == Mark(mark.windows, mark.facts, NOW)


@pytest.mark.parametrize(
    "change",
    [
        {"status": "rejected"},
        {"times_seen": 9},
        {"valid_to": NOW},
        {"valid_from": NOW},
        {"deleted_at": NOW},
        {"version": 2},
    ],
)
def test_any_change_of_a_fact_changes_the_mark(as_alice: User, priya: list[Fact], change: dict):
    before = mark_now(as_alice.id)
    Fact.objects.filter(user_id=as_alice.id, id=priya[3].id).update(**change)
    assert mark_now(as_alice.id).facts != before.facts


def test_two_opposite_changes_do_not_cancel_out(as_alice: User, priya: list[Fact]):
    facts = Fact.objects.filter(user_id=as_alice.id)
    facts.filter(id=priya[3].id).update(status="rejected")
    before = mark_now(as_alice.id)
    facts.filter(id=priya[3].id).update(status="active")
    facts.filter(id=priya[4].id).update(status="rejected")
    assert mark_now(as_alice.id).facts != before.facts


def test_what_was_undone_has_its_old_mark(as_alice: User, know: Know):
    fact = know("likes", "jazz", "The user likes jazz.")
    before = mark_now(as_alice.id)
    deletion = delete(as_alice.id, "drawer", fact.sources.get().drawer_id, NOW)
    assert mark_now(as_alice.id) != before
    undo(as_alice.id, deletion.id, NOW)
    assert mark_now(as_alice.id) == before


def test_a_mined_window_changes_the_mark(as_alice: User, bob: User, priya: list[Fact]):
    before = mark_now(as_alice.id)
    MinedWindow.objects.create(
        user_id=as_alice.id,
        source_kind="conversation",
        source_id=as_alice.id,
        first_sequence=1,
        last_sequence=8,
        method="rules",
    )
    assert mark_now(as_alice.id) == Mark(before.windows + 1, before.facts)
