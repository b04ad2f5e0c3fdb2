"""Every change that can be undone is undone exactly: the same rows, column by column."""

from collections.abc import Callable
from copy import copy
from datetime import timedelta
from typing import Any
from unittest.mock import Mock
from uuid import UUID

import pytest
from django.apps import apps
from django.db import IntegrityError

from accounts.owned import NotFound
from accounts.tenancy import tenant
from chat import edits
from chat.agents import default_agent
from chat.conversations import Choices, start
from memory.changes import log
from memory.changes.log import ChangedSince, Recording
from memory.changes.rows import RowDiff, RowsChanged, images, write
from memory.changes.rows import undo as restore
from memory.consolidation import application
from memory.facts.review import decisions
from memory.graph import editing
from memory.graph.resolution import add_alias, find_entity
from memory.models import ActivityEvent, ChangeSet, Drawer, EntityName, Fact, Relation, RowChange, WingName
from memory.organize import arranging
from memory.organize.arranging import (
    Destination,
    annotate,
    change_kind,
    mark,
    merge,
    move,
    move_drawers,
    rename,
)
from memory.organize.places import Target
from tests.conftest import create_user
from tests.memory.consolidation.dumps import dump
from tests.memory.consolidation.facts import add
from tests.memory.organize.pictures import check_counts
from tests.memory.palaces import MONDAY, Spot, file, learn, relate

NOW = MONDAY + timedelta(days=900)
DAY = timedelta(days=1)
GROWING = {"wings_made", "rooms_made", "drawers_made"}
RELATION = ("subject_id", "relation", "object_id", "valid_from")
COMPUTED = {"memory.relation": {"id"}, "memory.relationsource": {"edge_id"}}
HISTORY = "memory.factversion"
MAY_BE_NEW = {"memory.room", "memory.closet", "memory.entity", "memory.entityname"}
"""Places created as a destination, and entities that a fact named, stay as empty rows."""
SINGLE = {"key": "home_city", "single_valued": True, "kind": "identity", "predicate": "lives_in"}


@pytest.fixture(scope="module")
def filed_once(world):
    """Alice, with two chats, two names of one person, and a value in review."""
    alice = create_user("alice")
    spot = Spot(wing="Rye bread", kind="topic", room="Rye", start=MONDAY + DAY)
    with tenant(alice.id):
        drawers = [*file(alice.id, ["Feed it daily.", "It rose."]), *file(alice.id, ["Rye is sour."], spot)]
        relate(drawers[0], "Robert", "works_at", "Acme", single_valued=True)
        relate(drawers[1], "Bob", "works_at", "Initech", single_valued=True, valid_from=MONDAY + 5 * DAY)
        relate(drawers[1], "Ines", "knows", "Bob")
        add_alias(of(drawers[0], "Bob"), "Bobby")
        learn(drawers[0], "Feed", "Lives in Porto.", **SINGLE)
        later = MONDAY + DAY
        learn(drawers[1], "rose", "Lives in Lisbon.", valid_from=later, review_reason="Unsure.", **SINGLE)
        learn(drawers[0], "daily", "Feeds the dough.", kind="behaviour", predicate="feeds")
        add(drawers[0], "Likes tea.", predicate="says")
        add(drawers[1], "likes the tea", predicate="says")
    return alice, drawers


@pytest.fixture
def alice(filed_once, db):
    return copy(filed_once[0])


@pytest.fixture
def palace_drawers(filed_once, as_alice):
    """Drawers of both chats, unchanged at the start of each test."""
    return [copy(drawer) for drawer in filed_once[1]]


def of(drawer, name):
    return find_entity(drawer.user_id, name)


def fact(statement):
    return Fact.objects.get(statement=statement)


def split(drawer):
    bob = of(drawer, "Bob")
    works = Relation.objects.filter(subject_id=bob.id, relation="works_at").values_list("id", flat=True)
    alias = EntityName.objects.get(name="Bobby")
    part = editing.Part("Bob the builder", "person", tuple(works), (alias.id,))
    return editing.split(drawer.user_id, bob.id, part, NOW)


