import pytest
from django.db import DatabaseError, transaction

from llm import current
from llm.errors import EmbedderUnavailable
from llm.fake_gateway import FakeEmbedder
from memory.drawers import find_by_pointer, pointer_of
from memory.models import ActivityEvent, Closet, Drawer, DrawerVector, Room, Wing
from memory.organize.notes import NOTE_LIMIT, Note, NoteRefused, save_note
from tests.drills.ledger import NOW


@pytest.fixture(autouse=True)
def embedder():
    fake = FakeEmbedder()
    with current.using(embedder=fake):
        yield fake


def test_a_note_is_filed_at_once_where_it_was_meant_to_go(as_alice):
    drawer = save_note(as_alice.id, Note("Ask Olga.", wing="Olga", closet="To ask"), NOW)
    assert (drawer.wing.name, drawer.closet.name, drawer.role) == ("Olga", "To ask", "note")
    assert drawer.said_at == NOW
    assert DrawerVector.objects.get().drawer_id == drawer.id
    assert ActivityEvent.objects.get().kind == "note_saved"
    assert find_by_pointer(as_alice.id, pointer_of(drawer)) == drawer


def test_a_second_note_goes_into_the_same_place(as_alice):
    one, two = (save_note(as_alice.id, Note(text), NOW) for text in ("One.", "Two."))
    assert one.closet_id == two.closet_id
    assert (one.pointer_drawer, two.pointer_drawer) == (1, 2)
    assert (Wing.objects.count(), Room.objects.count(), Closet.objects.count()) == (1, 1, 1)


@pytest.mark.parametrize("text", ["", " \n\t", "x" * (NOTE_LIMIT + 1)])
def test_a_note_that_cannot_be_kept_is_refused_and_leaves_nothing(as_alice, text):
    with pytest.raises(NoteRefused) as refused:
        save_note(as_alice.id, Note(text), NOW)
    assert str(refused.value).endswith(".")
    assert not Wing.objects.exists()


def test_what_the_database_cannot_keep_is_replaced(as_alice):
    assert save_note(as_alice.id, Note("a\x00b"), NOW).content == "a\ufffdb"


def test_without_an_embedder_the_note_is_kept(as_alice, embedder):
    embedder.fail_with(EmbedderUnavailable("Away."))
    save_note(as_alice.id, Note("One."), NOW)
    assert Drawer.objects.count() == 1
    assert not DrawerVector.objects.exists()


@pytest.mark.parametrize("change", [{"content": "Other."}, {"pointer_drawer": 9}, {"role": "user"}])
def test_the_database_itself_keeps_a_drawer_as_it_was_said(as_alice, change):
    drawer = save_note(as_alice.id, Note("One."), NOW)
    with pytest.raises(DatabaseError, match="verbatim"), transaction.atomic():
        Drawer.objects.filter(id=drawer.id).update(**change)
    Drawer.objects.filter(id=drawer.id).update(pinned=True)


def test_names_of_which_nothing_can_be_seen_are_none(as_alice):
    note = Note("Bread.", wing="\u202e", room="\u200b \u2060", closet="\u3164")
    drawer = save_note(as_alice.id, note, NOW)
    found = (drawer.wing.name, drawer.room.title, drawer.closet.name)
    assert found == ("Notes", "Notes", "Notes")
