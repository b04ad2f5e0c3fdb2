from datetime import timedelta

import pytest

from llm import current
from llm.fake_gateway import FakeEmbedder
from memory.erasure import delete, undo
from memory.graph.assertion import Assertion, assert_relation, end_relation
from memory.graph.traversal import neighbourhood
from memory.models import Entity, Relation
from memory.notes import Note, save_note
from tests.drills.ledger import NOW

DAY = timedelta(days=1)


@pytest.fixture(autouse=True)
def embedder():
    with current.using(embedder=FakeEmbedder()):
        yield


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


def rows(user):
    names = [field.attname for field in Relation._meta.concrete_fields]
    return list(Relation.objects.filter(user_id=user.id).order_by("id").values_list(*names))


def test_swapping_a_single_valued_relation_ends_the_old_one_where_the_new_starts(as_alice):
    say(as_alice, "Acme", 0)
    say(as_alice, "Initech", 5)
    assert held(as_alice) == [("Acme", 0, 5), ("Initech", 5, None)]


def test_many_valued_ones_coexist(as_alice):
    say(as_alice, "Acme", 0, single=False)
    say(as_alice, "Initech", 5, single=False)
    assert held(as_alice) == [("Acme", 0, None), ("Initech", 5, None)]


def test_the_same_again_while_it_holds_adds_nothing(as_alice):
    say(as_alice, "Acme", 0)
    say(as_alice, "acme", 3)
    assert held(as_alice) == [("Acme", 0, None)]
    assert Entity.objects.filter(user_id=as_alice.id).count() == 2


@pytest.mark.parametrize("single", [True, False])
def test_an_older_statement_that_arrives_late_is_ended_already(as_alice, single):
    say(as_alice, "Acme", 10, single=single)
    say(as_alice, "Acme", 2, single=single)
    assert held(as_alice) == [("Acme", 2, 10), ("Acme", 10, None)]


def test_an_older_value_that_arrives_late_is_ended_already(as_alice):
    say(as_alice, "Initech", 10)
    say(as_alice, "Acme", 2)
    assert held(as_alice) == [("Acme", 2, 10), ("Initech", 10, None)]


def test_the_same_value_again_after_another(as_alice):
    for target, day in (("Acme", 0), ("Initech", 5), ("Acme", 9)):
        say(as_alice, target, day)
    assert held(as_alice) == [("Acme", 0, 5), ("Initech", 5, 9), ("Acme", 9, None)]


def test_values_that_change_within_one_instant(as_alice):
    """Chats imported without times say everything at once."""
    for target in ("Acme", "Initech", "Acme"):
        say(as_alice, target, 0)
    assert held(as_alice) == [("Acme", 0, None)]


def test_what_was_deleted_can_be_said_again_of_the_same_day(as_alice):
    first = say(as_alice, "Acme", 0)
    delete(as_alice.id, "drawer", first, NOW)
    assert held(as_alice) == []
    say(as_alice, "Acme", 0)
    assert held(as_alice) == [("Acme", 0, None)]


def test_deleting_the_words_reopens_what_they_ended_and_undo_brings_it_back(as_alice):
    say(as_alice, "Acme", 0)
    moved = say(as_alice, "Initech", 5)
    before = rows(as_alice)
    deletion = delete(as_alice.id, "drawer", moved, NOW)
    assert held(as_alice) == [("Acme", 0, None)]
    undo(as_alice.id, deletion.id, NOW)
    assert rows(as_alice) == before


def test_an_end_that_was_said_closes_the_relation(as_alice):
    say(as_alice, "Acme", 0, single=False)
    assert end_relation(as_alice.id, assertion(as_alice, "acme", 7)) == 1
    assert held(as_alice) == [("Acme", 0, 7)]
    assert end_relation(as_alice.id, assertion(as_alice, "Nowhere", 7)) == 0


def test_a_relation_with_an_end_of_its_own(as_alice):
    say(as_alice, "Acme", 0, until=4)
    say(as_alice, "Initech", 8)
    assert held(as_alice) == [("Acme", 0, 4), ("Initech", 8, None)]


def test_the_graph_as_it_was(as_alice):
    say(as_alice, "Acme", 0)
    say(as_alice, "Initech", 5)
    seen = neighbourhood(as_alice.id, "user", at=NOW + 4 * DAY)
    assert [edge.other for edge in seen.edges] == ["Acme"]
    seen = neighbourhood(as_alice.id, "user", at=NOW + 5 * DAY)
    assert [edge.other for edge in seen.edges] == ["Initech"]
    assert [edge.direction for edge in neighbourhood(as_alice.id, "ACME").edges] == ["in"]
    assert neighbourhood(as_alice.id, "Somebody else") is None
