"""Palaces of haystacks that share most of their chats, without mining a chat more than once.

Every different chat is mined, by the product itself, in the palace of one person; each haystack's
palace then gets copies of the rows of its chats. Wings, rooms, closets, drawers, vectors and words
are copied, and its words counted anew. Facts, graph and profile are not: what is known from several
chats cannot be told apart.
"""

from collections.abc import Iterable
from dataclasses import replace
from uuid import UUID

from django.db import connection, transaction

from accounts.tenancy import tenant
from bench.cases import BenchQuestion, BenchSession, Case, opaque
from chat.models import Conversation
from memory.index import show
from memory.models import Drawer, Palace
from memory.placement import lock_palace

NAME = "mined once"

# In the order in which they refer to each other; `%(chats)s` are conversations.
_ROOMS = "SELECT id FROM memory_room WHERE user_id = %(from)s AND source_id = ANY(%(chats)s)"
_DRAWERS = "SELECT id FROM memory_drawer WHERE user_id = %(from)s AND source_id = ANY(%(chats)s)"
_TABLES = {
    "chat_conversation": "id = ANY(%(chats)s)",
    "memory_wing": "id IN (SELECT wing_id FROM memory_room WHERE user_id = %(from)s"
    " AND source_id = ANY(%(chats)s))",
    "memory_room": "source_id = ANY(%(chats)s)",
    "memory_closet": f"room_id IN ({_ROOMS})",
    "memory_drawer": "source_id = ANY(%(chats)s)",
    "memory_drawervector": f"drawer_id IN ({_DRAWERS})",
    "memory_sentencevectors": f"drawer_id IN ({_DRAWERS})",
    "memory_drawerwords": f"id IN ({_DRAWERS})",
}
# Words are counted when they are shown.
_HIDDEN = {"memory_drawervector", "memory_drawerwords"}


def own(case: Case) -> Case:
    """The case with chats that are told apart by their words and their time, too."""
    return replace(case, sessions=tuple(map(_own_session, case.sessions)))


def _own_session(session: BenchSession) -> BenchSession:
    said = "\0".join(turn.content for turn in session.turns)
    return replace(session, key=opaque(f"{session.key}\0{session.said_at}\0{said}"))


def all_of(cases: Iterable[Case]) -> Case:
    """Every different chat of all haystacks, and all questions, as one case."""
    sessions: dict[str, BenchSession] = {}
    questions: list[BenchQuestion] = []
    for case in cases:
        sessions |= {session.key: session for session in own(case).sessions}
        questions += case.questions
    ordered = sorted(sessions.values(), key=lambda session: session.said_at)
    return Case(NAME, tuple(ordered), tuple(questions))


def furnish(user_id: UUID, owner_id: UUID, case: Case) -> None:
    """Give a person copies of the chats of a case (`own`) that another one's palace holds."""
    keys = [session.key for session in case.sessions]
    with transaction.atomic():
        with tenant(owner_id):
            chats = Conversation.objects.filter(user_id=owner_id, external_id__in=keys)
            _take(user_id, owner_id, list(chats.values_list("id", flat=True)))
            answering = Palace.objects.get(user_id=owner_id).answering
        with tenant(user_id):
            lock_palace(user_id)
            Palace.objects.filter(user_id=user_id).update(answering=answering)
            _put()
            drawers = Drawer.objects.filter(user_id=user_id)
            show(user_id, list(drawers.values_list("id", flat=True)))


def _take(user_id: UUID, owner_id: UUID, chats: list[UUID]) -> None:
    given: dict[str, UUID | list[UUID]] = {"from": owner_id, "to": user_id, "chats": chats}
    with connection.cursor() as cursor:
        for table, which in _TABLES.items():
            cursor.execute(
                f"CREATE TEMPORARY TABLE copied_{table} ON COMMIT DROP AS"  # noqa: S608 - constants
                f" SELECT * FROM {table} WHERE user_id = %(from)s AND {which}",
                given,
            )
            hidden = ", hidden = true" if table in _HIDDEN else ""
            cursor.execute(f"UPDATE copied_{table} SET user_id = %(to)s{hidden}", given)  # noqa: S608


def _put() -> None:
    with connection.cursor() as cursor:
        for table in _TABLES:
            cursor.execute(f"INSERT INTO {table} SELECT * FROM copied_{table}")  # noqa: S608
