from dataclasses import replace
from datetime import timedelta

import pytest

from memory.forgetting.trash import delete
from memory.graph.relations import Assertion, assert_relation, end_relation
from memory.graph.resolution import find_entity
from memory.graph.traversal import relations_of
from memory.models import Entity, Relation
from memory.organize.notes import Note, save_note
from tests.drills.ledger import NOW

DAY = timedelta(days=1)


pytestmark = pytest.mark.usefixtures("embedder")


def assertion(user, target, day, *, single=True, relation="works_at", until=None, drawer=None):
    drawer = drawer or save_note(user.id, Note(f"I work at {target} since {day}."), NOW)
    return Assertion(
        subject=("user", "person"),
        relation=relation,
        object=(target, "organisation"),
        valid_from=NOW + day * DAY,
        valid_to=None if until is None else NOW + until * DAY,
        single_valued=single,
        confidence=0.9,
        drawer_id=drawer.id,
    )


def say(user, target, day, **changes):
    made = assertion(user, target, day, **changes)
    assert_relation(user.id, made)
    return made.drawer_id


def held(user):
    rows = Relation.objects.filter(user_id=user.id, deleted_at=None)
    return [
        (row.object.name, (row.valid_from - NOW).days, row.valid_to and (row.valid_to - NOW).days)
        for row in rows.order_by("valid_from", "id")
        if row.valid_from != row.valid_to
    ]


def test_a_relation_said_again_adds_nothing_until_it_is_deleted_or_ended(as_alice):
    first = say(as_alice, "Acme", 0)
    delete(as_alice.id, "drawer", first, NOW)
    assert held(as_alice) == []
    say(as_alice, "Acme", 0)
    say(as_alice, "acme", 3)
    assert held(as_alice) == [("Acme", 0, None)]
    assert Entity.objects.filter(user_id=as_alice.id).count() == 2
    assert end_relation(as_alice.id, assertion(as_alice, "acme", 7)) == 1
    assert held(as_alice) == [("Acme", 0, 7)]
    assert end_relation(as_alice.id, assertion(as_alice, "Nowhere", 7)) == 0


def test_each_time_it_was_said_is_a_source_with_its_words(as_alice):
    drawer = save_note(as_alice.id, Note("I work at Acme."), NOW)
    made = replace(assertion(as_alice, "Acme", 0, drawer=drawer), span=(0, 14))
    relation = assert_relation(as_alice.id, made)
    assert assert_relation(as_alice.id, made) is None
    assert assert_relation(as_alice.id, assertion(as_alice, "Acme", 3)) is None
    first, second = relation.sources.order_by("at")
    assert (first.drawer_id, first.start, first.end) == (drawer.id, 0, 14)
    assert (second.at, second.start, second.edge_id) == (NOW + 3 * DAY, None, relation.id)


def test_the_graph_is_read_as_of_a_moment(as_alice):
    say(as_alice, "Acme", 0)
    say(as_alice, "Initech", 5)
    for day, employer in ((4, "Acme"), (5, "Initech")):
        found = relations_of(find_entity(as_alice.id, "user"), NOW + day * DAY)
        assert [edge.object.name for edge in found] == [employer]
    assert [edge.subject.name for edge in relations_of(find_entity(as_alice.id, "ACME"))] == ["user"]
    assert find_entity(as_alice.id, "Somebody else") is None
