"""Every change that can be undone is undone exactly: the same rows, column by column."""

from copy import copy
from datetime import timedelta
from unittest.mock import Mock

import pytest
from django.db import IntegrityError

from accounts.owned import NotFound
from accounts.tenancy import tenant
from memory.changes import log
from memory.changes.log import ChangedSince, Recording
from memory.changes.rows import RowDiff, RowsChanged, images, write
from memory.changes.rows import undo as restore
from memory.consolidation import application
from memory.drawers import find_by_pointer
from memory.facts.review import decisions
from memory.graph import editing
from memory.graph.resolution import add_alias, find_entity
from memory.models import (
    ActivityEvent,
    ChangeSet,
    Drawer,
    DrawerWords,
    EntityName,
    Fact,
    Relation,
    RowChange,
    WingName,
)
from memory.organize import arranging
from memory.organize.arranging import Destination, annotate, mark
from tests.conftest import create_user
from tests.memory.consolidation.dumps import dump
from tests.memory.consolidation.facts import add
from tests.memory.organize.places import check_counts, closet_of, room_of, wing_of
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
        add_alias(find_entity(alice.id, "Bob"), "Bobby")
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


def of(name):
    return EntityName.objects.get(name=name).entity_id


def fact(statement):
    return Fact.objects.get(statement=statement).id


def split(user):
    works = Relation.objects.filter(subject_id=of("Bob"), relation="works_at").values_list("id", flat=True)
    alias = EntityName.objects.get(name="Bobby").id
    return editing.split(
        user, of("Bob"), editing.Part("Bob the builder", "person", tuple(works), (alias,)), NOW
    )


PALACE = {
    "rename a wing": lambda user, one, other: arranging.rename(user, wing_of(one), "Loaves", NOW),
    "rename a room": lambda user, one, other: arranging.rename(user, room_of(one), "First", NOW),
    "rename a closet": lambda user, one, other: arranging.rename(user, closet_of(one), "Levain", NOW),
    "change kind": lambda user, one, other: arranging.change_kind(user, wing_of(one), "agent", NOW),
    "merge wings": lambda user, one, other: arranging.merge(user, wing_of(one), wing_of(other), NOW),
    "merge rooms": lambda user, one, other: arranging.merge(user, room_of(one), room_of(other), NOW),
    "move a room": lambda user, one, other: arranging.move(user, room_of(one), other.wing_id, NOW),
    "move a closet": lambda user, one, other: arranging.move(user, closet_of(one), other.room_id, NOW),
    "move drawers": lambda user, one, other: (
        arranging.move_drawers(user, [one.id], Destination(other.wing_id, "Crust"), NOW).edit
    ),
    "pin": lambda user, one, other: mark(user, one.id, "pinned", on=True, now=NOW),
    "hide": lambda user, one, other: mark(user, one.id, "sensitive", on=True, now=NOW),
    "annotate": lambda user, one, other: annotate(user, one.id, "mine", NOW),
}
GRAPH = {
    "rename an entity": lambda user: editing.rename(user, of("Robert"), " Роберт  Смит ", NOW),
    "rename to an alias": lambda user: editing.rename(user, of("Bob"), "Bobby", NOW),
    "retype": lambda user: editing.retype(user, of("Acme"), "organisation", NOW),
    "note a detail": lambda user: editing.set_detail(user, of("Bob"), ("born", "4 May"), NOW),
    "add a name": lambda user: editing.add_name(user, of("Bob"), "鲍勃", NOW),
    "remove a name": lambda user: editing.remove_name(
        user, of("Bob"), EntityName.objects.get(name="Bobby").id, NOW
    ),
    "merge entities": lambda user: editing.merge(user, of("Robert"), of("Bob"), NOW),
    "split": split,
}
FACTS = {
    "approve": lambda user: decisions.approve(user, [fact("Lives in Lisbon.")], NOW),
    "keep both": lambda user: decisions.keep_both(user, [fact("Lives in Lisbon.")], NOW),
    "reject": lambda user: decisions.reject(user, [each.id for each in Fact.objects.all()], NOW),
    "end": lambda user: decisions.end(user, fact("Lives in Porto."), MONDAY + DAY, NOW),
    "merge facts": lambda user: decisions.merge(user, fact("Lives in Lisbon."), fact("Lives in Porto."), NOW),
    "delete": lambda user: decisions.delete(user, [fact("Feeds the dough.")], NOW),
}


