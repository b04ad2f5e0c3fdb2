"""Creates drawers: verbatim text with its pointer, words and vectors."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from uuid_utils.compat import uuid7

from accounts.owned import first_or_raise
from llm.tokens import estimate_tokens
from memory.aaak import KINDS_OF_TAGS, Pointer, Tags, all_values
from memory.mining.progress import text_digest
from memory.models import Closet, Drawer, Room
from memory.search.index import file_words
from memory.text.stemming import filed_forms
from memory.text.tokenization import index_text

INDEXED_CHARACTERS = 60_000
_DRAWER_ID_MASK = 0xA5D3_97F1
"""A mask for the random bits of a UUIDv7, behind those that order ids."""


@dataclass(frozen=True, slots=True)
class DraftDrawer:
    """A drawer without a place yet: what was said, by whom, when, and its source."""

    content: str
    role: str
    said_at: datetime
    topic: str
    source_kind: str
    source_id: UUID
    source_message_id: UUID
    source_sequence: int
    tags: Tags = field(default_factory=Tags)
    speaker: str = ""
    id: UUID | None = None

    def with_id(self) -> UUID:
        """The id the drawer will have."""
        return self.id or uuid7()


@dataclass(frozen=True, slots=True)
class Place:
    """A closet with its room, and the pointer for a drawer in it."""

    room: Room
    closet: Closet
    pointer: Pointer


def drawer_id_of(message_id: UUID) -> UUID:
    """The id of a message's drawer, whether filed yet or not, so that recall finds the same id before and
    after. It differs from the message's, which the ledger may keep when the drawer is forgotten."""
    return UUID(int=message_id.int ^ _DRAWER_ID_MASK)


def message_id_of(drawer_id: UUID) -> UUID:
    """The inverse of `drawer_id_of`."""
    return UUID(int=drawer_id.int ^ _DRAWER_ID_MASK)


def file_drawers(user_id: UUID, drafts: Sequence[tuple[DraftDrawer, Place]]) -> list[Drawer]:
    """Store drawers and add their words to search. Vectors are stored separately.

    Call inside a transaction that holds the palace lock.
    """
    drawers = [_drawer(user_id, draft, place) for draft, place in drafts]
    Drawer.objects.bulk_create(drawers)
    file_words(user_id, [searchable_words(drawer) for drawer in drawers])
    return drawers


def searchable_words(drawer: Drawer) -> tuple[UUID, UUID, str]:
    """A row for `file_words`: the text of a drawer, its speaker and its tags."""
    tags = " ".join(all_values(drawer.tags))
    text = index_text(drawer.content, INDEXED_CHARACTERS)
    about = index_text(f"{drawer.speaker} {tags}", 5_000)
    other = filed_forms(drawer.content, INDEXED_CHARACTERS)
    return drawer.id, drawer.room_id, f"{about} {text} {other}".rstrip()


def find_by_pointer(user_id: UUID, pointer: Pointer) -> Drawer | None:
    """The drawer this pointer was minted for, wherever it is now, or None."""
    return Drawer.objects.filter(
        user_id=user_id,
        pointer_wing=pointer.wing,
        pointer_room=pointer.room,
        pointer_drawer=pointer.drawer,
    ).first()


def found_drawer(user_id: UUID, drawer_id: UUID) -> Drawer:
    """A drawer of this user with its place, in the trash or not. Raises NotFound."""
    found = Drawer.objects.filter(user_id=user_id, id=drawer_id)
    return first_or_raise(found.select_related("wing", "room", "closet"))


def _drawer(user_id: UUID, draft: DraftDrawer, place: Place) -> Drawer:
    return Drawer(
        user_id=user_id,
        id=draft.with_id(),
        wing_id=place.room.wing_id,
        room_id=place.room.id,
        closet_id=place.closet.id,
        pointer_wing=place.pointer.wing,
        pointer_room=place.pointer.room,
        pointer_drawer=place.pointer.drawer,
        role=draft.role,
        speaker=draft.speaker[:120],
        content=draft.content,
        content_hash=text_digest(draft.content),
        token_count=estimate_tokens(draft.content),
        said_at=draft.said_at,
        source_kind=draft.source_kind,
        source_id=draft.source_id,
        source_message_id=draft.source_message_id,
        source_sequence=draft.source_sequence,
        **{kind: list(getattr(draft.tags, kind)) for kind in KINDS_OF_TAGS},
    )
