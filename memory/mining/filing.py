"""File one mined window in a single transaction: drawers, words, vectors, facts, relations, event and
pointer."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from memory.changes.activity import record
from memory.drawers import file_drawers, placed
from memory.facts.similarity import NO_VECTORS, FactVectors
from memory.forgetting.tombstones import digests_of, tombstoned
from memory.mining.fact_filing import FiledFacts, file_facts
from memory.mining.progress import move_pointer
from memory.mining.transcripts import Transcript
from memory.mining.types import Extraction
from memory.models import ActivityEvent, Drawer, EmbeddingSpace, MinedWindow, Palace, Room
from memory.placement import (
    Source,
    closet_for,
    extend_room,
    locked_palace,
    mint_pointers,
    new_room,
    room_of_source,
    wing_for,
)
from memory.search.embedding import Embedded, file_embedded
from memory.text.digests import text_digest


class EmbeddingSpaceChanged(Exception):
    """The embedding space has changed since, so searches would never find these vectors."""


class ForgottenSince(Exception):
    """Part of the window was forgotten after it was read, so it must be read again."""


@dataclass(frozen=True, slots=True)
class MinedSpan:
    """Everything needed to file a window without calling a model. `topics` are those of the `drafts`.

    The vectors of `embedded` belong to `space`: the active space or, if its model was unavailable, the next
    one. If no model was available, there are no vectors, and `unembedded` says why."""

    transcript: Transcript
    first_sequence: int
    last_sequence: int
    extraction: Extraction
    drafts: tuple[Drawer, ...]
    topics: tuple[str, ...]
    tombstoned: int
    review_threshold: float
    space: EmbeddingSpace | None = None
    answers: bool = False
    embedded: Embedded = field(default_factory=Embedded)
    fact_vectors: FactVectors = NO_VECTORS
    unembedded: str = ""


def file_window(span: MinedSpan, now: datetime) -> UUID | None:
    """Store a mined window, advance the pointer, and return the event. Do nothing if the pointer is no
    longer at the start of the window. Raises EmbeddingSpaceChanged and ForgottenSince."""
    transcript = span.transcript
    with locked_palace(transcript.user_id) as palace:
        if span.space and span.answers and palace.active_space_id not in {None, span.space.id}:
            raise EmbeddingSpaceChanged
        _check_tombstones(span)
        if not move_pointer(transcript, span.first_sequence - 1, span.last_sequence, now):
            return None
        drawers = _file_drawers(palace, span)
        by_message = {drawer.source_message_id: drawer for drawer in drawers}
        filed_facts = file_facts(
            transcript, span.extraction, by_message, span.review_threshold, span.fact_vectors
        )
        _record_window(span, now)
        details, kind = _event_details(span, drawers, filed_facts), ActivityEvent.Kind.MINED
        return record(transcript.user_id, kind, details, now, subject_id=transcript.source_id).id


def _check_tombstones(span: MinedSpan) -> None:
    """Raise ForgottenSince if part of the window, which was read without a lock, has been forgotten."""
    said = [(draft.content, draft.said_at, draft.source_message_id) for draft in span.drafts]
    digests = [digest for each in said for digest in digests_of(*each)]
    digests.append(text_digest(str(span.transcript.source_id)))
    if span.drafts and tombstoned(span.transcript.user_id, digests):
        raise ForgottenSince


def _file_drawers(palace: Palace, span: MinedSpan) -> list[Drawer]:
    if not span.drafts:
        return []
    room = _room(palace, span)
    closets = {topic: closet_for(room, topic) for topic in dict.fromkeys(span.topics)}
    pointers = mint_pointers(room.wing, room, len(span.drafts))
    places = zip(span.drafts, span.topics, pointers, strict=True)
    ready = [placed(draft, room, closets[topic], pointer) for draft, topic, pointer in places]
    drawers = file_drawers(palace.user_id, ready)
    if span.space is not None:
        file_embedded(palace.user_id, span.space, span.embedded)
    return drawers


def _room(palace: Palace, span: MinedSpan) -> Room:
    source = Source(
        kind=span.transcript.source_kind,
        id=span.transcript.source_id,
        title=span.transcript.title,
        started_at=span.drafts[0].said_at,
        ended_at=max(draft.said_at for draft in span.drafts),
    )
    known = room_of_source(palace.user_id, source)
    if known is not None:
        return extend_room(known, source)
    guess = span.extraction.wing
    return new_room(wing_for(palace, guess.kind, guess.name), source)


def _record_window(span: MinedSpan, now: datetime) -> None:
    MinedWindow.objects.create(
        user_id=span.transcript.user_id,
        source_kind=span.transcript.source_kind,
        source_id=span.transcript.source_id,
        first_sequence=span.first_sequence,
        last_sequence=span.last_sequence,
        method=span.extraction.method,
        reason=span.extraction.fallback_reason,
        mined_at=now,
    )


def _event_details(span: MinedSpan, drawers: list[Drawer], filed_facts: FiledFacts) -> dict[str, Any]:
    return {
        **filed_facts.details(),
        "drawers": [drawer.id.hex for drawer in drawers],
        "buried": span.tombstoned,
        "method": span.extraction.method,
        "notes": [note for note in (*span.extraction.notes, span.unembedded) if note],
        "first_sequence": span.first_sequence,
        "last_sequence": span.last_sequence,
    }