def do(name, drawers):
    """Make a change; returns its id and the function that undoes it."""
    user = drawers[0].user_id
    if name in PALACE:
        return PALACE[name](user, drawers[0], drawers[2]).batch_id, arranging.undo
    if name in GRAPH:
        return GRAPH[name](user).batch_id, editing.undo
    if name in FACTS:
        return FACTS[name](user).event_id, decisions.undo
    return application.consolidate(user, NOW).id, application.undo


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
    for drawer in palace_drawers:
        found = find_by_pointer(as_alice.id, drawer.pointer)
        words = DrawerWords.objects.get(user_id=as_alice.id, id=drawer.id)
        assert (found.id, words.room_id) == (drawer.id, found.room_id), "pointers and search follow"
    undo(as_alice.id, handle, NOW)
    after = rows(as_alice.id)

    assert changed != before
    check_counts(as_alice)
    for table, kept in before.items():
        assert {key: after[table][key] for key in kept} == kept, table
        assert table in MAY_BE_NEW or after[table].keys() == kept.keys(), table
    assert not ActivityEvent.objects.filter(undone_at=None).exclude(kind="memory_mined").exists()


@pytest.mark.parametrize("name", ["rename a wing", "merge entities", "approve"])
def test_a_change_is_undone_once_by_its_owner_within_thirty_days(as_alice, bob, palace_drawers, name):
    handle, undo = do(name, palace_drawers)
    with tenant(bob.id), pytest.raises(NotFound):
        undo(bob.id, handle, NOW)
    log.expire(as_alice.id, NOW + log.UNDO_PERIOD)
    assert RowChange.objects.exists()
    undo(as_alice.id, handle, NOW)
    with pytest.raises(NotFound):
        undo(as_alice.id, handle, NOW)


def test_expired_changes_stay_as_history_without_user_text(as_alice, palace_drawers):
    handle, undo = do("annotate", palace_drawers)
    log.expire(as_alice.id, NOW + log.UNDO_PERIOD + timedelta(seconds=1))
    assert not RowChange.objects.exists()
    assert "mine" not in str(list(ChangeSet.objects.values()))
    with pytest.raises(NotFound):
        undo(as_alice.id, handle, NOW)


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


def test_undo_skips_erased_rows_and_subtracts_its_difference_from_counters(as_alice, palace_drawers):
    changes = Recording(as_alice.id)
    changes.change(palace_drawers, pinned=True)
    seen = Fact.objects.filter(statement="Lives in Porto.")
    with changes.watch(Fact, [seen.get().id], frozenset(("times_seen",))):
        seen.update(times_seen=5)
    change = log.Change("pinned", "drawer", palace_drawers[0].id, tuple(changes.diffs))
    made = log.record(as_alice.id, log.Area.PALACE, change, NOW)
    palace_drawers[2].delete()
    seen.update(times_seen=7)
    arranging.undo(as_alice.id, made.batch_id, NOW)
    assert not Drawer.objects.filter(pinned=True).exists()
    assert seen.get().times_seen == 3


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


def seen_again(fact_id, before=1):
    return RowDiff("memory.fact", fact_id, {"times_seen": before}, {"times_seen": before + 1})


def test_nothing_is_written_if_a_row_changed_exists_or_belongs_to_another_user(as_alice, palace_drawers, bob):
    one, two = add(palace_drawers[0], "Likes rye."), add(palace_drawers[0], "Likes milk.")
    with pytest.raises(RowsChanged):
        write(as_alice.id, [seen_again(one.id), seen_again(two.id, 7)])
    seen = Fact.objects.filter(id__in=(one.id, two.id)).values_list("times_seen", flat=True)
    assert set(seen) == {1}
    for user_id in (bob.id, as_alice.id):
        with tenant(bob.id), pytest.raises(RowsChanged):
            write(user_id, [seen_again(one.id)])
    name = WingName.objects.first()
    image = images(as_alice.id, WingName, [name.id])[name.id]
    with pytest.raises(RowsChanged):
        write(as_alice.id, [RowDiff("memory.wingname", name.id, None, image)])
    values = {"times_seen = 9; --": 1}
    with pytest.raises(ValueError, match="no column"):
        write(as_alice.id, [RowDiff("memory.fact", one.id, values, values)])
