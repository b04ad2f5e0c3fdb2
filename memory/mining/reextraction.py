"""Extract windows again with a model after only the built-in reader has read them.

Only facts and relations change; drawers, their places and pointers never do. The model is called outside
of any transaction, and the result is committed in one.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from types import TracebackType
from uuid import UUID

import structlog
from django.db.models import F, Q, QuerySet
from django.utils.translation import gettext_noop

from accounts.owned import first_or_raise
from llm.errors import ModelError, ModelUnavailable
from llm.gateway import Completer
from memory.changes.activity import record
from memory.changes.log import AlreadyUndone
from memory.facts.endings import endings_in
from memory.facts.validity import copy_sources, drop_endings, same_statement, settle_around, settle_without
from memory.graph.relations import retract, sources_in
from memory.mining.fact_filing import file_facts
from memory.mining.pipeline import WindowJob, extract_with_model
from memory.mining.progress import is_failure, requested_delay
from memory.mining.transcripts import Transcript
from memory.mining.types import Extraction
from memory.models import ActivityEvent, Drawer, Fact, FactEnding, FactSource, MinedWindow
from memory.placement import locked_palace

REASON = gettext_noop("A model read the source again and reworded it.")
RESTORED = ("status", "valid_to", "superseded_by_id", "merged_into_id", "review_reason")
IN_FORCE = (Fact.Status.ACTIVE, Fact.Status.PENDING)
_LIVE_OR_IN_TRASH = Q(deleted_at=None) | Q(deletion_id__isnull=False)
"""Facts that are not deleted, or are in the trash and may be restored."""


Replacement = Mapping[str, str]
"""A fact that was replaced by another, with its previous status and reason for review, for the event."""


def replace_by_model(user_id: UUID, drawer_ids: Sequence[UUID]) -> list[Replacement]:
    """Replace the reader's facts of these drawers with those a model found in the same words.

    A replaced fact is superseded from the moment it began, as if it had never been true in that wording,
    and its other sources move to the new fact. Must run in a transaction that holds the palace lock.
    """
    sources = FactSource.objects.filter(
        user_id=user_id, drawer_id__in=drawer_ids, fact__deleted_at=None
    ).select_related("fact")
    known = list(sources.order_by("drawer_id", "start", "id"))
    replaced = [_replace(old.fact, new.fact) for old, new in _pairs(known)]
    settle_around(user_id, [UUID(pair[name]) for pair in replaced for name in ("fact_id", "by")])
    return replaced


def _pairs(known: Iterable[FactSource]) -> Iterator[tuple[FactSource, FactSource]]:
    by_reader = [
        each
        for each in known
        if each.fact.mined_by == "reader"
        and each.fact.status in IN_FORCE
        and each.fact.version == 1  # keep what the owner has edited
    ]
    by_model = [
        each for each in known if each.fact.mined_by == "model" and each.fact.status != Fact.Status.REJECTED
    ]
    gone: set[UUID] = set()
    for old in by_reader:
        for new in by_model:
            encloses = new.drawer_id == old.drawer_id and new.start <= old.start and old.end <= new.end
            if old.fact_id not in gone and encloses and _is_equivalent(new, old):
                gone.add(old.fact_id)
                yield old, new


def _is_equivalent(new: FactSource, old: FactSource) -> bool:
    model, reader = new.fact, old.fact
    would_hide = model.status == Fact.Status.PENDING and reader.status == Fact.Status.ACTIVE
    if model.kind != reader.kind or would_hide:
        return False
    return (
        model.key == reader.key
        or _contains(reader.object, model.statement)
        or _contains(model.object, reader.statement)
        or _is_translated(new, old)
    )


def _contains(words: str, text: str) -> bool:
    phrase = " ".join(words.casefold().split())
    return bool(phrase) and phrase in " ".join(text.casefold().split())


def _is_translated(new: FactSource, old: FactSource) -> bool:
    """Whether a model translated the reader's fact, which keeps the user's script, from the same words."""
    same_words = (new.start, new.end) == (old.start, old.end)
    return same_words and not old.fact.object.isascii() and new.fact.object.isascii()


def _replace(old: Fact, new: Fact) -> Replacement:
    replacement = {
        "fact_id": str(old.id),
        "by": str(new.id),
        "status": str(old.status),
        "review_reason": old.review_reason,
    }
    old.status = Fact.Status.SUPERSEDED
    old.valid_to, old.superseded_by_id, old.review_reason = old.valid_from, new.id, REASON
    old.merged_into_id = new.id
    old.save(update_fields=RESTORED)
    _transfer_sources(old, new)
    return replacement


def reactivate(user_id: UUID, replacement: Replacement) -> None:
    """Reactivate a replaced fact, unless it was reviewed or deleted since."""
    facts = Fact.objects.filter(_LIVE_OR_IN_TRASH, user_id=user_id, id=replacement["fact_id"])
    fact = facts.filter(status=Fact.Status.SUPERSEDED, superseded_by_id=replacement["by"]).first()
    if fact is None or same_statement(fact).exists():
        return
    fact.status, fact.review_reason = replacement["status"], replacement["review_reason"]
    fact.valid_to = fact.superseded_by_id = fact.merged_into_id = None
    fact.save(update_fields=RESTORED)
    settle_around(user_id, [fact.id])


def _transfer_sources(old: Fact, new: Fact) -> None:
    """Add the other sources of the old wording to the new fact."""
    there = set(new.sources.values_list("drawer_id", flat=True))
    others = [each for each in old.sources.all() if each.drawer_id not in there]
    copy_sources(others, new.id)
    if others:
        facts = Fact.objects.filter(user_id=old.user_id, id=new.id)
        facts.update(times_seen=F("times_seen") + len(others))


PAUSES = tuple(timedelta(seconds=seconds) for seconds in (4, 20, 60, 300, 1_200, 3_600))
MAX_ATTEMPTS = 30
MAX_ATTEMPT_COUNT = 1000
UNAVAILABLE_PAUSE = timedelta(minutes=5)
OTHER_WINDOWS_PAUSE = timedelta(minutes=1)

log = structlog.get_logger(__name__)


def read_without_model(user_id: UUID) -> QuerySet[MinedWindow]:
    """Windows in which a model may find more than the reader has."""
    windows = MinedWindow.objects.filter(user_id=user_id, method="reader")
    return windows.exclude(reason=MinedWindow.Reason.NOTHING)


def waiting(user_id: UUID) -> QuerySet[MinedWindow]:
    """Windows waiting to be extracted again: requested, or postponed until the model is available."""
    wanted = Q(requested_at__isnull=False) | Q(reason__in=MinedWindow.TEMPORARY)
    return MinedWindow.objects.filter(wanted, user_id=user_id, method="reader")


def due(user_id: UUID, now: datetime) -> QuerySet[MinedWindow]:
    """Waiting windows whose pause is over."""
    return waiting(user_id).filter(Q(next_attempt_at=None) | Q(next_attempt_at__lte=now))


def request_all(user_id: UUID, now: datetime) -> int:
    """Request a new extraction of every window that the reader has read, and return their number."""
    windows = read_without_model(user_id)
    return windows.update(requested_at=now, attempts=0, next_attempt_at=None)


def postpone(windows: QuerySet[MinedWindow], reason: str) -> int:
    """Keep the reader's result until a new extraction is requested, and return the number of windows."""
    return windows.update(reason=reason, requested_at=None, next_attempt_at=None)


