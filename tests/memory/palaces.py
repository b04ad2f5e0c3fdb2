"""Builds palaces for tests through the product's own functions."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TypeVar
from uuid import UUID, uuid4

from django.db import transaction
from django.db.models import Model
from uuid_utils.compat import uuid7

from llm import current
from memory.aaak import Tags
from memory.drawers import file_drawers, new_drawer, placed
from memory.facts.filing import file_fact
from memory.facts.statements import Statement, new_fact
from memory.graph.relations import add_source, relation_source
from memory.mining.transcripts import CONVERSATION
from memory.models import Drawer, Fact, Relation
from memory.placement import Source, closet_for, lock_palace, mint_pointers, room_for, wing_for
from memory.search.embedding import DrawerText, embed_drawers, file_embedded
from memory.search.index import space_for

RowT = TypeVar("RowT", bound=Model)
MONDAY = datetime(2024, 5, 6, 9, 0, tzinfo=UTC)
TOOL_CHAT = (
    ("user", "Please deploy the bakery site to the new server."),
    ("assistant", 'shell {"command": "make deploy"}'),
    ("tool", "make: *** No rule\nError: target host not found\nbye"),
    ("assistant", 'I shall name the host.\nshell {"command": "make deploy HOST=oven-2"}'),
    ("tool", "Uploading… done, 0 errors."),
    ("assistant", "It is deployed: the host has to be named with HOST=oven-2."),
    ("user", "Great, that worked! Thanks."),
)


@dataclass(frozen=True, slots=True)
class Spot:
    """Where drawers are filed; the same `source_id` means the same room."""

    wing: str = "Bakery"
    kind: str = "project"
    room: str = "Sourdough"
    closet: str = "Starter"
    source_id: UUID | None = None
    source_kind: str = CONVERSATION
    start: datetime = MONDAY


def file(
    user_id: UUID,
    texts: Sequence[str],
    spot: Spot = Spot(),
    *,
    tags: Tags = Tags(),  # noqa: B008 - frozen
    role: str = "user",
) -> list[Drawer]:
    """File a drawer for each text, a minute apart, with words and vectors; returns them in order."""
    with transaction.atomic():
        drawers = file_drawers(user_id, _made(user_id, texts, spot, tags, role))
    embedder = current.embedder()
    written = [DrawerText(drawer.id, drawer.content, drawer.role) for drawer in drawers]
    file_embedded(user_id, space_for(embedder.model), embed_drawers(embedder, written))
    return drawers


def file_tool_chat(user_id: UUID) -> list[Drawer]:
    """File TOOL_CHAT message by message; returns its drawers in order."""
    spot = Spot(source_id=uuid4())
    return [file(user_id, [words], spot, role=role)[0] for role, words in TOOL_CHAT]


def learn(drawer: Drawer, words: str, statement: str, **given: object) -> Fact:
    """File a new fact whose source is these words of a drawer."""
    fact = state(drawer, words, statement, **given)
    assert fact is not None
    return fact


def state(drawer: Drawer, words: str, statement: str, **given: object) -> Fact | None:
    """File a statement whose source is these words of a drawer; None if it is known."""
    start = drawer.content.index(words)
    fields = {
        "kind": "preference",
        "key": statement[:100],
        "value": words,
        "predicate": "says",
        "object": words,
        "confidence": 0.9,
        "authority": "user",
        "valid_from": drawer.said_at,
    }
    with transaction.atomic():
        lock_palace(drawer.user_id)
        return file_fact(
            statement_in(drawer, (start, start + len(words)), statement=statement, **(fields | given))
        )


def statement_in(
    drawer: Drawer, span: tuple[int, int], *, ended: bool = False, **fields: object
) -> Statement:
    """A statement found by the built-in reader in a drawer."""
    return Statement(new_fact(drawer, **({"mined_by": "reader"} | fields)), drawer, span, ended)


def relate(drawer: Drawer, subject: str, relation: str, target: str, **given: object) -> Relation:
    """Assert a relation between two people whose source is a drawer."""
    names = {"valid_from": "at", "valid_to": "until"}
    fields = {"at": drawer.said_at, "confidence": 0.9} | {names.get(key, key): given[key] for key in given}
    with transaction.atomic():
        lock_palace(drawer.user_id)
        source = relation_source(drawer, (subject, "person"), relation, (target, "person"), **fields)
        add_source(source)
    return Relation.objects.get(sources=source)


def refreshed(row: RowT) -> RowT:
    """The same row with its current values."""
    row.refresh_from_db()
    return row


def _made(user_id: UUID, texts: Sequence[str], spot: Spot, tags: Tags, role: str) -> list[Drawer]:
    """Unsaved drawers; creates their places."""
    end = spot.start + timedelta(minutes=max(0, len(texts) - 1))
    source = Source(spot.source_kind, spot.source_id or uuid7(), spot.room, spot.start, end)
    room = room_for(wing_for(lock_palace(user_id), spot.kind, spot.wing), source)
    closet = closet_for(room, spot.closet)
    pointers = mint_pointers(room.wing, room, len(texts))
    made = [
        new_drawer(
            user_id,
            text,
            tags=tags,
            role=role,
            said_at=spot.start + timedelta(minutes=step),
            source_kind=source.kind,
            source_id=source.id,
            source_message_id=uuid7(),
            source_sequence=pointers[step].drawer,
        )
        for step, text in enumerate(texts)
    ]
    return [placed(drawer, room, closet, pointer) for drawer, pointer in zip(made, pointers, strict=True)]
