"""Load the text and address of candidates, turning them into hits."""

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from datetime import UTC, datetime
from typing import Any, NamedTuple
from uuid import UUID

from django.utils.translation import gettext_noop

from llm.tokens import estimate_tokens
from memory.aaak import Pointer
from memory.models import holding_reworded
from memory.outgoing import Outgoing
from memory.recall.types import Candidate, Ended, Hit, RecallRequest, Unfiled
from memory.search.queries import id_array
from memory.sql import fetch_prepared
from memory.text.sanitizing import visible

MAX_REMARK_LENGTH, MAX_ENDED = 500, 2
NEIGHBOUR = gettext_noop("It is next to another recalled message.")

# Subqueries by key instead of joins: right after an import the planner's statistics mislead joins.
_PLACE_COLUMNS = """
  wing.name, wing.kind,
  (SELECT room.title FROM memory_room room
   WHERE room.user_id = drawer.user_id AND room.id = drawer.room_id),
  (SELECT closet.name FROM memory_closet closet
   WHERE closet.user_id = drawer.user_id AND closet.id = drawer.closet_id)
"""
_WING = """
LEFT JOIN LATERAL (SELECT name, kind FROM memory_wing
                   WHERE user_id = drawer.user_id AND id = drawer.wing_id LIMIT 1) AS wing ON TRUE
"""
_COLUMNS = f"""
  drawer.id, drawer.pointer_wing, drawer.pointer_room, drawer.pointer_drawer, drawer.role,
  drawer.said_at, drawer.content, drawer.token_count, drawer.room_id,
  left(drawer.annotation, {MAX_REMARK_LENGTH}), {_PLACE_COLUMNS}
"""
# The drawer's statements that are no longer true, each after its id and the second it ended; latest first.
_ENDED = """
ARRAY(SELECT fact.id || ' ' || extract(epoch FROM fact.valid_to)::bigint || ' ' || fact.statement
  FROM memory_factsource source
  JOIN memory_fact fact ON fact.user_id = source.user_id AND fact.id = source.fact_id
  WHERE source.user_id = drawer.user_id AND source.drawer_id = drawer.id AND fact.status = 'superseded'
    AND fact.merged_into_id IS NULL AND fact.deleted_at IS NULL AND fact.valid_to <= %(now)s
  ORDER BY fact.valid_to DESC, fact.id)
"""
_HITS = f"""
SELECT {{read}}, {{ended}} FROM memory_drawer drawer {_WING}
WHERE drawer.user_id = %(user)s AND drawer.id = ANY(%(ids)s::uuid[]) AND drawer.deleted_at IS NULL
"""  # noqa: S608 - made of the constant above only
_HITS_WITH_ENDINGS = _HITS.format(read=_COLUMNS, ended=_ENDED)
_HITS_WITHOUT_ENDINGS = _HITS.format(read=_COLUMNS, ended="ARRAY[]::text[]")
_NEIGHBOUR = """
  (SELECT id FROM memory_drawer near
   WHERE near.user_id = said.user_id AND near.room_id = said.room_id
     AND near.source_id = said.source_id AND near.deleted_at IS NULL AND NOT near.sensitive
     AND near.source_sequence {beyond} said.source_sequence
   ORDER BY near.source_sequence {order} LIMIT 1)
"""
_NEIGHBOURS = f"""
SELECT wanted.id, wanted.place, {_COLUMNS} FROM (
  SELECT said.id, beside.place, beside.id AS neighbour
  FROM memory_drawer said, LATERAL (VALUES
    (1, {_NEIGHBOUR.format(beyond=">", order="ASC")}),
    (2, {_NEIGHBOUR.format(beyond="<", order="DESC")})
  ) AS beside (place, id)
  WHERE said.user_id = %(user)s AND said.id = ANY(%(ids)s::uuid[])
) AS wanted
JOIN memory_drawer drawer ON drawer.user_id = %(user)s AND drawer.id = wanted.neighbour {_WING}
ORDER BY wanted.place
"""  # noqa: S608 - made of the constants above only


class _Row(NamedTuple):
    """A drawer row in the column order of `_COLUMNS`, and its statements that are no longer true."""

    id: UUID
    pointer_wing: int
    pointer_room: int
    pointer_drawer: int
    role: str
    said_at: datetime
    content: str
    token_count: int
    room_id: UUID
    remark: str
    wing_name: str
    wing_kind: str
    room_title: str
    closet_name: str
    ended: Sequence[str] = ()


