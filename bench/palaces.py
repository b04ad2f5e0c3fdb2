"""Palaces for benchmarks, in a database of their own and mined by the product's own miner."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import islice
from uuid import UUID

from django.core.management import call_command
from django.db import connection, transaction
from psycopg import sql

from accounts.models import User
from accounts.tenancy import tenant
from bench.cases import BenchmarkImpossible, BenchSession, Case, opaque
from chat.mining.run import mine_user, unmined_messages
from chat.models import Conversation, Message
from memory.models import Drawer, Palace
from memory.placement import lock_palace
from memory.search.embedding_backfill import backfill
from memory.search.index import show
from memory.text.sanitizing import storable

MINED_ONCE = "mined once"
MINING_TIMEOUT = timedelta(hours=6)
EMBEDDED_AT_ONCE = 512
SESSIONS_PER_INSERT = 200

# In the order of their foreign keys; `%(chats)s` are conversation ids.
_ROOMS = "SELECT id FROM memory_room WHERE user_id = %(from)s AND source_id = ANY(%(chats)s)"
_WINGS = "SELECT wing_id FROM memory_room WHERE user_id = %(from)s AND source_id = ANY(%(chats)s)"
_DRAWERS = "SELECT id FROM memory_drawer WHERE user_id = %(from)s AND source_id = ANY(%(chats)s)"
_COPIED = {
    "chat_conversation": "id = ANY(%(chats)s)",
    "memory_wing": f"id IN ({_WINGS})",
    "memory_room": "source_id = ANY(%(chats)s)",
    "memory_closet": f"room_id IN ({_ROOMS})",
    "memory_drawer": "source_id = ANY(%(chats)s)",
    "memory_drawervector": f"drawer_id IN ({_DRAWERS})",
    "memory_sentencevectors": f"drawer_id IN ({_DRAWERS})",
    "memory_drawerwords": f"id IN ({_DRAWERS})",
}
_SEARCHED = {"memory_drawervector", "memory_drawerwords"}


@contextmanager
def own_database(name: str, *, keep: bool = False) -> Iterator[None]:
    """Work in a migrated database of this name, dropped afterwards unless it is to be kept."""
    usual = connection.settings_dict["NAME"]
    _create(name)
    _use(name)
    call_command("migrate", verbosity=0, interactive=False)
    connection.close()
    try:
        yield
    finally:
        _use(usual)
        if not keep:
            with connection._nodb_cursor() as cursor:
                drop = sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)")
                cursor.execute(drop.format(sql.Identifier(name)))


def owner_of(name: str) -> User:
    """The account whose palace holds the haystack of this name."""
    local = "".join(letter if letter.isalnum() else "-" for letter in name.lower())
    user, _ = User.objects.get_or_create(email=f"{local}@bench.invalid")
    return user


def filed_sessions(user_id: UUID) -> set[str]:
    """The keys of the sessions that a palace already holds."""
    with tenant(user_id):
        chats = Conversation.objects.filter(user_id=user_id)
        return {key for key in chats.values_list("external_id", flat=True) if key}


def ingest(user_id: UUID, sessions: Sequence[BenchSession], now: datetime) -> None:
    """Store the sessions that are new to this palace and mine everything.

    Raises BenchmarkImpossible if a message could not be mined.
    """
    known = filed_sessions(user_id)
    new = iter({each.key: each for each in sessions if each.key not in known}.values())
    with tenant(user_id):
        with transaction.atomic():
            while some := list(islice(new, SESSIONS_PER_INSERT)):
                chats = [_conversation(user_id, session) for session in some]
                Conversation.objects.bulk_create(chats)
                pairs = zip(chats, some, strict=True)
                Message.objects.bulk_create(each for chat, said in pairs for each in _messages(chat, said))
        mine_user(user_id, lambda: now, MINING_TIMEOUT)
        if unmined_messages(user_id):
            raise BenchmarkImpossible("Some messages of the haystack could not be mined.")
        while backfill(user_id, EMBEDDED_AT_ONCE, now):
            pass


def with_distinct_keys(case: Case) -> Case:
    """The case with keys that also depend on the words and date of each session, so that only equal
    sessions of different haystacks share a key."""
    return replace(case, sessions=tuple(map(_with_distinct_key, case.sessions)))


def copy_sessions(user_id: UUID, owner_id: UUID, case: Case) -> None:
    """Fill an empty palace with copies of a case's sessions from the palace of another account.

    Places, drawers, vectors and words are copied, and words counted anew. Facts, graph and profile
    are not: what follows from several chats cannot be separated.
    """
    keys = [session.key for session in case.sessions]
    with transaction.atomic():
        with tenant(owner_id):
            chats = Conversation.objects.filter(user_id=owner_id, external_id__in=keys)
            _take(user_id, owner_id, list(chats.values_list("id", flat=True)))
            active = Palace.objects.get(user_id=owner_id).active_space
        with tenant(user_id), connection.cursor() as cursor:
            lock_palace(user_id)
            Palace.objects.filter(user_id=user_id).update(active_space=active)
            for table in _COPIED:
                cursor.execute(f"INSERT INTO {table} SELECT * FROM copied_{table}")  # noqa: S608 - constants
            show(user_id, list(Drawer.objects.filter(user_id=user_id).values_list("id", flat=True)))


def _create(name: str) -> None:
    database = sql.Identifier(name)
    with connection._nodb_cursor() as cursor:
        cursor.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name])
        if cursor.fetchone() is None:
            cursor.execute(sql.SQL("CREATE DATABASE {}").format(database))
            cursor.execute(sql.SQL("ALTER DATABASE {} SET synchronous_commit = off").format(database))


def _use(name: str) -> None:
    connection.close()
    connection.settings_dict["NAME"] = name


def _conversation(user_id: UUID, session: BenchSession) -> Conversation:
    times = [turn.said_at or session.said_at for turn in session.turns]
    last = max(times, default=session.said_at)
    return Conversation(
        user_id=user_id,
        source=Conversation.Source.IMPORT,
        external_id=session.key,
        started_at=session.said_at,
        last_message_at=last,
        mine_requested_at=last,
        last_sequence=len(session.turns),
        head_sequence=len(session.turns),
    )


def _messages(chat: Conversation, session: BenchSession) -> Iterator[Message]:
    for number, turn in enumerate(session.turns, start=1):
        yield Message(
            user_id=chat.user_id,
            conversation_id=chat.id,
            sequence=number,
            parent_sequence=number - 1 or None,
            role=turn.role,
            content=storable(turn.content).text,
            said_at=turn.said_at or session.said_at,
        )


def _with_distinct_key(session: BenchSession) -> BenchSession:
    said = "\0".join(turn.content for turn in session.turns)
    return replace(session, key=opaque(f"{session.key}\0{session.said_at}\0{said}"))


def _take(user_id: UUID, owner_id: UUID, chats: list[UUID]) -> None:
    given: dict[str, UUID | list[UUID]] = {"from": owner_id, "to": user_id, "chats": chats}
    with connection.cursor() as cursor:
        for table, which in _COPIED.items():
            cursor.execute(
                f"CREATE TEMPORARY TABLE copied_{table} ON COMMIT DROP AS"  # noqa: S608 - constants
                f" SELECT * FROM {table} WHERE user_id = %(from)s AND {which}",
                given,
            )
            hidden = ", hidden = true" if table in _SEARCHED else ""  # counted when shown
            cursor.execute(f"UPDATE copied_{table} SET user_id = %(to)s{hidden}", given)  # noqa: S608
