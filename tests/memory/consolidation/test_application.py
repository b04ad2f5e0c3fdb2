"""A plan is applied exactly as previewed and undone row by row."""

from contextlib import suppress
from copy import deepcopy
from datetime import timedelta
from functools import partial
from itertools import count
from threading import Thread
from uuid import uuid4

import pytest
from django.db import connection

from accounts.owned import NotFound
from accounts.tenancy import tenant
from memory.consolidation.application import (
    PlanOutdated,
    apply,
    consolidate,
    drop,
    is_due,
    store_plan,
    undo,
    undoable,
)
from memory.consolidation.planning import GRACE, plan
from memory.facts.review.wording import Wording, edit
from memory.forgetting.trash import delete
from memory.forgetting.trash import undo as restore
from memory.locks import CONSOLIDATING, try_lock
from memory.models import (
    ActivityEvent,
    ChangeSet,
    Closet,
    ConsolidationRun,
    Drawer,
    Entity,
    EntityName,
    Fact,
    FactSource,
    Room,
    RowChange,
    Wing,
    WingName,
)
from memory.organize.arranging import Destination, move_drawers
from memory.preferences import change_preferences
from memory.sql import fetch
from tests.memory.consolidation.dumps import dump
from tests.memory.consolidation.facts import add, crowd
from tests.memory.palaces import MONDAY, Spot, file, refreshed, relate

NOW = MONDAY + timedelta(days=800)
LATER = MONDAY + timedelta(days=60)
SECOND = timedelta(seconds=1)
pytestmark = pytest.mark.usefixtures("embedder")


def planned(user_id):
    return store_plan(user_id, plan(user_id, NOW))


def add_twice(bread, thing):
    """Two facts that say the same."""
    return [add(bread[0], f"Likes {thing}."), add(bread[1], f"likes the {thing}")]


def expected_rows(rows):
    """The rows that the planned changes must produce, by the values recorded in them."""
    found = deepcopy(rows)
    for row in RowChange.objects.order_by("change_set_id", "position"):
        table = found[row.table]
        if row.after is None:
            del table[str(row.row_id)]
        elif row.before is None:
            table[str(row.row_id)] = dict(row.after)
        else:
            table[str(row.row_id)] |= row.after
            for name, count in row.added.items():
                table[str(row.row_id)][name] += count
    return found


