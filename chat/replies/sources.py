"""The drawers recalled for a reply, as they are in the palace now."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models.functions import Left

from accounts.owned import NotFound
from chat.mining.transcripts import turns
from chat.models import Message
from memory.aaak import Pointer
from memory.drawers import drawer_id_of, message_id_of
from memory.facts.corrections import Correction, corrections_of
from memory.forgetting.tombstones import tombstoned
from memory.mining.pipeline import turn_digests
from memory.models import Drawer, RecallTrace
from memory.outgoing import MARGIN, Outgoing
from memory.pages.search.traces import Explanation, explain_hits
from memory.recall.feedback import not_relevant_in

SHOWN_CHARACTERS = 700
_NO_DRAWER: Mapping[str, Any] = {
    "deleted_at": None, "deletion_id": None, "pinned": False, "remark": "", "wing__name": "",
    "wing__kind": "",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Source:
    """A drawer recalled in the recall `trace_id`.

    `words` is empty if it was forgotten since; `cut` means that it continues. `deletion_id` undoes the
    forgetting, `correction` is set while its owner says that it is wrong, and `not_relevant` if they marked
    it as not relevant to this message. `unfiled_in` is the chat of a message that has no drawer yet.
    """

    trace_id: UUID
    drawer_id: UUID
    pointer: str
    wing: str
    wing_kind: str
    closet: str
    role: str
    said_at: datetime
    ground: Explanation
    words: str = ""
    cut: bool = False
    deletion_id: UUID | None = None
    pinned: bool = False
    not_relevant: bool = False
    remark: str = ""
    correction: Correction | None = None
    unfiled_in: UUID | None = None

    @property
    def correction_id(self) -> UUID | None:
        """The event by which its owner corrected it."""
        return self.correction.event_id if self.correction else None


def sources_of(user_id: UUID, trace_ids: Iterable[UUID]) -> dict[UUID, tuple[Source, ...]]:
    """The sources of each trace, best first."""
    traces = RecallTrace.objects.filter(user_id=user_id, id__in=set(trace_ids))
    hits = {trace.id: trace.hits for trace in traces.only("user_id", "id", "hits")}
    every = [hit for found in hits.values() for hit in found]
    drawers = _drawers(user_id, {hit["drawer_id"] for hit in every})
    said_in = {UUID(hit["drawer_id"]): hit["unfiled_in"] for hit in every if hit.get("unfiled_in")}
    waiting = {message_id_of(key): UUID(said_in[key]) for key in said_in.keys() - drawers}
    drawers |= _unfiled(user_id, waiting)
    why = iter(explain_hits(user_id, every))
    not_relevant, corrections = not_relevant_in(user_id, hits), corrections_of(user_id, drawers)

    def current(trace_id: UUID, hit: Mapping[str, Any]) -> Source:
        source = _source(trace_id, hit, drawers.get(UUID(hit["drawer_id"])), next(why))
        return replace(
            source,
            not_relevant=(trace_id, source.drawer_id) in not_relevant,
            correction=corrections.get(source.drawer_id),
        )

    return {trace_id: tuple(current(trace_id, hit) for hit in found) for trace_id, found in hits.items()}


def source_of(user_id: UUID, trace_id: UUID, drawer_id: UUID) -> Source:
    """One source of a trace as it is now. Raises NotFound."""
    for source in sources_of(user_id, [trace_id]).get(trace_id, ()):
        if source.drawer_id == drawer_id:
            return source
    raise NotFound


def _drawers(user_id: UUID, ids: set[str]) -> dict[UUID, Mapping[str, Any]]:
    """The recalled drawers as they are now; of long ones only the beginning is read."""
    if not ids:
        return {}
    rows = Drawer.objects.filter(user_id=user_id, id__in=ids).values(
        "id",
        "deleted_at",
        "deletion_id",
        "pinned",
        "wing__name",
        "wing__kind",
        "closet__name",
        "pointer_wing",
        "pointer_room",
        "pointer_drawer",
        words=Left("content", SHOWN_CHARACTERS + 1 + MARGIN),
        remark=Left("annotation", SHOWN_CHARACTERS),
    )
    out = Outgoing(user_id)
    return {row["id"]: row | {name: out.words(row[name]) for name in ("words", "remark")} for row in rows}


def _unfiled(user_id: UUID, wanted: Mapping[UUID, UUID]) -> dict[UUID, Mapping[str, Any]]:
    """The messages among these (with their chats) that have no drawer yet and were not forgotten, as they
    would be read with one."""
    if not wanted:
        return {}
    rows = Message.objects.filter(user_id=user_id, id__in=wanted, conversation__deleted_at=None)
    titles = dict(rows.values_list("id", "conversation__title"))
    said = [turn for turn in turns(rows) if turn.message_id in titles]
    digests = {turn.message_id: turn_digests(wanted[turn.message_id], turn) for turn in said}
    stones = tombstoned(user_id, [one for each in digests.values() for one in each])
    out = Outgoing(user_id)
    return {
        drawer_id_of(key): {
            **_NO_DRAWER,
            "closet__name": titles[key],
            "words": out.words(turn.content),
            "unfiled_in": wanted[key],
        }
        for turn in said
        for key in [turn.message_id]
        if stones.isdisjoint(digests[key])
    }


def _source(
    trace_id: UUID, hit: Mapping[str, Any], drawer: Mapping[str, Any] | None, ground: Explanation
) -> Source:
    live = drawer is not None and drawer["deleted_at"] is None
    words = drawer["words"] if drawer and live else ""
    return Source(
        trace_id=trace_id,
        drawer_id=UUID(hit["drawer_id"]),
        pointer=hit["pointer"] or _pointer(drawer),
        wing=drawer["wing__name"] if drawer else hit["wing"],
        wing_kind=drawer["wing__kind"] if drawer else hit["wing_kind"],
        closet=drawer["closet__name"] if drawer else hit["closet"],
        role=hit["role"],
        said_at=datetime.fromisoformat(hit["date"]),
        ground=ground,
        words=words[:SHOWN_CHARACTERS],
        cut=len(words) > SHOWN_CHARACTERS,
        deletion_id=drawer["deletion_id"] if drawer else None,
        pinned=bool(drawer and drawer["pinned"]),
        remark=drawer["remark"] if drawer and live else "",
        unfiled_in=drawer.get("unfiled_in") if drawer else None,
    )


def _pointer(drawer: Mapping[str, Any] | None) -> str:
    """The pointer of what was filed after it was recalled."""
    if drawer is None or "pointer_wing" not in drawer:
        return ""
    return str(Pointer(drawer["pointer_wing"], drawer["pointer_room"], drawer["pointer_drawer"]))
