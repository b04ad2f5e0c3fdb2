import pytest
from django.db import DatabaseError, transaction

from jobs.actors import embed_missing
from llm.errors import EmbedderUnavailable
from memory.drawers import find_by_pointer
from memory.models import ActivityEvent, Drawer, DrawerVector, Wing
from memory.organize.notes import NOTE_LIMIT, Note, NoteRefused, save_note
from tests.drills.ledger import NOW

pytestmark = pytest.mark.usefixtures("embedder")


def test_a_note_is_filed_and_embedded_at_once_in_the_given_place(as_alice):
    drawer = save_note(as_alice.id, Note("Ask Olga.", wing="Olga", closet="To ask"), NOW)
    assert (drawer.wing.name, drawer.closet.name, drawer.role) == ("Olga", "To ask", "note")
    assert drawer.said_at == NOW
    assert DrawerVector.objects.get().drawer_id == drawer.id
    assert ActivityEvent.objects.get().kind == "note_saved"
    assert find_by_pointer(as_alice.id, drawer.pointer) == drawer


def test_notes_without_a_place_share_the_default_place_even_without_an_embedder(as_alice, embedder):
    embedder.fail_with(EmbedderUnavailable("Away."))
    invisible = Note("a\x00b", wing="\u202e", room="\u200b \u2060", closet="\u3164")
    one, two = (save_note(as_alice.id, note, NOW) for note in (Note("One."), invisible))
    assert one.closet_id == two.closet_id
    assert (one.pointer_drawer, two.pointer_drawer) == (1, 2)
    assert (two.wing.name, two.room.title, two.closet.name) == ("Notes", "Notes", "Notes")
    assert two.content == "a\ufffdb"
    assert not DrawerVector.objects.exists()


def test_a_long_note_is_embedded_by_a_job(as_alice, queued, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        drawer = save_note(as_alice.id, Note("Olga keeps bees. " * 500), NOW)
    assert not DrawerVector.objects.exists()
    assert queued() == [("embed_missing", (str(as_alice.id),))]
    embed_missing.fn(str(as_alice.id))
    assert {vector.drawer_id for vector in DrawerVector.objects.all()} == {drawer.id}


@pytest.mark.parametrize("text", ["", " \n\t", "x" * (NOTE_LIMIT + 1)])
def test_an_empty_or_too_long_note_is_rejected_and_leaves_no_rows(as_alice, text):
    with pytest.raises(NoteRefused) as refused:
        save_note(as_alice.id, Note(text), NOW)
    assert str(refused.value).endswith(".")
    assert not Wing.objects.exists()


@pytest.mark.parametrize("change", [{"content": "Other."}, {"pointer_drawer": 9}, {"role": "user"}])
def test_the_database_itself_keeps_drawers_verbatim(as_alice, change):
    drawer = save_note(as_alice.id, Note("One."), NOW)
    with pytest.raises(DatabaseError, match="verbatim"), transaction.atomic():
        Drawer.objects.filter(id=drawer.id).update(**change)
    Drawer.objects.filter(id=drawer.id).update(pinned=True)