PALACE: dict[str, Callable[[UUID, Drawer, Drawer], ChangeSet | None]] = {
    "rename a wing": lambda user, one, other: rename(user, Target("wing", one.wing_id), "Loaves", NOW),
    "rename a room": lambda user, one, other: rename(user, Target("room", one.room_id), "First", NOW),
    "rename a closet": lambda user, one, other: rename(user, Target("closet", one.closet_id), "Levain", NOW),
    "change kind": lambda user, one, other: change_kind(user, Target("wing", one.wing_id), "agent", NOW),
    "merge wings": lambda user, one, other: merge(
        user, Target("wing", one.wing_id), Target("wing", other.wing_id), NOW
    ),
    "merge rooms": lambda user, one, other: merge(
        user, Target("room", one.room_id), Target("room", other.room_id), NOW
    ),
    "move a room": lambda user, one, other: move(user, Target("room", one.room_id), other.wing_id, NOW),
    "move a closet": lambda user, one, other: move(user, Target("closet", one.closet_id), other.room_id, NOW),
    "move drawers": lambda user, one, other: (
        move_drawers(user, [one.id], Destination(other.wing_id, "Crust"), NOW).edit
    ),
    "pin": lambda user, one, other: mark(user, one.id, "pinned", on=True, now=NOW),
    "hide": lambda user, one, other: mark(user, one.id, "sensitive", on=True, now=NOW),
    "annotate": lambda user, one, other: annotate(user, one.id, "mine", NOW),
}
GRAPH: dict[str, Callable[[UUID, Drawer], ChangeSet]] = {
    "rename an entity": lambda user, one: editing.rename(user, of(one, "Robert").id, " Роберт  Смит ", NOW),
    "rename to an alias": lambda user, one: editing.rename(user, of(one, "Bob").id, "Bobby", NOW),
    "retype": lambda user, one: editing.retype(user, of(one, "Acme").id, "organisation", NOW),
    "note a detail": lambda user, one: editing.set_detail(user, of(one, "Bob").id, ("born", "4 May"), NOW),
    "add a name": lambda user, one: editing.add_name(user, of(one, "Bob").id, "鲍勃", NOW),
    "remove a name": lambda user, one: editing.remove_name(
        user, of(one, "Bob").id, EntityName.objects.get(name="Bobby").id, NOW
    ),
    "merge entities": lambda user, one: editing.merge(user, of(one, "Robert").id, of(one, "Bob").id, NOW),
    "split": lambda user, one: split(one),
}
FACTS: dict[str, Callable[[UUID], decisions.Decision]] = {
    "approve": lambda user: decisions.approve(user, [fact("Lives in Lisbon.").id], NOW),
    "keep both": lambda user: decisions.keep_both(user, [fact("Lives in Lisbon.").id], NOW),
    "reject": lambda user: decisions.reject(user, [each.id for each in Fact.objects.all()], NOW),
    "end": lambda user: decisions.end(user, fact("Lives in Porto.").id, MONDAY + DAY, NOW),
    "merge facts": lambda user: decisions.merge(
        user, fact("Lives in Lisbon.").id, fact("Lives in Porto.").id, NOW
    ),
    "delete": lambda user: decisions.delete(user, [fact("Feeds the dough.").id], NOW),
}


def do(name, palace_drawers):
    """Make a change; returns its id and the function that undoes it."""
    user = palace_drawers[0].user_id
    if name in PALACE:
        made = PALACE[name](user, palace_drawers[0], palace_drawers[2])
        assert made
        return made.batch_id, lambda owner, handle: arranging.undo(owner, handle, NOW)
    if name in GRAPH:
        edit = GRAPH[name](user, palace_drawers[0])
        return edit.batch_id, lambda owner, handle: editing.undo(owner, handle, NOW)
    if name in FACTS:
        decision = FACTS[name](user)
        return decision.event_id, lambda owner, handle: decisions.undo(owner, handle, NOW)
    run = application.consolidate(user, NOW)
    assert run
    return run.id, lambda owner, handle: application.undo(owner, handle, NOW)


