"""A plan is applied exactly as it was shown, and taken back row by row."""

from collections.abc import Iterable
from copy import deepcopy
from datetime import timedelta
from threading import Thread
from uuid import UUID, uuid4

import pytest
from django.db import connection

from accounts.models import User
from accounts.tenancy import tenant
from memory.changes.log import UNDO_FOR, Change, expire
from memory.consolidation.application import (
    NoSuchPlan,
    PlanOutdated,
    apply,
    changes_of,
    consolidate,
    drop,
    keep,
    undo,
    undoable,
)
from memory.consolidation.planning import plan
from memory.locks import CONSOLIDATING, alone
from memory.models import (
    ActivityEvent,
    ChangeSet,
    Closet,
    ConsolidationRun,
    Drawer,
    Fact,
    FactSource,
    RowChange,
)
from tests.memory.consolidation.crowd import crowd
from tests.memory.consolidation.dumps import Dump, dump
from tests.memory.consolidation.facts import add
from tests.memory.palaces import MONDAY

NOW = MONDAY + timedelta(days=800)


def planned(user_id: UUID) -> ConsolidationRun:
    return keep(user_id, plan(user_id, NOW))


def foretold(rows: Dump, changes: Iterable[Change]) -> Dump:
    """The rows as they have to be after these changes, by their own values alone."""
    found = deepcopy(rows)
    for change in changes:
        for row in change.rows:
            table = found[row.table]
            if row.after is None:
                del table[str(row.id)]
            elif row.before is None:
                table[str(row.id)] = dict(row.after)
            else:
                table[str(row.id)] |= row.after
                for name, count in row.added.items():
                    table[str(row.id)][name] += count
    return found


def test_ten_thousand_facts_preview_equals_applied_and_undo_restores_every_row(as_alice: User):
    crowd(as_alice.id, 10_000, NOW)
    Closet.objects.update(created_at=MONDAY)
    before = dump(as_alice.id)

    run = planned(as_alice.id)
    assert dump(as_alice.id) == before
    changes = changes_of(as_alice.id, run.id)
    assert run.counts == {"merged": 1000, "closed": 1000, "archived": 2000, "summarised": 2}
    kept = dump(as_alice.id, drafts=True)

    apply(as_alice.id, run.id, run.digest, NOW)
    assert dump(as_alice.id, drafts=True) == foretold(kept, changes)

    assert undo(as_alice.id, run.id, NOW) == 0
    assert dump(as_alice.id) == before
    run.refresh_from_db()
    assert run.state == ConsolidationRun.State.UNDONE


def test_what_was_empty_comes_back_with_its_names(as_alice: User, bread: list[Drawer]):
    lone = Closet.objects.create(
        user_id=as_alice.id,
        room_id=bread[0].room_id,
        name="空の戸棚",
        slug="empty",
        created_at=MONDAY,
    )
    before = dump(as_alice.id)
    run = consolidate(as_alice.id, NOW)

    assert not Closet.objects.filter(id=lone.id).exists()
    assert undo(as_alice.id, run.id, NOW) == 0
    assert dump(as_alice.id) == before


def test_facts_that_changed_since_make_a_plan_outdated_and_nothing_happens(
    as_alice: User, bread: list[Drawer]
):
    add(bread[0], "Likes tea.")
    add(bread[1], "likes the tea")
    run = planned(as_alice.id)
    add(bread[2], "Likes coffee.")
    before = dump(as_alice.id)

    with pytest.raises(PlanOutdated):
        apply(as_alice.id, run.id, run.digest, NOW)

    assert dump(as_alice.id) == before
    assert not ActivityEvent.objects.filter(kind=ActivityEvent.Kind.CONSOLIDATED).exists()


def test_a_row_that_is_used_meanwhile_makes_a_plan_outdated(as_alice: User, bread: list[Drawer]):
    resting = add(bread[0], "Liked ships.")
    run = planned(as_alice.id)
    assert run.counts == {"archived": 1}
    Fact.objects.filter(user_id=as_alice.id, id=resting.id).update(times_seen=7)

    with pytest.raises(PlanOutdated):
        apply(as_alice.id, run.id, run.digest, NOW)


def test_only_the_plan_that_was_shown_is_applied(as_alice: User, bread: list[Drawer], bob: User):
    add(bread[0], "Likes tea.")
    add(bread[1], "likes the tea")
    run = planned(as_alice.id)

    with pytest.raises(NoSuchPlan):
        apply(as_alice.id, run.id, "0" * 64, NOW)
    with pytest.raises(NoSuchPlan):
        apply(as_alice.id, uuid4(), run.digest, NOW)
    with tenant(bob.id), pytest.raises(NoSuchPlan):
        apply(bob.id, run.id, run.digest, NOW)

    RowChange.objects.exclude(added={}).update(added={"times_seen": 99})
    with pytest.raises(NoSuchPlan):
        apply(as_alice.id, run.id, run.digest, NOW)


