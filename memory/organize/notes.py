"""Notes: drawers that users write themselves."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _
from uuid_utils.compat import uuid7

from accounts.hooks import enqueue
from llm.errors import ModelError
from memory.changes.activity import record
from memory.drawers import file_drawers, new_drawer, placed
from memory.models import ActivityEvent, Drawer, Usage
from memory.placement import Source, closet_for, lock_palace, mint_pointers, room_for, wing_for
from memory.preferences import preferences_of
from memory.search.active_embedding import first_available, model_spaces
from memory.search.embedding import DrawerText, embed_drawers
from memory.search.embedding_backfill import file_backfilled
from memory.text.sanitizing import is_visible, storable
from memory.usage.quota import quota_of
from memory.usage.records import Purpose

NOTE = "note"
NOTE_LIMIT = 100_000
MAX_EMBEDDED_AT_ONCE = 1_500
"""Longer notes are embedded in the background, so that writing many does not block the site."""


class NoteRefused(ValueError):
    """The note cannot be saved; the message is a sentence for its writer."""


@dataclass(frozen=True, slots=True)
class Note:
    """What to save and where; the wing, room and closet are created if they are new."""

    text: str
    wing: str = "Notes"
    wing_kind: str = "topic"
    room: str = "Notes"
    closet: str = "Notes"


def save_note(user_id: UUID, note: Note, now: datetime) -> Drawer:
    """Save a note and embed it at once, or in the background if it is long.

    Raises NoteRefused if it is empty or too long, or the palace is full.
    """
    drawer = file_note(user_id, note, now)
    embed_note(drawer, now)
    return drawer


def file_note(user_id: UUID, note: Note, now: datetime) -> Drawer:
    """Save a note without its vectors, for transactions. Raises NoteRefused as `save_note` does."""
    text = storable(note.text).text
    if not text.strip():
        raise NoteRefused(_("The note is empty."))
    if len(text) > NOTE_LIMIT:
        message = _("A note can have at most %(most)s characters.")
        raise NoteRefused(message % {"most": f"{NOTE_LIMIT:,}"})
    with transaction.atomic():
        drawer = _file(user_id, note, text, now)
        details = {"drawer": str(drawer.id)}
        record(user_id, ActivityEvent.Kind.NOTE_SAVED, details, now, subject_id=drawer.id)
    return drawer


def embed_note(drawer: Drawer, now: datetime) -> None:
    """Embed a filed note, in the background if it is long. If the embedder is unavailable, the backfill does
    so later."""
    if len(drawer.content) > MAX_EMBEDDED_AT_ONCE:
        transaction.on_commit(lambda: enqueue("embed_missing", drawer.user_id))
        return
    try:
        purpose = Purpose(drawer.user_id, Usage.Source.EMBED, now)
        spaces = model_spaces(preferences_of(drawer.user_id).embedding_model, purpose)
        texts = [DrawerText(drawer.id, drawer.content, drawer.role)]
        space, embedded = first_available(
            spaces, lambda reader: (reader.space, embed_drawers(reader.embedder, texts))
        )
    except ModelError:
        return
    file_backfilled(drawer.user_id, space, embedded)


def _file(user_id: UUID, note: Note, text: str, now: datetime) -> Drawer:
    palace = lock_palace(user_id)
    quota = quota_of(user_id)
    if quota.is_full:
        raise NoteRefused(quota.words)
    wing = wing_for(palace, note.wing_kind, _name_or_default(note.wing))
    title = " ".join(_name_or_default(note.room).split())[:300]
    room = wing.rooms.filter(source_kind=NOTE, title=title).order_by("id").first()
    source_id = room.source_id if room else uuid7()
    room = room_for(wing, Source(NOTE, source_id, title, now, now))
    closet = closet_for(room, _name_or_default(note.closet))
    (pointer,) = mint_pointers(room.wing, room, 1)
    drawer = new_drawer(
        user_id,
        text,
        role=Drawer.Role.NOTE,
        said_at=now,
        source_kind=NOTE,
        source_id=room.source_id,
        source_message_id=uuid7(),
        source_sequence=pointer.drawer,
    )
    return file_drawers(user_id, [placed(drawer, room, closet, pointer)])[0]


def _name_or_default(name: str) -> str:
    return name if is_visible(name) else "Notes"