CHAT: dict[str, Callable[[UUID], Any]] = {
    "rename a chat": lambda user: edits.rename_chat(start(user, Choices(title="猫"), NOW), "Bread", NOW),
    "edit an agent": lambda user: edits.edit_agent(default_agent(user), {"name": "Poet", "mine": False}, NOW),
}


def rows(user_id):
    """Every row except the versions of facts, without counters that only grow. Relations are recomputed
    from their sources and get new ids."""
    found = dump(user_id)
    del found[HISTORY]
    known = found["memory.relation"].values()
    found["memory.relation"] = {"".join(str(row[name]) for name in RELATION): row for row in known}
    return {
        table: {
            key: {name: row[name] for name in row.keys() - GROWING - COMPUTED.get(table, set())}
            for key, row in each.items()
        }
        for table, each in found.items()
    }


@pytest.mark.parametrize("name", [*PALACE, *GRAPH, *FACTS, "consolidate"])
def test_undo_restores_every_row(as_alice, palace_drawers, name):
    before = rows(as_alice.id)
    handle, undo = do(name, palace_drawers)
    changed = rows(as_alice.id)
    check_counts(as_alice)
    undo(as_alice.id, handle)
    after = rows(as_alice.id)

    assert changed != before
    check_counts(as_alice)
    for table, kept in before.items():
        assert {key: after[table][key] for key in kept} == kept, table
        assert table in MAY_BE_NEW or after[table].keys() == kept.keys(), table
    assert not ActivityEvent.objects.filter(undone_at=None).exclude(kind="memory_mined").exists()


@pytest.mark.parametrize("name", CHAT)
def test_undo_restores_edited_chats_and_agents(as_alice, name):
    user = as_alice.id
    edit = CHAT[name](user)
    row = RowChange.objects.get()
    model = apps.get_model(row.table)
    assert model.objects.filter(id=row.row_id, **row.after).exists()
    edits.undo(user, edit.batch_id, NOW)
    assert model.objects.filter(id=row.row_id, **row.before).exists()


@pytest.mark.parametrize("name", ["rename a wing", "merge entities", "approve"])
def test_a_change_is_undone_once_by_its_owner_within_thirty_days(as_alice, bob, palace_drawers, name):
    handle, undo = do(name, palace_drawers)
    with tenant(bob.id), pytest.raises(NotFound):
        undo(bob.id, handle)
    log.expire(as_alice.id, NOW + log.UNDO_PERIOD)
    assert RowChange.objects.exists()
    undo(as_alice.id, handle)
    with pytest.raises(NotFound):
        undo(as_alice.id, handle)


def test_expired_changes_stay_as_history_without_user_text(as_alice, palace_drawers):
    handle, undo = do("annotate", palace_drawers)
    log.expire(as_alice.id, NOW + log.UNDO_PERIOD + timedelta(seconds=1))
    assert not RowChange.objects.exists()
    assert "mine" not in str(list(ChangeSet.objects.values()))
    with pytest.raises(NotFound):
        undo(as_alice.id, handle)


def test_only_a_later_change_of_the_same_column_prevents_undo(as_alice, palace_drawers):
    made = annotate(as_alice.id, palace_drawers[0].id, "mine", NOW)
    sets = log.undoable_in_batch(as_alice.id, log.Area.PALACE, made.batch_id)
    drawers = Drawer.objects.filter(id=palace_drawers[0].id)
    drawers.update(annotation="other")
    with pytest.raises(ChangedSince):
        log.undo(as_alice.id, sets, NOW)
    assert drawers.get().annotation == "other"
    drawers.update(annotation="mine", pinned=True)
    log.undo(as_alice.id, sets, NOW)
    assert drawers.get().annotation == ""