def test_a_plan_is_applied_once_and_undone_once(as_alice: User, bread: list[Drawer]):
    add(bread[0], "Likes tea.")
    add(bread[1], "likes the tea")
    run = planned(as_alice.id)
    apply(as_alice.id, run.id, run.digest, NOW)
    with pytest.raises(NoSuchPlan):
        apply(as_alice.id, run.id, run.digest, NOW)

    assert undo(as_alice.id, run.id, NOW) == 0
    with pytest.raises(NoSuchPlan):
        undo(as_alice.id, run.id, NOW)


def test_one_change_is_taken_back_and_the_others_stay(as_alice: User, bread: list[Drawer]):
    add(bread[0], "Likes tea.")
    add(bread[1], "likes the tea")
    add(bread[0], "Likes milk.")
    add(bread[1], "likes the milk")
    run = consolidate(as_alice.id, NOW)
    first = ChangeSet.objects.filter(kind="merged").order_by("id").first()

    assert undo(as_alice.id, run.id, NOW, first.id) == 0

    assert Fact.objects.filter(id__in=first.others, status=Fact.Status.ACTIVE).count() == 1
    run.refresh_from_db()
    assert run.state == ConsolidationRun.State.APPLIED
    assert undo(as_alice.id, run.id, NOW) == 0
    assert not Fact.objects.exclude(status=Fact.Status.ACTIVE).exists()


def test_what_changed_since_stays_as_it_is_and_the_rest_comes_back(as_alice: User, bread: list[Drawer]):
    tea = add(bread[0], "Likes tea.")
    add(bread[1], "likes the tea")
    milk = add(bread[0], "Likes milk.")
    add(bread[1], "likes the milk")
    run = consolidate(as_alice.id, NOW)
    Fact.objects.filter(superseded_by_id=tea.id).update(superseded_by_id=None)

    assert undo(as_alice.id, run.id, NOW) == 1

    tea.refresh_from_db()
    milk.refresh_from_db()
    assert (tea.times_seen, milk.times_seen) == (2, 1)
    assert undoable(as_alice.id, run.id, NOW).count() == 1


def test_a_merged_fact_that_was_said_again_can_still_be_parted(as_alice: User, bread: list[Drawer]):
    kept = add(bread[0], "Likes tea.")
    add(bread[1], "likes the tea")
    run = consolidate(as_alice.id, NOW)
    Fact.objects.filter(user_id=as_alice.id, id=kept.id).update(times_seen=3)

    assert undo(as_alice.id, run.id, NOW) == 0

    kept.refresh_from_db()
    assert kept.times_seen == 2


def test_after_thirty_days_the_journal_holds_no_rows_and_cannot_be_undone(
    as_alice: User, bread: list[Drawer]
):
    Closet.objects.create(
        user_id=as_alice.id, room_id=bread[0].room_id, name="Secret", slug="s", created_at=MONDAY
    )
    run = consolidate(as_alice.id, NOW)
    expire(as_alice.id, NOW + UNDO_FOR)
    assert "Secret" in str(RowChange.objects.values())

    expire(as_alice.id, NOW + UNDO_FOR + timedelta(seconds=1))
    assert not RowChange.objects.exists()
    assert ChangeSet.objects.exists()
    with pytest.raises(NoSuchPlan):
        undo(as_alice.id, run.id, NOW)


def test_a_new_plan_takes_the_place_of_one_that_was_not_applied(as_alice: User, bread: list[Drawer]):
    first = planned(as_alice.id)
    second = planned(as_alice.id)

    assert ConsolidationRun.objects.get().id == second.id
    assert first.id != second.id
    assert drop(as_alice.id) == 1
    assert not ConsolidationRun.objects.exists()


def test_runs_without_changes_leave_one_line_and_no_event(as_alice: User, bread: list[Drawer]):
    for _ in range(3):
        consolidate(as_alice.id, MONDAY)

    assert ConsolidationRun.objects.count() == 1
    assert not ActivityEvent.objects.filter(kind=ActivityEvent.Kind.CONSOLIDATED).exists()


@pytest.mark.django_db(transaction=True)
def test_while_another_process_tidies_up_this_one_leaves_it_alone(alice: User):
    found = []

    def try_it() -> None:
        with tenant(alice.id):
            found.append(consolidate(alice.id, NOW))
        connection.close()

    with tenant(alice.id), alone(alice.id, CONSOLIDATING) as won:
        assert won
        thread = Thread(target=try_it)
        thread.start()
        thread.join()

    assert found == [None]


def test_the_words_of_merged_facts_vouch_for_the_one_that_stays(as_alice: User, bread: list[Drawer]):
    kept = add(bread[0], "Likes tea.", times_seen=2)
    other = add(bread[1], "likes the tea", valid_from=MONDAY - timedelta(days=3))
    consolidate(as_alice.id, NOW)

    kept.refresh_from_db()
    other.refresh_from_db()
    assert (kept.times_seen, kept.valid_from) == (3, other.valid_from)
    assert other.status == Fact.Status.SUPERSEDED
    assert other.superseded_by_id == kept.id
    drawers = FactSource.objects.filter(fact_id=kept.id).values_list("drawer_id", flat=True)
    assert set(drawers) == {bread[0].id, bread[1].id}
    assert FactSource.objects.filter(fact_id=other.id).count() == 1