class ReextractionJob:
    """One attempt at extracting a window again.

    An attempt is counted before it begins, so that a window that kills its worker is delayed as well.
    Errors inside do not affect other windows, but while the model is unavailable, all of them wait. Windows
    that only wait for an unreachable endpoint are retried every five minutes, without limit. A lost database
    is raised, since the window is not to blame. `failed` tells whether there was an error.
    """

    def __init__(self, window: MinedWindow, now: datetime) -> None:
        self.window = window
        self.failed = False
        self._now = now

    def __enter__(self) -> "ReextractionJob":
        attempts = self.window.attempts + 1
        pause = PAUSES[min(attempts, len(PAUSES)) - 1]
        counted = min(attempts, MAX_ATTEMPT_COUNT)
        _rows(self.window).update(attempts=counted, next_attempt_at=self._now + pause)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        if kind is None:
            self._resume_others()
        if kind is None or error is None or not is_failure(error):
            return False
        self.failed = True
        if isinstance(error, ModelError):
            until = self._now + max(OTHER_WINDOWS_PAUSE, requested_delay(error))
            due(self.window.user_id, until).exclude(id=self.window.id).update(next_attempt_at=until)
        if self.window.reason == MinedWindow.Reason.UNAVAILABLE and isinstance(error, ModelUnavailable):
            soon = self._now + UNAVAILABLE_PAUSE
            _rows(self.window).filter(next_attempt_at__gt=soon).update(next_attempt_at=soon)
        elif self.window.attempts + 1 >= MAX_ATTEMPTS:
            postpone(_rows(self.window), MinedWindow.Reason.GAVE_UP)
        log.warning("re-extraction failed", error=kind.__qualname__)
        return True

    def _resume_others(self) -> None:
        """End the pause of other windows, since the model answers. Those that failed most often come last and
        do not block the others."""
        others = MinedWindow.objects.filter(
            user_id=self.window.user_id,
            method="reader",
            reason=MinedWindow.Reason.UNAVAILABLE,
            next_attempt_at__gt=self._now,
        )
        others.exclude(id=self.window.id).update(next_attempt_at=self._now)


