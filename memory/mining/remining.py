"""Reads a window again with a model that rules had read.

Drawers, their places and their pointers never change; only what is understood of them does. The
model is asked outside of any transaction, and all that comes of its answer commits in one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from llm.gateway import Completer
from memory.activity import Happening, record
from memory.facts import drop_endings, endings_in, reopen
from memory.graph.assertion import retract, sources_in
from memory.mining.extraction import Extracted
from memory.mining.pipeline import WindowJob, read_with
from memory.mining.replacement import Replacement, put_back, replace_by_model
from memory.mining.understanding import Understood, file_understanding
from memory.mining.waiting_windows import set_aside
from memory.models import ActivityEvent, Drawer, Fact, MinedWindow
from memory.placement import lock_palace
from memory.transcripts import Transcript


class NothingToTakeBack(Exception):
    """There is no such second reading, or it was taken back already."""


@dataclass(frozen=True, slots=True)
class Reread:
    """What a second reading left behind. `event_id` is None when the window stays as it was."""

    facts: int = 0
    relations: int = 0
    replaced: int = 0
    event_id: UUID | None = None


def read_again(job: WindowJob, window: MinedWindow, chat: Completer, now: datetime) -> Reread:
    """Have a model read the turns of a window and file what it understands.

    When its answer is of no use the window stays as the rules read it, and says why. Raises
    ModelError when the model cannot be had now.
    """
    readable, extracted = read_with(job, chat)
    if extracted.extraction.method == "model":
        return _file(readable, extracted, window, job.preferences.review_threshold, now)
    set_aside(_rows(window), extracted.why_rules)
    return Reread()


def take_back(user_id: UUID, event_id: UUID, now: datetime) -> None:
    """Undo a second reading: what it alone had found goes, and what had given way to it stands
    again. Raises NothingToTakeBack."""
    with transaction.atomic():
        lock_palace(user_id)
        event = ActivityEvent.objects.filter(
            user_id=user_id, id=event_id, kind=ActivityEvent.Kind.READ_AGAIN, undone_at=None
        ).first()
        if event is None:
            raise NothingToTakeBack
        _drop_facts(user_id, event.details["facts"], now)
        retract(user_id, event.details["evidence"])
        drop_endings(user_id, event.details["evidence"])
        for kept in event.details["replaced"]:
            put_back(user_id, _replacement(kept))
        windows = MinedWindow.objects.filter(user_id=user_id, id=event.details["window"])
        windows.update(method="rules", reason=MinedWindow.Reason.TAKEN_BACK)
        event.undone_at = now
        event.save(update_fields=("undone_at",))


def _file(
    readable: Transcript,
    extracted: Extracted,
    window: MinedWindow,
    review_threshold: float,
    now: datetime,
) -> Reread:
    user_id = window.user_id
    with transaction.atomic():
        lock_palace(user_id)
        if not _rows(window).filter(method="rules").exists():
            return Reread()
        drawers = _drawers(readable)
        drawer_ids = [drawer.id for drawer in drawers.values()]
        known = _evidence(user_id, drawer_ids)
        understood = file_understanding(readable, extracted.extraction, drawers, review_threshold)
        new = _evidence(user_id, drawer_ids) - known
        replaced = replace_by_model(user_id, drawer_ids)
        _rows(window).update(
            method="model", reason="", requested_at=None, attempts=0, next_attempt_at=None
        )
        event = record(user_id, _happening(window, understood, new, replaced), now)
    return Reread(understood.facts, understood.relations, len(replaced), event.id)


def _evidence(user_id: UUID, drawer_ids: Sequence[UUID]) -> set[UUID]:
    """What these drawers say of relations and of what is over, by the ids of the rows."""
    endings = endings_in(user_id, drawer_ids).values_list("id", flat=True)
    return sources_in(user_id, drawer_ids).union(endings)


def _rows(window: MinedWindow) -> QuerySet[MinedWindow]:
    return MinedWindow.objects.filter(user_id=window.user_id, id=window.id)


def _drawers(readable: Transcript) -> Mapping[UUID, Drawer]:
    """The drawers of these turns by message, without those in the trash."""
    drawers = Drawer.objects.live().filter(
        user_id=readable.user_id,
        source_kind=readable.source_kind,
        source_id=readable.source_id,
        source_message_id__in=[turn.message_id for turn in readable.turns],
    )
    return {drawer.source_message_id: drawer for drawer in drawers if drawer.source_message_id}


def _happening(
    window: MinedWindow,
    understood: Understood,
    new: set[UUID],
    replaced: list[Replacement],
) -> Happening:
    return Happening(
        kind=ActivityEvent.Kind.READ_AGAIN,
        subject_id=window.source_id,
        details={
            "window": str(window.id),
            "first_sequence": window.first_sequence,
            "last_sequence": window.last_sequence,
            "facts": [str(fact_id) for fact_id in understood.fact_ids],
            "relations": [str(relation_id) for relation_id in understood.relation_ids],
            "evidence": [str(each) for each in sorted(new)],
            "replaced": [_kept(each) for each in replaced],
            "for_review": understood.for_review,
            "refused": [{"item": item, "reason": reason} for item, reason in understood.refused],
        },
    )


def _kept(replacement: Replacement) -> dict[str, str]:
    return {name: str(value) for name, value in asdict(replacement).items()}


def _replacement(kept: Mapping[str, str]) -> Replacement:
    return Replacement(
        UUID(kept["fact_id"]), UUID(kept["by"]), kept["status"], kept["review_reason"]
    )


def _drop_facts(user_id: UUID, fact_ids: list[str], now: datetime) -> None:
    """They stay readable in the event's history, in no trash: a second undo is a third reading."""
    facts = Fact.objects.filter(user_id=user_id, id__in=fact_ids, deleted_at=None)
    gone = list(facts.values_list("id", flat=True))
    facts.update(deleted_at=now)
    reopen(user_id, gone)