@pytest.mark.parametrize("area", log.Area)
def test_a_conflict_is_about_a_name_only_where_things_have_names(as_alice, monkeypatch, area):
    monkeypatch.setattr(log.rows, "check_references", Mock(side_effect=IntegrityError))
    made = log.record(as_alice.id, area, log.Change("renamed", "wing", as_alice.id, ()), NOW)
    with pytest.raises(ChangedSince) as caught:
        log.undo(as_alice.id, [made], NOW)
    assert ("has that name" in str(caught.value)) == (area in ("graph", "palace"))


def test_undo_skips_erased_rows(as_alice, palace_drawers):
    changes = Recording(as_alice.id)
    changes.change(palace_drawers, pinned=True)
    change = log.Change("pinned", "drawer", palace_drawers[0].id, tuple(changes.diffs))
    made = log.record(as_alice.id, log.Area.PALACE, change, NOW)
    palace_drawers[0].delete()
    arranging.undo(as_alice.id, made.batch_id, NOW)
    assert not Drawer.objects.filter(pinned=True).exists()


def test_undo_subtracts_its_difference_from_counters_changed_later(as_alice, palace_drawers):
    known = fact("Lives in Porto.")
    changes = Recording(as_alice.id)
    with changes.watch(Fact, [known.id], frozenset(("times_seen",))):
        Fact.objects.filter(id=known.id).update(times_seen=5)
    change = log.Change("decided", "fact", known.id, tuple(changes.diffs))
    made = log.record(as_alice.id, log.Area.FACTS, change, NOW)
    Fact.objects.filter(id=known.id).update(times_seen=7)
    log.undo(as_alice.id, [made], NOW)
    assert fact("Lives in Porto.").times_seen == 3


HOSTILE = '«茶» 🍵 e\u0301 " \' \\ \\u0000 \\x00 %s {} \u2028 \x01\t{"a": [null, "\\n"]}'


def test_a_removed_row_is_restored_exactly(as_alice, palace_drawers):
    made = add(palace_drawers[0], f"Likes {HOSTILE}", persons=["Ana, née Ø", HOSTILE], confidence=0.1 + 0.2)
    before = dump(as_alice.id)
    removed = [
        RowDiff(row._meta.label_lower, row.id, images(as_alice.id, type(row), [row.id])[row.id], None)
        for row in (made, made.sources.get())
    ]
    write(as_alice.id, removed)
    assert not Fact.objects.filter(id=made.id).exists()
    restore(as_alice.id, removed)
    assert dump(as_alice.id) == before
    restored = Fact.objects.get(id=made.id)
    assert (restored.statement, restored.persons[1]) == (f"Likes {HOSTILE}", HOSTILE)
    assert restored.confidence == 0.1 + 0.2


def test_nothing_is_written_if_one_row_has_changed(as_alice, palace_drawers):
    one, two = add(palace_drawers[0], "Likes rye."), add(palace_drawers[0], "Likes milk.")
    rows = [
        RowDiff("memory.fact", one.id, {"times_seen": 1}, {"times_seen": 2}),
        RowDiff("memory.fact", two.id, {"times_seen": 7}, {"times_seen": 8}),
    ]
    with pytest.raises(RowsChanged):
        write(as_alice.id, rows)
    seen = Fact.objects.filter(id__in=(one.id, two.id)).values_list("times_seen", flat=True)
    assert set(seen) == {1}


def test_write_rejects_existing_rows_rows_of_other_users_and_unknown_columns(as_alice, palace_drawers, bob):
    made = fact("Likes tea.")
    change = RowDiff("memory.fact", made.id, {"times_seen": 1}, {"times_seen": 2})
    for user_id in (bob.id, as_alice.id):
        with tenant(bob.id), pytest.raises(RowsChanged):
            write(user_id, [change])
    name = WingName.objects.first()
    image = images(as_alice.id, WingName, [name.id])[name.id]
    with pytest.raises(RowsChanged):
        write(as_alice.id, [RowDiff("memory.wingname", name.id, None, image)])
    values = {"times_seen = 9; --": 1}
    with pytest.raises(ValueError, match="no column"):
        write(as_alice.id, [RowDiff("memory.fact", made.id, values, values)])
