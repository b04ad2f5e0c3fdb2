"""Creates drawers: verbatim text with its pointer, words and vectors."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from accounts.owned import first_or_raise
from llm.tokens import estimate_tokens
from memory.aaak import KINDS_OF_TAGS, Pointer, Tags, all_values
from memory.models import Closet, Drawer, Room
from memory.search.index import file_words
from memory.text.digests import text_digest
from memory.text.stemming import filed_forms
from memory.text.tokenization import index_text

INDEXED_CHARACTERS = 60_000
NO_TAGS = Tags()
_DRAWER_ID_MASK = 0xA5D3_97F1
"""A mask for the random bits of a UUIDv7, behind those that order ids."""


def new_drawer(user_id: UUID, content: str, *, tags: Tags = NO_TAGS, **values: Any) -> Drawer:
    """An unsaved drawer without a place yet."""
    return Drawer(
        user_id=user_id,
        content=content,
        content_hash=text_digest(content),
        token_count=estimate_tokens(content),
        **{kind: list(getattr(tags, kind)) for kind in KINDS_OF_TAGS},
        **values,
    )


def placed(drawer: Drawer, room: Room, closet: Closet, pointer: Pointer) -> Drawer:
    """The drawer, put into a closet of this room with its pointer."""
    drawer.wing_id, drawer.room_id, drawer.closet_id = room.wing_id, room.id, closet.id
    drawer.pointer_wing, drawer.pointer_room, drawer.pointer_drawer = (
        pointer.wing,
        pointer.room,
        pointer.drawer,
    )
    return drawer


def drawer_id_of(message_id: UUID) -> UUID:
    """The id of a message's drawer, whether filed yet or not, so that recall finds the same id before and
    after. It differs from the message's, which the ledger may keep when the drawer is forgotten."""
    return UUID(int=message_id.int ^ _DRAWER_ID_MASK)


def message_id_of(drawer_id: UUID) -> UUID:
    """The inverse of `drawer_id_of`."""
    return UUID(int=drawer_id.int ^ _DRAWER_ID_MASK)


def file_drawers(user_id: UUID, drawers: Sequence[Drawer]) -> list[Drawer]:
    """Store placed drawers and add their words to search. Vectors are stored separately.

    Call inside a transaction that holds the palace lock.
    """
    filed = Drawer.objects.bulk_create(drawers)
    file_words(user_id, [searchable_words(drawer) for drawer in filed])
    return filed


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
        user_id=user_id, pointer_wing=pointer.wing, pointer_room=pointer.room, pointer_drawer=pointer.drawer
    ).first()


def found_drawer(user_id: UUID, drawer_id: UUID) -> Drawer:
    """A drawer of this user with its place, in the trash or not. Raises NotFound."""
    found = Drawer.objects.filter(user_id=user_id, id=drawer_id)
    return first_or_raise(found.select_related("wing", "room", "closet"))