def reextract_window(job: WindowJob, window: MinedWindow, chat: Completer, now: datetime) -> None:
    """Extract a window again with a model and file the result.

    If its answer is unusable, keep the reader's result and record why. Raises ModelError if the model is
    unavailable.
    """
    readable, extraction = extract_with_model(job, chat)
    if extraction.method == "model":
        _file(readable, extraction, window, job.preferences.review_threshold, now)
    else:
        postpone(_rows(window), extraction.fallback_reason)


def undo(user_id: UUID, event_id: UUID, now: datetime) -> None:
    """Undo a new extraction: remove the facts that only it found, and reactivate those it replaced.
    Raises NotFound and AlreadyUndone."""
    with locked_palace(user_id):
        events = ActivityEvent.objects.filter(user_id=user_id, kind=ActivityEvent.Kind.REEXTRACTED)
        event = first_or_raise(events.filter(id=event_id))
        if event.undone_at is not None:
            raise AlreadyUndone
        _drop_facts(user_id, event.details["facts"], now)
        retract(user_id, event.details["evidence"])
        drop_endings(user_id, FactEnding.objects.filter(user_id=user_id, id__in=event.details["evidence"]))
        for kept in event.details["replaced"]:
            reactivate(user_id, kept)
        windows = MinedWindow.objects.filter(user_id=user_id, id=event.details["window"])
        windows.update(method="reader", reason=MinedWindow.Reason.UNDONE)
        event.undone_at = now
        event.save(update_fields=("undone_at",))


def _file(
    readable: Transcript,
    extraction: Extraction,
    window: MinedWindow,
    review_threshold: float,
    now: datetime,
) -> None:
    user_id = window.user_id
    with locked_palace(user_id):
        if not _rows(window).filter(method="reader").exists():
            return
        drawers = _drawers(readable)
        drawer_ids = [drawer.id for drawer in drawers.values()]
        known = _source_ids(user_id, drawer_ids)
        filed_facts = file_facts(readable, extraction, drawers, review_threshold)
        new = _source_ids(user_id, drawer_ids) - known
        replaced = replace_by_model(user_id, drawer_ids)
        _rows(window).update(method="model", reason="", requested_at=None, attempts=0, next_attempt_at=None)
        details = {
            **filed_facts.details(),
            "window": str(window.id),
            "first_sequence": window.first_sequence,
            "last_sequence": window.last_sequence,
            "evidence": [str(each) for each in sorted(new)],
            "replaced": replaced,
        }
        record(user_id, ActivityEvent.Kind.REEXTRACTED, details, now, subject_id=window.source_id)


def _source_ids(user_id: UUID, drawer_ids: Sequence[UUID]) -> set[UUID]:
    """The sources in these drawers of relations and of endings, by row id."""
    endings = endings_in(user_id, drawer_ids).values_list("id", flat=True)
    return sources_in(user_id, drawer_ids).union(endings)


def _rows(window: MinedWindow) -> QuerySet[MinedWindow]:
    return MinedWindow.objects.filter(user_id=window.user_id, id=window.id)


def _drawers(readable: Transcript) -> Mapping[UUID, Drawer]:
    """The drawers of these turns by message, except those in the trash."""
    drawers = Drawer.objects.live().filter(
        user_id=readable.user_id,
        source_kind=readable.source_kind,
        source_id=readable.source_id,
        source_message_id__in=[turn.message_id for turn in readable.turns],
    )
    return {drawer.source_message_id: drawer for drawer in drawers if drawer.source_message_id}


def _drop_facts(user_id: UUID, fact_ids: list[str], now: datetime) -> None:
    """Delete facts without keeping them in the trash: the event still lists them, and a new extraction finds
    them again. Undoing a deletion by their owner does not restore them."""
    facts = Fact.objects.filter(user_id=user_id, id__in=fact_ids)
    facts.filter(deleted_by_owner=True).update(deleted_by_owner=False)
    held = facts.filter(_LIVE_OR_IN_TRASH)
    gone = list(held.values_list("id", flat=True))
    held.update(deleted_at=now, deletion_id=None)
    settle_without(user_id, gone)
