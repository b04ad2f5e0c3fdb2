"""Entities can be edited, every edit is undone exactly, and concurrent edits leave the graph consistent."""

import random

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
from memory.graph.resolution import add_alias, entity_for, find_entity
from memory.models import ActivityEvent, ChangeSet, Entity, EntityName, Relation
from memory.placement import lock_palace
from tests.at_once import at_once
from tests.memory.graph.people import DAY, NOW, edges, entity, rows
from tests.memory.palaces import file, relate


def test_entities_are_renamed_keeping_their_old_names(as_alice, drawers):
    robert, bob = entity(as_alice, "Robert"), entity(as_alice, "Bob")
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
    alias = EntityName.objects.get(name="Bobby")
    editing.remove_name(as_alice.id, bob.id, alias.id, NOW)
    assert entity(as_alice, "Bobby") is None


def test_types_and_details_can_be_changed(as_alice, drawers):
    acme, bob = entity(as_alice, "Acme"), entity(as_alice, "Bob")
    editing.retype(as_alice.id, acme.id, "organisation", NOW)
    assert entity_for(as_alice.id, "ACME", "place") == acme
    assert entity(as_alice, "Acme").type == "organisation"
    for detail in ((" birthday ", "4  May"), ("birthday", "5 May"), ("shoe size", "43")):
        editing.set_detail(as_alice.id, bob.id, detail, NOW)
    bob.refresh_from_db()
    assert bob.attributes == {"birthday": "5 May", "shoe size": "43"}
    editing.set_detail(as_alice.id, bob.id, ("birthday", " "), NOW)
    bob.refresh_from_db()
    assert bob.attributes == {"shoe size": "43"}


def test_merging_joins_names_relations_and_details(as_alice, drawers):
    robert, bob = entity(as_alice, "Robert"), entity(as_alice, "Bob")
    editing.set_detail(as_alice.id, bob.id, ("shoe size", "43"), NOW)
    editing.merge(as_alice.id, robert.id, bob.id, NOW)
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


def test_relations_added_after_a_merge_survive_its_undo(as_alice, drawers):
    robert, bob = entity(as_alice, "Robert"), entity(as_alice, "Bob")
    edit = editing.merge(as_alice.id, robert.id, bob.id, NOW)
    relate(drawers[0], "Bob", "manages", "Zoe")
    editing.undo(as_alice.id, edit.batch_id, NOW)
    assert "Robert manages Zoe 0–" in edges(as_alice, "Robert")
    assert entity(as_alice, "Bobby") == bob


def test_a_merge_is_undone_exactly_after_deleting_and_restoring_a_drawer(as_alice, drawers):
    robert, bob = entity(as_alice, "Robert"), entity(as_alice, "Bob")
    before = rows(as_alice)
    edit = editing.merge(as_alice.id, robert.id, bob.id, NOW)
    deletion = delete(as_alice.id, "drawer", drawers[1].id, NOW)
    assert "Robert works_at Acme -1–" in edges(as_alice, "Robert")
    restore(as_alice.id, deletion.id, NOW)
    editing.undo(as_alice.id, edit.batch_id, NOW)
    assert rows(as_alice) == before


def test_splitting_an_entity_moves_the_selected_relations_and_names(as_alice, drawers):
    bob = entity(as_alice, "Bob")
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
    assert not any("works_at" in edge for edge in edges(as_alice, "Bob"))


def test_undoing_a_split_returns_names_added_to_the_new_entity(as_alice, drawers):
    bob = entity(as_alice, "Bob")
    knows = Relation.objects.get(subject_id=bob.id, relation="knows", object__name="Ines")
    part = Part("Bob", "animal", (knows.id,))
    edit = editing.split(as_alice.id, bob.id, part, NOW)
    dog = entity(as_alice, "Bob", "animal")
    add_alias(dog, "Rex")
    relate(drawers[0], "Rex", "knows", "Zoe")
    relate(drawers[0], "Zoe", "knows", "Bobby")
    editing.undo(as_alice.id, edit.batch_id, NOW)
    assert entity(as_alice, "Rex", "animal") == bob
    assert not Entity.objects.filter(id=dog.id).exists()


