"""Which of the drawers that were found may be told, with what their order is made from."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import NamedTuple
from uuid import UUID

from django.db import connection

from memory.feedback import MISFITTED
from memory.id_arrays import id_array
from memory.ledger import text_digest
from memory.recall.telling import SHORT_TOKENS
from memory.recall.types import RecallRequest

NOWHERE = UUID(int=0)
NO_WORDS_AT_ALL = b""


class Admitted(NamedTuple):
    """A drawer that may be told. `in_project` says that it belongs to the wing of the request;
    `misfitted` are the recalls whose question it did not fit, as its owner said; `short` are the
    words of a short message of the owner, empty for others."""

    id: UUID
    room_id: UUID
    role: str
    said_at: datetime
    pinned: bool
    in_project: bool
    misfitted: Sequence[UUID] | None
    short: str


def admitted(request: RecallRequest, drawer_ids: Sequence[UUID]) -> Iterator[Admitted]:
    """Those of these drawers that may be told, in the order of their ids: none that is in the
    trash, sensitive, of the running chat, the very message, or outside of what is asked about."""
    sql = f"""
        SELECT drawer.id, drawer.room_id, drawer.role,
          extract(epoch FROM drawer.said_at)::float8, drawer.pinned,
          drawer.wing_id = %(project)s, nullif({MISFITTED}, '{{}}'),
          CASE WHEN drawer.role = 'user' AND drawer.token_count <= {SHORT_TOKENS}
            THEN drawer.content ELSE '' END
        FROM memory_drawer drawer
        WHERE drawer.user_id = %(user)s AND drawer.id = ANY(%(ids)s::uuid[]) AND drawer.deleted_at IS NULL
          AND NOT drawer.sensitive AND drawer.source_id <> %(running)s
          AND NOT (drawer.role = 'user' AND drawer.content_hash = %(own)s)
          AND drawer.said_at < %(horizon)s AND {request.within.condition}
        ORDER BY drawer.id
    """  # noqa: S608 - made of constants only
    given = {
        "user": request.user_id,
        "ids": id_array(drawer_ids),
        "running": request.exclude_source_id or NOWHERE,
        "own": _own_words(request),
        "project": request.wing_id or NOWHERE,
        "horizon": request.horizon,
        **request.within.parameters,
    }
    with connection.cursor() as cursor:
        cursor.execute(sql, given)
        rows = cursor.fetchall()
    return (
        Admitted(id, room, role, datetime.fromtimestamp(at, UTC), *others)
        for id, room, role, at, *others in rows
    )


def _own_words(request: RecallRequest) -> bytes:
    """The digest of the message: what was asked before word for word is no answer to it. A search
    that somebody asked for finds it all the same."""
    return NO_WORDS_AT_ALL if request.asked else text_digest(request.message)
