"""Entities can be edited, every edit is undone exactly, and concurrent edits leave the graph consistent."""

import random
from datetime import timedelta

import pytest
from django.db import transaction

from accounts.owned import NotFound
from accounts.tenancy import tenant
from memory.changes.log import ChangeRefused
from memory.forgetting.trash import delete, purge
from memory.forgetting.trash import undo as restore
from memory.graph import editing
from memory.graph.editing import Part
from memory.graph.orphans import orphans
from memory.graph.relations import add_source, relation_source
from memory.graph.resolution import add_alias, entity_for, find_entity
from memory.models import ActivityEvent, ChangeSet, Entity, EntityName, Relation
from memory.placement import lock_palace
from tests.at_once import at_once
from tests.memory.graph.people import rows
from tests.memory.palaces import MONDAY, file, relate

NOW = MONDAY + timedelta(days=100)
DAY = timedelta(days=1)


@pytest.fixture
def drawers(as_alice):
    """Relations of Robert and Bob, who are one person, to employers and acquaintances."""
    said = file(as_alice.id, [f"Line {number} of a chat about Bob." for number in range(8)])
    relate(said[0], "Robert", "works_at", "Acme", single_valued=True)
    relate(said[1], "Bob", "works_at", "Initech", single_valued=True, valid_from=MONDAY + 5 * DAY)
    relate(said[2], "Bob", "knows", "Ines")
    relate(said[3], "Ines", "knows", "Robert", valid_from=MONDAY + DAY)
    relate(said[4], "Ines", "knows", "Bob")
    relate(said[5], "Bob", "knows", "Robert")
    relate(said[6], "Bob", "works_at", "Acme", single_valued=True, valid_from=MONDAY - DAY)
    add_alias(entity(as_alice, "Bob"), "Bobby")
    ends = ("Bob", "person"), "knows", ("Ines", "person")
    add_source(relation_source(said[7], *ends, at=MONDAY + 9 * DAY, ends=True, confidence=0.9))
    return said


@pytest.fixture
def robert(as_alice, drawers):
    return entity(as_alice, "Robert")


@pytest.fixture
def bob(as_alice, drawers):
    return entity(as_alice, "Bob")


def entity(user, name):
    return find_entity(user.id, name)


def relations_of(entity_id):
    return tuple(Relation.objects.filter(subject_id=entity_id).values_list("id", flat=True))


def edges(user, name):
    entity_id = entity(user, name).id
    return sorted(
        f"{row.subject.name} {row.relation} {row.object.name} "
        f"{(row.valid_from - MONDAY).days}–{(row.valid_to - MONDAY).days if row.valid_to else ''}"
        for row in Relation.objects.filter(user_id=user.id, deleted_at=None)
        if entity_id in (row.subject_id, row.object_id)
    )


def test_names_can_be_changed(as_alice, robert, bob):
    editing.rename(as_alice.id, robert.id, "  Роберт   Смит ", NOW)
    robert.refresh_from_db()
    assert robert.name == "Роберт Смит"
    assert entity(as_alice, "robert") == entity(as_alice, "роберт смит") == robert
    assert EntityName.objects.filter(entity_id=robert.id, is_alias=False).count() == 1
    for name in ("BOB", "Bobby", "Bob"):
        editing.rename(as_alice.id, bob.id, name, NOW)
    assert EntityName.objects.filter(entity_id=bob.id).count() == 2
    editing.add_name(as_alice.id, bob.id, "鲍勃", NOW)
    assert entity(as_alice, "鲍勃") == bob
    editing.remove_name(as_alice.id, bob.id, EntityName.objects.get(name="Bobby").id, NOW)
    assert entity(as_alice, "Bobby") is None


def test_types_and_details_can_be_changed(as_alice, bob):
    acme = entity(as_alice, "Acme")
    editing.retype(as_alice.id, acme.id, "organisation", NOW)
    assert entity_for(as_alice.id, "ACME", "place") == acme
    assert entity(as_alice, "Acme").type == "organisation"
    for detail in ((" birthday ", "4  May"), ("birthday", "5 May"), ("shoe size", "43")):
        editing.set_detail(as_alice.id, bob.id, detail, NOW)
    assert entity(as_alice, "Bob").attributes == {"birthday": "5 May", "shoe size": "43"}
    editing.set_detail(as_alice.id, bob.id, ("birthday", " "), NOW)
    assert entity(as_alice, "Bob").attributes == {"shoe size": "43"}