REFUSED = [
    (lambda a, b, u: editing.rename(a.id, u.id, "Alice", NOW), "always"),
    (lambda a, b, u: editing.rename(a.id, b.id, " ‘’ ", NOW), "letters"),
    (lambda a, b, u: editing.rename(a.id, b.id, "Bob", NOW), "already"),
    (lambda a, b, u: editing.rename(a.id, b.id, "robert", NOW), "Something else"),
    (lambda a, b, u: editing.retype(a.id, b.id, "ghost", NOW), "no such kind"),
    (lambda a, b, u: editing.retype(a.id, b.id, "person", NOW), "already"),
    (lambda a, b, u: editing.retype(a.id, u.id, "person", NOW), "owner"),
    (lambda a, b, u: editing.set_detail(a.id, b.id, (" ", "x"), NOW), "needs a name"),
    (lambda a, b, u: editing.set_detail(a.id, b.id, ("x", ""), NOW), "already"),
    (lambda a, b, u: editing.add_name(a.id, b.id, "bobby", NOW), "already"),
    (lambda a, b, u: editing.add_name(a.id, b.id, "Ines", NOW), "Something else"),
    (lambda a, b, u: editing.add_name(a.id, b.id, "", NOW), "letters"),
    (lambda a, b, u: editing.remove_name(a.id, b.id, b.id, NOW), "no such"),
    (lambda a, b, u: editing.merge(a.id, b.id, b.id, NOW), "already merged"),
    (lambda a, b, u: editing.merge(a.id, b.id, u.id, NOW), "into you"),
    (lambda a, b, u: editing.split(a.id, b.id, Part("X", "person"), NOW), "Choose"),
    (lambda a, b, u: editing.split(a.id, b.id, Part("X", "ghost"), NOW), "no such kind"),
]


def test_impossible_changes_are_refused_and_change_nothing(as_alice, drawers):
    owner, bob = entity_for(as_alice.id, "user"), entity(as_alice, "Bob")
    before = rows(as_alice)
    for change, reason in REFUSED:
        with pytest.raises(ChangeRefused, match=reason):
            change(as_alice, bob, owner)
    assert rows(as_alice) == before
    assert not ChangeSet.objects.exists()


def test_purging_drawers_removes_merged_entities_but_not_named_ones(as_alice, drawers):
    robert, bob = entity(as_alice, "Robert"), entity(as_alice, "Bob")
    editing.merge(as_alice.id, robert.id, bob.id, NOW)
    lone = entity_for(as_alice.id, "Nemo", "person")
    editing.add_name(as_alice.id, lone.id, "Niemand", NOW)
    assert orphans(as_alice.id) == []
    for drawer in drawers:
        delete(as_alice.id, "drawer", drawer.id, NOW)
    assert orphans(as_alice.id) == []
    purge(as_alice.id, NOW + DAY)
    assert list(Entity.objects.values_list("name", flat=True)) == ["Nemo"]


@pytest.mark.parametrize("seed", range(6))
def test_random_edits_are_undone_one_by_one(as_alice, drawers, seed):
    chance, before, edits = random.Random(seed), rows(as_alice), []
    while len(edits) < 8:
        try:
            edits.append(_random_edit(as_alice, chance))
        except ChangeRefused:
            continue
    for edit in reversed(edits):
        editing.undo(as_alice.id, edit.batch_id, NOW)
    assert rows(as_alice) == before