def read_hits(
    request: RecallRequest, candidates: Sequence[Candidate], *, endings: bool = True
) -> tuple[Hit, ...]:
    """The candidates as hits with their text, in the same order; secrets are masked. With `endings`, each
    lists its statements that are no longer true."""
    ids = [candidate.drawer_id for candidate in candidates if candidate.unfiled is None]
    rows = _rows(_HITS_WITH_ENDINGS if endings else _HITS_WITHOUT_ENDINGS, request, ids) if ids else []
    drawers = {row.id: row for row in _without_rewordings(request, [_Row(*row) for row in rows])}
    out = Outgoing(request.user_id)
    return tuple(
        _unfiled_hit(candidate, unfiled, out)
        if unfiled
        else _drawer_hit(candidate, drawers[candidate.drawer_id], out)
        for candidate in candidates
        for unfiled in [candidate.unfiled]
        if unfiled is not None or candidate.drawer_id in drawers
    )


def _without_rewordings(request: RecallRequest, rows: list[_Row]) -> list[_Row]:
    """The rows without statements that still hold in the words of a later fact."""
    facts = [UUID(each.split(" ", 1)[0]) for row in rows for each in row.ended]
    holding = tuple(map(str, holding_reworded(request.user_id, facts, request.now))) if facts else ()
    if not holding:
        return rows
    return [row._replace(ended=[each for each in row.ended if not each.startswith(holding)]) for row in rows]


def _unfiled_hit(candidate: Candidate, unfiled: Unfiled, out: Outgoing) -> Hit:
    hit = _hit(candidate, unfiled.turn.content, out)
    return replace(hit, room=unfiled.title, tokens=estimate_tokens(hit.text))


def neighbours(request: RecallRequest, hits: Sequence[Hit]) -> Mapping[UUID, Sequence[Hit]]:
    """For each hit, by drawer id: the messages just after and just before it in the same room and chat."""
    ids = [hit.drawer_id for hit in hits]
    found: dict[UUID, list[Hit]] = {drawer_id: [] for drawer_id in ids}
    out = Outgoing(request.user_id)
    for drawer_id, _, *columns in _rows(_NEIGHBOURS, request, ids):
        row = _Row(*columns)
        beside = Candidate(row.id, row.room_id, row.role, row.said_at)
        found[drawer_id].append(_drawer_hit(beside, row, out, NEIGHBOUR))
    return found


def _rows(sql: str, request: RecallRequest, ids: Sequence[UUID]) -> list[tuple[Any, ...]]:
    return fetch_prepared(sql, {"user": request.user_id, "ids": id_array(ids), "now": request.now})


def _drawer_hit(candidate: Candidate, drawer: _Row, out: Outgoing, reason: str = "") -> Hit:
    return _hit(
        candidate,
        drawer.content,
        out,
        pointer=Pointer(drawer.pointer_wing, drawer.pointer_room, drawer.pointer_drawer),
        wing=drawer.wing_name,
        wing_kind=drawer.wing_kind,
        room=drawer.room_title,
        closet=drawer.closet_name,
        reason=reason,
        tokens=drawer.token_count + estimate_tokens(drawer.remark),
        remark=visible(out.words(drawer.remark)) if drawer.remark else "",
        ended=tuple(_ended(each, out) for each in drawer.ended[:MAX_ENDED]),
    )


def _hit(candidate: Candidate, content: str, out: Outgoing, **columns: Any) -> Hit:
    text, span = _masked(content, candidate.span, out)
    known = {each.name: getattr(candidate, each.name) for each in fields(Candidate)}
    return Hit(**{**known, "span": span}, text=text, **columns)


def _ended(row: str, out: Outgoing) -> Ended:
    _, until, statement = row.split(" ", 2)
    return Ended(visible(out.words(statement)), datetime.fromtimestamp(int(until), UTC))


def _masked(content: str, span: tuple[int, int], out: Outgoing) -> tuple[str, tuple[int, int]]:
    """The text with secrets masked, and the range of the best passage in it."""
    text = visible(out.words(content))
    if text == content or span[1] <= span[0]:
        return text, span
    before, passage = (visible(out.words(content, *part)) for part in ((0, span[0]), span))
    return text, (len(before), min(len(text), len(before) + len(passage)))