@pytest.mark.parametrize("facts", [300, pytest.param(10_000, marks=pytest.mark.drill)])
def test_a_plan_is_applied_as_previewed_and_undo_restores_every_row(as_alice, facts):
    crowd(as_alice.id, facts, NOW)
    Closet.objects.update(created_at=MONDAY)
    before = dump(as_alice.id)

    run = planned(as_alice.id)
    assert dump(as_alice.id) == before
    expected = expected_rows(before)
    assert run.counts == {"merged": facts // 10, "archived": facts // 5}

    apply(as_alice.id, run.id, run.digest, NOW)
    assert dump(as_alice.id) == expected

    assert undo(as_alice.id, run.id, NOW) == 0
    assert dump(as_alice.id) == before
    run.refresh_from_db()
    assert run.state == ConsolidationRun.State.UNDONE


class Interrupted(BaseException):
    """Ends the work at a statement."""


def interrupted_at(number):
    """Interrupt the work at this write, from 0."""
    left = count(number, -1)

    def wrapper(execute, sql, params, many, context):
        if not sql.lstrip().startswith("SELECT") and next(left) == 0:
            raise Interrupted
        return execute(sql, params, many, context)

    return connection.execute_wrapper(wrapper)


@pytest.mark.django_db(transaction=True)
def test_a_consolidation_or_undo_interrupted_at_any_write_leaves_the_old_rows(as_alice):
    crowd(as_alice.id, 20, NOW)
    run = planned(as_alice.id)
    for work in (
        partial(apply, as_alice.id, run.id, run.digest, NOW),
        partial(undo, as_alice.id, run.id, NOW),
    ):
        before = dump(as_alice.id)
        for number in count():
            with suppress(Interrupted), interrupted_at(number):
                work()
                break
            assert dump(as_alice.id) == before
        assert number > 4
        assert dump(as_alice.id) != before


def test_a_plan_is_applied_only_unchanged_and_only_by_its_owner(as_alice, bread, bob):
    ships = Fact.objects.filter(id=add(bread[0], "Liked ships.").id)
    drawer = Drawer.objects.filter(id=bread[0].id)
    words = Wording("Likes ships.", "preference", "ships", MONDAY)
    for change in (
        lambda: ships.update(times_seen=7),
        lambda: drawer.update(pinned=True),
        lambda: edit(as_alice.id, ships.get().id, words, NOW),
        lambda: add(bread[2], "Likes coffee."),
    ):
        run = planned(as_alice.id)
        assert run.counts == {"archived": 1}
        change()
        before = dump(as_alice.id)
        with pytest.raises(PlanOutdated):
            apply(as_alice.id, run.id, run.digest, NOW)
        assert dump(as_alice.id) == before
        ships.update(times_seen=1, version=1, review_reason="")
        drawer.update(pinned=False)
    assert not ActivityEvent.objects.filter(kind=ActivityEvent.Kind.CONSOLIDATED).exists()
    for user, run_id, digest in (
        (as_alice, run.id, "0" * 64),
        (as_alice, uuid4(), run.digest),
        (bob, run.id, run.digest),
    ):
        with tenant(user.id), pytest.raises(NotFound):
            apply(user.id, run_id, digest, NOW)


def test_a_single_change_can_be_undone_and_rows_changed_since_are_skipped(as_alice, bread):
    tea, milk = (add_twice(bread, thing)[0] for thing in ("tea", "milk"))
    run = consolidate(as_alice.id, NOW)
    first = ChangeSet.objects.filter(kind="merged").order_by("id").first()
    assert undo(as_alice.id, run.id, NOW, first.id) == 0
    assert Fact.objects.filter(id__in=first.others, status=Fact.Status.ACTIVE).count() == 1
    run.refresh_from_db()
    assert run.state == ConsolidationRun.State.APPLIED
    assert undo(as_alice.id, run.id, NOW) == 0
    assert not Fact.objects.exclude(status=Fact.Status.ACTIVE).exists()

    run = consolidate(as_alice.id, NOW)
    Fact.objects.filter(superseded_by_id=tea.id).update(superseded_by_id=None)
    Fact.objects.filter(id=milk.id).update(times_seen=3)
    assert undo(as_alice.id, run.id, NOW) == 1
    seen = refreshed(tea).times_seen, refreshed(milk).times_seen
    assert seen == (2, 2), "counters are undone even when they changed"
    assert undoable(as_alice.id, run.id, NOW).count() == 1


def test_a_new_plan_replaces_the_last_and_empty_runs_leave_one_row_and_no_event(as_alice, bread):
    first, second = planned(as_alice.id), planned(as_alice.id)
    assert ConsolidationRun.objects.get().id == second.id != first.id
    assert drop(as_alice.id) == 1
    assert not ConsolidationRun.objects.exists()
    for _ in range(3):
        consolidate(as_alice.id, MONDAY)
    assert ConsolidationRun.objects.count() == 1
    assert not ActivityEvent.objects.filter(kind=ActivityEvent.Kind.CONSOLIDATED).exists()


@pytest.mark.django_db(transaction=True)
def test_consolidation_does_not_run_twice_at_the_same_time(alice):
    found = []

    def attempt():
        with tenant(alice.id):
            found.append(consolidate(alice.id, NOW))
        connection.close()

    with tenant(alice.id), try_lock(alice.id, CONSOLIDATING) as locked:
        assert locked
        thread = Thread(target=attempt)
        thread.start()
        thread.join()

    assert found == [None]


def test_a_merged_fact_has_the_sources_of_both(as_alice, bread):
    kept = add(bread[0], "Likes tea.", times_seen=2)
    other = add(bread[1], "likes the tea", valid_from=MONDAY - timedelta(days=3))
    FactSource.objects.filter(fact_id=other.id).update(confidence=0.6)
    consolidate(as_alice.id, NOW)
    assert (refreshed(kept).times_seen, kept.valid_from) == (3, other.valid_from)
    assert (refreshed(other).status, other.superseded_by_id) == (Fact.Status.SUPERSEDED, kept.id)
    assert other.merged_into_id == kept.id
    sources = FactSource.objects.filter(fact_id=kept.id).values_list("drawer_id", "confidence")
    assert set(sources) == {(bread[0].id, None), (bread[1].id, 0.6)}
    assert FactSource.objects.filter(fact_id=other.id).count() == 1


def test_open_single_values_end_where_the_next_begins_and_multiple_values_stay(as_alice, bread):
    home = {"key": "home_city", "single_valued": True, "kind": "identity"}
    for day, city in ((5, "Oslo"), (0, "Porto"), (9, "Lima")):
        add(bread[0], city, valid_from=MONDAY + timedelta(days=day), **home)
    for thing in ("tea", "milk"):
        add(bread[0], f"Likes {thing}.", key="likes")
    assert consolidate(as_alice.id, MONDAY + timedelta(days=10)).counts == {"closed": 2}
    said = Fact.objects.filter(key="home_city").order_by("valid_from")
    ends = [(fact.value, fact.valid_to and (fact.valid_to - MONDAY).days) for fact in said]
    assert ends == [("Porto", 5), ("Oslo", 9), ("Lima", None)]
    assert Fact.objects.filter(key="likes", status="active").count() == 2


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


def age():
    """Backdate all places and entities to MONDAY."""
    for model in (Wing, Room, Closet, Entity):
        model.objects.update(created_at=MONDAY)


def test_empty_places_and_lone_entities_are_removed_undoably(as_alice, bread):
    drawer = file(as_alice.id, ["Boats!"], Spot(wing="Море", room="Лодки", closet="船"))[0]
    age()
    given = {"slug": "sea", "name": "Sea", "is_alias": True}
    WingName.objects.create(user_id=as_alice.id, wing_id=drawer.wing_id, **given)
    assert consolidate(as_alice.id, LATER).counts == {}
    deletion = delete(as_alice.id, "wing", drawer.wing_id, MONDAY)
    assert consolidate(as_alice.id, LATER).counts == {}, "its drawers are in the trash"
    restore(as_alice.id, deletion.id, MONDAY)

    move_drawers(as_alice.id, [drawer.id], Destination(bread[0].wing_id), MONDAY)
    relate(bread[0], "Ana", "knows", "Ben")
    lone = Entity.objects.create(user_id=as_alice.id, name="Zoe", type="person")
    Entity.objects.create(user_id=as_alice.id, name="Me", type="user")
    EntityName.objects.create(user_id=as_alice.id, entity_id=lone.id, normalised="zoe", name="Zoe")
    age()
    before = dump(as_alice.id)
    run = consolidate(as_alice.id, LATER)
    assert run.counts == {"removed": 4}
    assert not WingName.objects.filter(wing_id=drawer.wing_id).exists()
    assert not Wing.objects.filter(id=drawer.wing_id).exists()
    assert Drawer.objects.count() == 4
    assert set(Entity.objects.values_list("name", flat=True)) == {"Ana", "Ben", "Me"}
    assert undo(as_alice.id, run.id, LATER) == 0
    assert dump(as_alice.id) == before


def test_empty_places_are_removed_after_the_grace_period_and_stay_removed_if_replaced(as_alice, bread):
    age()
    place = {"user_id": as_alice.id, "room_id": bread[0].room_id, "name": "X", "slug": "x"}
    removed = Closet.objects.create(**place, created_at=LATER)
    assert consolidate(as_alice.id, LATER + GRACE).counts == {}
    run = consolidate(as_alice.id, LATER + GRACE + SECOND)
    assert run.counts == {"removed": 1}
    Closet.objects.create(**place)
    assert undo(as_alice.id, run.id, LATER) == 1
    assert not Closet.objects.filter(id=removed.id).exists()


def test_all_tables_that_reference_places_or_entities_are_known(db):
    targets = ["memory_wing", "memory_room", "memory_closet", "memory_entity"]
    referring = (
        "SELECT conrelid::regclass::text FROM pg_constraint "
        "WHERE contype = 'f' AND confrelid = ANY(%s::regclass[])"
    )
    tables = {name.removeprefix("memory_") for (name,) in fetch(referring, [targets])}
    places = {"wing", "wingname", "room", "closet", "drawer", "summary"}
    assert tables == places | {"entity", "entityname", "relation", "relationsource"}