def test_a_merge_joins_everything_and_its_undo_keeps_what_was_learned_since(as_alice, drawers, robert, bob):
    editing.set_detail(as_alice.id, bob.id, ("shoe size", "43"), NOW)
    before = rows(as_alice)
    edit = editing.merge(as_alice.id, robert.id, bob.id, NOW)
    assert {entity(as_alice, name) for name in ("Bob", "bobby", "Robert")} == {robert}
    assert edges(as_alice, "Robert") == [
        "Ines knows Robert 0–",
        "Robert knows Ines 0–9",
        "Robert works_at Acme -1–5",
        "Robert works_at Initech 5–",
    ]
    assert Relation.objects.get(relation="works_at", valid_to=None, deleted_at=None).sources.count() == 1
    assert entity(as_alice, "Robert").attributes == {"shoe size": "43"}
    with pytest.raises(NotFound):
        editing.rename(as_alice.id, bob.id, "Rob", NOW)
    deletion = delete(as_alice.id, "drawer", drawers[1].id, NOW)
    assert "Robert works_at Acme -1–" in edges(as_alice, "Robert")
    restore(as_alice.id, deletion.id, NOW)
    editing.undo(as_alice.id, edit.batch_id, NOW)
    assert rows(as_alice) == before

    edit = editing.merge(as_alice.id, robert.id, bob.id, NOW)
    relate(drawers[0], "Bob", "manages", "Zoe")
    editing.undo(as_alice.id, edit.batch_id, NOW)
    assert "Robert manages Zoe 0–" in edges(as_alice, "Robert")
    assert entity(as_alice, "Bobby") == bob


def test_a_split_moves_what_was_selected_and_its_undo_returns_names_added_since(as_alice, drawers, bob):
    work = Relation.objects.filter(subject_id=bob.id, relation="works_at")
    alias = EntityName.objects.get(name="Bobby")
    part = Part("Bob the builder", "person", tuple(work.values_list("id", flat=True)), (alias.id,))
    edit = editing.split(as_alice.id, bob.id, part, NOW)
    builder = entity(as_alice, "bobby")
    assert (builder.name, builder.id) == ("Bob the builder", edit.others[0])
    assert edges(as_alice, "Bobby") == [
        "Bob the builder works_at Acme -1–5",
        "Bob the builder works_at Initech 5–",
    ]
    assert [edge for edge in edges(as_alice, "Bob") if "works_at" in edge] == []

    knows = Relation.objects.get(subject_id=bob.id, relation="knows", object__name="Ines")
    edit = editing.split(as_alice.id, bob.id, Part("Bob", "animal", (knows.id,)), NOW)
    dog = entity_for(as_alice.id, "Bob", "animal")
    add_alias(dog, "Rex")
    relate(drawers[0], "Rex", "knows", "Zoe")
    relate(drawers[0], "Zoe", "knows", "Bobby")
    editing.undo(as_alice.id, edit.batch_id, NOW)
    assert entity_for(as_alice.id, "Rex", "animal") == bob
    assert not Entity.objects.filter(id=dog.id).exists()


REFUSED = [
    (lambda a, b, u: editing.rename(a, u, "Alice", NOW), "always"),
    (lambda a, b, u: editing.rename(a, b, " ‘’ ", NOW), "letters"),
    (lambda a, b, u: editing.rename(a, b, "Bob", NOW), "already"),
    (lambda a, b, u: editing.rename(a, b, "robert", NOW), "Something else"),
    (lambda a, b, u: editing.retype(a, b, "ghost", NOW), "no such kind"),
    (lambda a, b, u: editing.retype(a, b, "person", NOW), "already"),
    (lambda a, b, u: editing.retype(a, u, "person", NOW), "owner"),
    (lambda a, b, u: editing.set_detail(a, b, (" ", "x"), NOW), "needs a name"),
    (lambda a, b, u: editing.set_detail(a, b, ("x", ""), NOW), "already"),
    (lambda a, b, u: editing.add_name(a, b, "bobby", NOW), "already"),
    (lambda a, b, u: editing.add_name(a, b, "Ines", NOW), "Something else"),
    (lambda a, b, u: editing.add_name(a, b, "", NOW), "letters"),
    (lambda a, b, u: editing.remove_name(a, b, b, NOW), "no such"),
    (lambda a, b, u: editing.merge(a, b, b, NOW), "already merged"),
    (lambda a, b, u: editing.merge(a, b, u, NOW), "into you"),
    (lambda a, b, u: editing.split(a, b, Part("X", "person"), NOW), "Choose"),
    (lambda a, b, u: editing.split(a, b, Part("X", "ghost"), NOW), "no such kind"),
    (lambda a, b, u: editing.split(a, b, Part("Ines", "person", relations_of(b)), NOW), "Something else"),
]


def test_impossible_changes_are_refused_and_change_nothing(as_alice, bob):
    owner = entity_for(as_alice.id, "user")
    before = rows(as_alice)
    for change, reason in REFUSED:
        with pytest.raises(ChangeRefused, match=reason):
            change(as_alice.id, bob.id, owner.id)
    assert rows(as_alice) == before
    assert not ChangeSet.objects.exists()


def test_purging_drawers_removes_merged_entities_but_not_named_ones(as_alice, drawers, robert, bob):
    editing.merge(as_alice.id, robert.id, bob.id, NOW)
    lone = entity_for(as_alice.id, "Nemo", "person")
    editing.add_name(as_alice.id, lone.id, "Niemand", NOW)
    assert orphans(as_alice.id) == []
    for drawer in drawers:
        delete(as_alice.id, "drawer", drawer.id, NOW)
    assert orphans(as_alice.id) == []
    purge(as_alice.id, NOW + DAY)
    assert list(Entity.objects.values_list("name", flat=True)) == ["Nemo"]


