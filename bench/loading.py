"""Fills palaces quickly with made-up drawers, a few thousand in a statement: words through the
product's own index, vectors mixed from real ones instead of being made one by one."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from uuid import UUID

from django.db import connection, transaction
from pgvector import HalfVector
from uuid_utils.compat import uuid7

from accounts.tenancy import tenant
from bench.cases import BenchSession
from bench.corpus import sessions
from llm import current
from memory.index import ChunkRow, WordsRow, file_vectors, file_words, space_for
from memory.lexical import index_text
from memory.models import Closet, EmbeddingSpace, Room, Wing
from memory.placement import lock_palace, wing_for
from memory.transcripts import CONVERSATION

TURNS = 20
WINGS = 20
POOL = 300
ROOMS_AT_ONCE = 250

DRAWERS = """
INSERT INTO memory_drawer (user_id, id, wing_id, room_id, closet_id, pointer_wing, pointer_room,
  pointer_drawer, role, speaker, content, content_hash, token_count, said_at, source_kind, source_id,
  source_message_id, source_sequence, people, places, events, items, times, mined_by, pinned,
  sensitive, annotation, created_at)
SELECT room.user_id, given.id, room.wing_id, room.id, closet.id, wing.ordinal, room.ordinal,
  given.step, given.role, '', given.content, sha256(convert_to(given.content, 'UTF8')),
  length(given.content) / 4, room.started_at + given.step * interval '1 minute', room.source_kind,
  room.source_id, given.id, given.step, '{}', '{}', '{}', '{}', '{}', 'rules', false, false, '',
  room.started_at
FROM unnest(%s::uuid[], %s::uuid[], %s::int[], %s::text[], %s::text[])
  AS given(id, room_id, step, role, content)
JOIN memory_room room ON room.user_id = %s AND room.id = given.room_id
JOIN memory_closet closet ON closet.user_id = room.user_id AND closet.room_id = room.id
JOIN memory_wing wing ON wing.user_id = room.user_id AND wing.id = room.wing_id
"""
VECTORS = """
INSERT INTO memory_drawervector (user_id, drawer_id, space_id, start, length, embedding, hidden)
SELECT %s, given.id, %s, 0, 100, l2_normalize(first.vector + second.vector), false
FROM (SELECT id, abs(hashint8(hashtextextended(id::text, 1))) AS one,
             abs(hashint8(hashtextextended(id::text, 2))) AS other
      FROM unnest(%s::uuid[]) AS id) AS given
JOIN bench_pool first ON first.number = given.one %% %s
JOIN bench_pool second ON second.number = given.other %% %s
ON CONFLICT DO NOTHING
"""


@dataclass(frozen=True, slots=True)
class Shape:
    """How drawers are spread: so many a room, and rooms in turn over so many wings."""

    drawers_a_room: int = TURNS
    wings: int = WINGS


USUAL = Shape()


@dataclass(frozen=True, slots=True)
class _Row:
    id: UUID
    room_id: UUID
    step: int
    role: str
    content: str


class Loader:
    """Makes palaces of any size. A drawer's vector is the middle of two real ones, so that there
    are near and far ones, and nearly as many different ones as drawers."""

    def __init__(self, now: datetime, seed: int = 1) -> None:
        self._now = now
        self._seed = seed
        _make_pool(now)

    def load(self, user_id: UUID, drawers: int, shape: Shape = USUAL) -> None:
        """Give a person so many more drawers, in whole rooms, with words and vectors."""
        with tenant(user_id):
            known = Room.objects.filter(user_id=user_id).count()
            turns = shape.drawers_a_room
            chats = sessions(-(-drawers // turns), turns, self._seed + known, self._now)
            while some := list(islice(chats, ROOMS_AT_ONCE)):
                with transaction.atomic():
                    _file(user_id, some, shape.wings)


def _file(user_id: UUID, chats: Sequence[BenchSession], wings: int) -> None:
    rooms = _rooms(user_id, chats, wings)
    rows = [row for room, chat in zip(rooms, chats, strict=True) for row in _rows(room, chat)]
    ids = [row.id for row in rows]
    with connection.cursor() as cursor:
        columns = (
            [row.room_id for row in rows],
            [row.step for row in rows],
            [row.role for row in rows],
            [row.content for row in rows],
        )
        cursor.execute(DRAWERS, [ids, *columns, user_id])
        space = space_for(current.embedder().model)
        _file_first(user_id, space, rows[0])
        cursor.execute(VECTORS, [user_id, space.id, ids, POOL, POOL])
    file_words(
        user_id, [WordsRow(row.id, row.room_id, index_text(row.content, 5_000)) for row in rows]
    )


def _file_first(user_id: UUID, space: EmbeddingSpace, row: _Row) -> None:
    """One vector by the product's own way, which notes the space that answers."""
    vector = current.embedder().embed_documents([row.content]).vectors[0]
    file_vectors(user_id, space, [ChunkRow(row.id, 0, len(row.content), vector)])


def _rooms(user_id: UUID, chats: Sequence[BenchSession], most_wings: int) -> list[Room]:
    palace = lock_palace(user_id)
    wings = [
        wing_for(palace, "topic", f"Subject {number}")
        for number in range(min(most_wings, len(chats)))
    ]
    made = {wing.id: wing.rooms_made for wing in wings}
    rooms = []
    for chat, wing in zip(chats, _again(wings), strict=False):
        made[wing.id] += 1
        rooms.append(_room(wing, made[wing.id], chat))
    Room.objects.bulk_create(rooms)
    Closet.objects.bulk_create(
        Closet(user_id=user_id, room_id=room.id, slug="everyday-life", name="Everyday life")
        for room in rooms
    )
    for wing in wings:
        wing.rooms_made = made[wing.id]
        wing.save(update_fields=["rooms_made"])
    return rooms


def _again(wings: Sequence[Wing]) -> Iterator[Wing]:
    while True:
        yield from wings


def _room(wing: Wing, ordinal: int, chat: BenchSession) -> Room:
    return Room(
        user_id=wing.user_id,
        wing_id=wing.id,
        ordinal=ordinal,
        drawers_made=len(chat.turns),
        title=chat.key,
        source_kind=CONVERSATION,
        source_id=uuid7(),
        started_at=chat.said_at,
        ended_at=chat.said_at,
    )


def _rows(room: Room, chat: BenchSession) -> Iterator[_Row]:
    for step, turn in enumerate(chat.turns, start=1):
        yield _Row(uuid7(), room.id, step, turn.role, turn.content)


def _make_pool(now: datetime) -> None:
    chats = sessions(POOL // TURNS, TURNS, 0, now)
    texts = [turn.content for chat in chats for turn in chat.turns]
    vectors = current.embedder().embed_documents(texts).vectors
    with connection.cursor() as cursor:
        cursor.execute("CREATE TEMP TABLE IF NOT EXISTS bench_pool (number int, vector halfvec)")
        cursor.execute(
            "INSERT INTO bench_pool SELECT * FROM unnest(%s::int[], %s::halfvec[])",
            [list(range(len(texts))), [HalfVector(vector).to_text() for vector in vectors]],
        )