def _random_edit(user, chance):
    entities = list(Entity.objects.filter(user_id=user.id, merged_into_id=None).order_by("id"))
    one, other = chance.sample(entities, 2)
    word = chance.choice(["Bo", "Ana", "Robert", "Київ", "Bobby"])
    names = list(EntityName.objects.filter(entity_id=one.id, is_alias=True))
    alias = chance.choice(names).id if names else one.id
    edges = [
        row.id
        for row in Relation.objects.filter(user_id=user.id, deleted_at=None).order_by("id")
        if one.id in (row.subject_id, row.object_id)
    ]
    part = Part(word, chance.choice(editing.TYPES), tuple(edges[:2]), (alias,))
    return chance.choice(
        [
            lambda: editing.merge(user.id, one.id, other.id, NOW),
            lambda: editing.split(user.id, one.id, part, NOW),
            lambda: editing.rename(user.id, one.id, word, NOW),
            lambda: editing.retype(user.id, one.id, chance.choice(editing.TYPES), NOW),
            lambda: editing.add_name(user.id, one.id, word, NOW),
            lambda: editing.remove_name(user.id, one.id, alias, NOW),
        ]
    )()


def test_an_edit_is_recorded_as_an_event_and_undone_once(as_alice, drawers):
    bob = entity(as_alice, "Bob")
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


def test_an_edit_that_later_changes_depend_on_cannot_be_undone(as_alice, drawers):
    robert, bob = entity(as_alice, "Robert"), entity(as_alice, "Bob")
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
    """Run these at the same time, each on its own connection; returns results and errors."""

    def run(number):
        with tenant(user.id):
            try:
                return calls[number]()
            except (NotFound, ChangeRefused) as error:
                return error

    return at_once(run, len(calls))


@pytest.fixture
def bob_and_robert(alice):
    """Alice's drawer about Bob and Robert, and their ids."""
    with tenant(alice.id):
        drawer = file(alice.id, ["Bob and Robert know Ines."])[0]
        for name in ("Bob", "Robert"):
            relate(drawer, name, "knows", "Ines")
        return [drawer, *(find_entity(alice.id, name).id for name in ("Bob", "Robert"))]


@pytest.mark.django_db(transaction=True)
def test_concurrent_merges_of_two_entities_into_each_other_leave_one(alice, bob_and_robert):
    _, one, other = bob_and_robert
    results = run_concurrently(
        alice,
        lambda: editing.merge(alice.id, one, other, NOW),
        lambda: editing.merge(alice.id, other, one, NOW),
    )
    assert sorted(type(each).__name__ for each in results) == ["ChangeSet", "NotFound"]
    with tenant(alice.id):
        assert Entity.objects.filter(merged_into_id=None, type="person").count() == 2
        assert Relation.objects.filter(deleted_at=None).count() == 1


@pytest.mark.django_db(transaction=True)
def test_a_relation_added_while_a_merge_is_undone_is_kept(alice, bob_and_robert):
    drawer, one, other = bob_and_robert
    with tenant(alice.id):
        before = rows(alice)
        edit = editing.merge(alice.id, one, other, NOW)

    def add_relation():
        with transaction.atomic():
            lock_palace(alice.id)
            relate(drawer, "Robert", "manages", "Zoe")

    run_concurrently(alice, add_relation, lambda: editing.undo(alice.id, edit.batch_id, NOW))
    with tenant(alice.id):
        added = Relation.objects.get(relation="manages")
        assert added.subject_id in (one, other)
        assert ChangeSet.objects.get().undone_at == NOW
        kept = rows(alice)["memory.relation"].items()
        assert {key: row for key, row in kept if str(added.id) not in row.values()} == before[
            "memory.relation"
        ]


@pytest.mark.django_db(transaction=True)
def test_concurrent_undos_of_one_edit_apply_once(alice):
    with tenant(alice.id):
        relate(file(alice.id, ["Rui knows Ines."])[0], "Rui", "knows", "Ines")
        before = rows(alice)
        edit = editing.rename(alice.id, find_entity(alice.id, "Rui").id, "Ruy", NOW)
    undo = [lambda: editing.undo(alice.id, edit.batch_id, NOW)] * 2
    results = run_concurrently(alice, *undo)
    assert sorted(type(each).__name__ for each in results) == ["AlreadyUndone", "ChangeSet"]
    with tenant(alice.id):
        assert rows(alice) == before
