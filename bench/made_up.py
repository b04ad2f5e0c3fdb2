"""Synthetic chats, and palaces of any size filled with them quickly.

The chats depend on the seed alone. Loaded drawers are filed by the product's own functions, but their vectors
are mixed from a few real ones instead of being embedded one by one.
"""

import random
import tomllib
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from itertools import cycle, islice
from uuid import UUID

import numpy as np
from django.db import transaction
from uuid_utils.compat import uuid7

from accounts.tenancy import tenant
from bench.cases import DATA, BenchSession, BenchTurn
from llm import current
from llm.types import Vectors
from memory.drawers import file_drawers, new_drawer, placed
from memory.mining.transcripts import CONVERSATION
from memory.models import Drawer
from memory.placement import Source, closet_for, lock_palace, mint_pointers, room_for, wing_for
from memory.search.index import ChunkRow, file_vectors, space_for

TOPIC = "Everyday life"
POOL = 300
ROOMS_PER_TRANSACTION = 100

WORDS: dict[str, list[str]] = tomllib.loads((DATA / "made_up.toml").read_text(encoding="utf-8"))


def sessions(count: int, turns: int, seed: int, end: datetime) -> Iterator[BenchSession]:
    """`count` chats of `turns` messages each, one a day up to `end`."""
    chance = random.Random(seed)  # noqa: S311 - made-up words need no secrecy
    for number in range(count):
        yield BenchSession(
            key=f"made-up-{seed}-{number}",
            said_at=end - timedelta(days=count - number),
            turns=tuple(_turn(chance, index) for index in range(turns)),
        )


def questions(count: int, seed: int) -> Iterator[str]:
    """Questions about such chats."""
    chance = random.Random(seed)  # noqa: S311 - made-up words need no secrecy
    for _ in range(count):
        person, place, thing = _chosen(chance, "people", "places", "things")
        yield f"What did I do with {thing} when {person} was in {place}?"


class Loader:
    """Fills palaces of any size. Each vector is the middle of two real ones, so that some are near
    and some far, and few are equal."""

    def __init__(self, now: datetime, seed: int = 1) -> None:
        self._now = now
        self._seed = seed
        self._chance = np.random.default_rng(seed)
        texts = [turn.content for chat in sessions(1, POOL, 0, now) for turn in chat.turns]
        self._pool = current.embedder().embed_documents(texts).vectors

    def load(self, user_id: UUID, drawers: int, *, per_room: int = 20, wings: int = 20) -> None:
        """Add at least this many drawers, in full rooms spread evenly over the wings."""
        self._seed += 1
        chats = sessions(-(-drawers // per_room), per_room, self._seed, self._now)
        names = cycle(f"Subject {number}" for number in range(wings))
        with tenant(user_id):
            while some := list(islice(chats, ROOMS_PER_TRANSACTION)):
                with transaction.atomic():
                    self._file(user_id, [(next(names), chat) for chat in some])

    def _file(self, user_id: UUID, chats: Sequence[tuple[str, BenchSession]]) -> None:
        palace = lock_palace(user_id)
        drawers: list[Drawer] = []
        for name, chat in chats:
            wing = wing_for(palace, "topic", name)
            source = Source(CONVERSATION, uuid7(), chat.key, chat.said_at, chat.said_at)
            room = room_for(wing, source)
            closet = closet_for(room, TOPIC)
            pointers = mint_pointers(wing, room, len(chat.turns))
            said = zip(_drawers(user_id, source, chat), pointers, strict=True)
            drawers += [placed(drawer, room, closet, pointer) for drawer, pointer in said]
        filed = file_drawers(user_id, drawers)
        vectors = self._vectors(len(filed))
        rows = zip(filed, vectors, strict=True)
        space = space_for(current.embedder().model)
        file_vectors(user_id, space, [ChunkRow(each.id, 0, len(each.content), row) for each, row in rows])

    def _vectors(self, count: int) -> Vectors:
        one, other = (self._pool[self._chance.integers(len(self._pool), size=count)] for _ in range(2))
        mixed: Vectors = one + other
        mixed /= np.linalg.norm(mixed, axis=1, keepdims=True)
        return mixed


def _chosen(chance: random.Random, *kinds: str) -> list[str]:
    return [chance.choice(WORDS[kind]) for kind in kinds]


def _turn(chance: random.Random, index: int) -> BenchTurn:
    person, place, thing, doing = _chosen(chance, "people", "places", "things", "doings")
    if index % 2:
        advice = " ".join(_chosen(chance, *["advice"] * 5))
        return BenchTurn("assistant", f"{advice} Is {person} still in {place}?")
    number = chance.randrange(10, 900)
    (mood,) = _chosen(chance, "moods")
    story = f"When {person} was in {place} I {doing} {thing}, number {number} on my list."
    return BenchTurn("user", f"{story} {mood}")


def _drawers(user_id: UUID, source: Source, chat: BenchSession) -> Iterator[Drawer]:
    for step, turn in enumerate(chat.turns, start=1):
        yield new_drawer(
            user_id,
            turn.content,
            role=turn.role,
            said_at=chat.said_at + timedelta(minutes=step),
            source_kind=source.kind,
            source_id=source.id,
            source_message_id=uuid7(),
            source_sequence=step,
        )
