from datetime import timedelta

from accounts.models import User
from memory.forgetting.trash import delete, undo
from memory.models import Fact, MinedWindow
from memory.projections.upkeep import Mark, keep_mark, mark_now, mark_then
from tests.memory.palaces import MONDAY
from tests.memory.projections.conftest import Know

NOW = MONDAY + timedelta(days=30)


def test_a_mark_counts_windows_and_is_kept_with_its_time(as_alice, priya):
    assert mark_then(as_alice.id) == Mark(0, 0)
    mark = mark_now(as_alice.id)
    for _ in range(2):
        keep_mark(as_alice.id, mark, NOW)
    assert mark_then(as_alice.id) == Mark(mark.windows, mark.facts, NOW)
    MinedWindow.objects.create(
        user_id=as_alice.id,
        source_kind="conversation",
        source_id=as_alice.id,
        first_sequence=1,
        last_sequence=8,
        method="rules",
    )
    assert mark_now(as_alice.id) == Mark(mark.windows + 1, mark.facts)


def test_any_change_of_a_fact_changes_the_mark(as_alice, priya):
    seen = [mark_now(as_alice.id).facts]
    changes = [{"times_seen": 9}, {"valid_to": NOW}, {"valid_from": NOW}, {"deleted_at": NOW}, {"version": 2}]
    for change in (*changes, {"deleted_at": None, "status": "rejected"}):
        Fact.objects.filter(id=priya[3].id).update(**change)
        seen.append(mark_now(as_alice.id).facts)
    Fact.objects.filter(id=priya[3].id).update(status="active")
    Fact.objects.filter(id=priya[4].id).update(status="rejected")
    seen.append(mark_now(as_alice.id).facts)
    assert len(set(seen)) == len(seen), "not even two opposite changes cancel out"


def test_what_was_undone_has_its_old_mark(as_alice: User, know: Know):
    fact = know("likes", "jazz", "The user likes jazz.")
    before = mark_now(as_alice.id)
    deletion = delete(as_alice.id, "drawer", fact.sources.get().drawer_id, NOW)
    assert mark_now(as_alice.id) != before
    undo(as_alice.id, deletion.id, NOW)
    assert mark_now(as_alice.id) == before