@pytest.mark.parametrize(
    "seed", [*range(4), *(pytest.param(seed, marks=pytest.mark.drill) for seed in (4, 5))]
)
def test_random_edits_are_undone_one_by_one(as_alice, drawers, seed):
    chance, before, edits = random.Random(seed), rows(as_alice), []
    while len(edits) < 8:
        try:
            edits.append(_random_edit(as_alice.id, chance))
        except ChangeRefused:
            continue
    for edit in reversed(edits):
        editing.undo(as_alice.id, edit.batch_id, NOW)
    assert rows(as_alice) == before


def _random_edit(user_id, chance):
    one, other = chance.sample(list(Entity.objects.filter(merged_into_id=None).order_by("id")), 2)
    word = chance.choice(["Bo", "Ana", "Robert", "Київ", "Bobby"])
    type_ = chance.choice(editing.TYPES)
    names = list(EntityName.objects.filter(entity_id=one.id, is_alias=True))
    alias = chance.choice(names).id if names else one.id
    edges = [
        row.id
        for row in Relation.objects.filter(deleted_at=None).order_by("id")
        if one.id in (row.subject_id, row.object_id)
    ]
    edit, *given = chance.choice(
        [
            (editing.merge, other.id),
            (editing.split, Part(word, type_, tuple(edges[:2]), (alias,))),
            (editing.rename, word),
            (editing.retype, type_),
            (editing.add_name, word),
            (editing.remove_name, alias),
        ]
    )
    return edit(user_id, one.id, *given, NOW)


def test_an_edit_is_an_event_and_undone_once(as_alice, bob):
    edit = editing.rename(as_alice.id, bob.id, "Rob", NOW)
    event = ActivityEvent.objects.get(kind="graph_edited")
    assert (event.subject_id, event.at, event.undone_at) == (bob.id, NOW, None)
    assert "Rob" not in repr(event.details)
    assert [each.batch_id for each in editing.edits_of(as_alice.id, bob.id)] == [edit.batch_id]
    editing.undo(as_alice.id, edit.batch_id, NOW + DAY)
    event.refresh_from_db()
    assert event.undone_at == NOW + DAY
    assert editing.edits_of(as_alice.id, bob.id) == []
    with pytest.raises(NotFound):
        editing.undo(as_alice.id, edit.batch_id, NOW)


def test_an_edit_that_others_depend_on_is_not_undone(as_alice, drawers, robert, bob):
    alias = EntityName.objects.get(name="Bobby")
    removed = editing.remove_name(as_alice.id, bob.id, alias.id, NOW)
    relate(drawers[0], "Bobby", "knows", "Ines")
    before = rows(as_alice)
    with pytest.raises(ChangeRefused, match="has that name now"):
        editing.undo(as_alice.id, removed.batch_id, NOW)
    assert rows(as_alice) == before
    first = editing.rename(as_alice.id, bob.id, "Rob", NOW)
    editing.merge(as_alice.id, robert.id, bob.id, NOW)
    with pytest.raises(ChangeRefused, match="first"):
        editing.undo(as_alice.id, first.batch_id, NOW)


def run_concurrently(user, *calls):
    """Run these at the same time, each on its own connection; returns the sorted types of their results."""

    def run(number):
        with tenant(user.id):
            try:
                return calls[number]()
            except (NotFound, ChangeRefused) as error:
                return error

    return sorted(type(each).__name__ for each in at_once(run, len(calls)))


@pytest.mark.django_db(transaction=True)
def test_concurrent_merges_undos_and_mining_leave_a_consistent_graph(alice):
    with tenant(alice.id):
        drawer = file(alice.id, ["Bob and Robert know Ines."])[0]
        for name in ("Bob", "Robert"):
            relate(drawer, name, "knows", "Ines")
        one, other = (entity(alice, name).id for name in ("Bob", "Robert"))
        before = rows(alice)

    def merge(kept_id, merged_id):
        return lambda: editing.merge(alice.id, kept_id, merged_id, NOW)

    assert run_concurrently(alice, merge(one, other), merge(other, one)) == ["ChangeSet", "NotFound"]
    with tenant(alice.id):
        assert Entity.objects.filter(merged_into_id=None, type="person").count() == 2
        assert Relation.objects.filter(deleted_at=None).count() == 1
        edit = ChangeSet.objects.get()

    def undo():
        return editing.undo(alice.id, edit.batch_id, NOW)

    assert run_concurrently(alice, undo, undo) == ["AlreadyUndone", "ChangeSet"]
    with tenant(alice.id):
        assert rows(alice) == before
        edit = merge(one, other)()

    def add_relation():
        with transaction.atomic():
            lock_palace(alice.id)
            relate(drawer, "Robert", "manages", "Zoe")

    run_concurrently(alice, add_relation, undo)
    with tenant(alice.id):
        added = Relation.objects.get(relation="manages")
        assert added.subject_id in (one, other)
        assert not ChangeSet.objects.filter(undone_at=None).exists()
        kept = {key: row for key, row in rows(alice)["memory.relation"].items() if key != str(added.id)}
        assert kept == before["memory.relation"]
