"""Taking a second reading back."""

import pytest

from accounts.owned import NotFound
from accounts.tenancy import tenant
from chat.mining.reextraction import reextract_for_user
from llm import current
from memory.facts import current_facts
from memory.forgetting import trash
from memory.mining.reextraction import read_without_model, request_all, undo
from memory.models import ActivityEvent, Drawer, FactEnding, MinedWindow, Relation
from tests.drills.ledger import LONG, NOW, Clock, converse, mine
from tests.fake_gateway import FakeChat
from tests.memory.mining.answers import answer, edge, placed, stated

MOVED = stated(
    statement="The user lives in Zürich, Switzerland.", value="Zürich, Switzerland", object="Zürich"
)
READING = answer(turns=[placed()], facts=[MOVED], relations=[edge(relation="resides_in")])


pytestmark = pytest.mark.usefixtures("embedder")


@pytest.fixture
def event(as_alice):
    converse(as_alice.id, "I live in Zürich.")
    mine(as_alice.id)
    read(as_alice)
    return ActivityEvent.objects.get(kind="read_again")


def read(user):
    request_all(user.id, NOW)
    with current.using(chat=FakeChat([READING])):
        reextract_for_user(user.id, Clock(), LONG)


def statements(user):
    return list(current_facts(user.id).values_list("statement", flat=True))


def relations():
    return list(Relation.objects.filter(deleted_at=None).values_list("relation", "valid_to"))


def test_taken_back_it_is_as_the_rules_left_it(as_alice, event):
    assert statements(as_alice) == ["The user lives in Zürich, Switzerland."]
    undo(as_alice.id, event.id, NOW)
    assert statements(as_alice) == ["The user lives in Zürich."]
    assert [relation for relation, end in relations() if end is None] == ["lives_in"]
    window = MinedWindow.objects.get()
    assert (window.method, window.reason) == ("rules", "taken_back")
    event.refresh_from_db()
    assert event.undone_at == NOW


def test_it_can_be_read_again_after_that(as_alice, event):
    undo(as_alice.id, event.id, NOW)
    assert read_without_model(as_alice.id).count() == 1
    read(as_alice)
    assert statements(as_alice) == ["The user lives in Zürich, Switzerland."]


def test_what_it_said_to_be_over_holds_again(as_alice):
    converse(as_alice.id, "I live in Zürich.", "Good.", "Zürich was home until today.")
    mine(as_alice.id)
    over = stated(turn="t3", quote="Zürich was home until today", ended=True)
    request_all(as_alice.id, NOW)
    placements = [placed(f"t{number}") for number in (1, 2, 3)]
    with current.using(chat=FakeChat([answer(turns=placements, facts=[over])])):
        reextract_for_user(as_alice.id, Clock(), LONG)
    assert statements(as_alice) == []
    undo(as_alice.id, ActivityEvent.objects.get(kind="read_again").id, NOW)
    assert statements(as_alice) == ["The user lives in Zürich."]
    assert FactEnding.objects.count() == 0


def test_only_once_and_only_ones_own(as_alice, bob, event):
    with tenant(bob.id), pytest.raises(NotFound):
        undo(bob.id, event.id, NOW)
    with pytest.raises(NotFound):
        undo(as_alice.id, as_alice.id, NOW)
    undo(as_alice.id, event.id, NOW)
    with pytest.raises(NotFound):
        undo(as_alice.id, event.id, NOW)


def test_what_was_undone_does_not_return_from_the_trash_with_its_drawer(as_alice, event):
    undo(as_alice.id, event.id, NOW)
    deletion = trash.delete(as_alice.id, "drawer", Drawer.objects.get().id, NOW)
    assert statements(as_alice) == []
    trash.undo(as_alice.id, deletion.id, NOW)
    assert statements(as_alice) == ["The user lives in Zürich."]


def test_forgetting_the_drawer_forgets_both_readings_and_brings_back_the_last(as_alice, event):
    deletion = trash.delete(as_alice.id, "drawer", Drawer.objects.get().id, NOW)
    assert statements(as_alice) == []
    trash.undo(as_alice.id, deletion.id, NOW)
    assert statements(as_alice) == ["The user lives in Zürich, Switzerland."]
