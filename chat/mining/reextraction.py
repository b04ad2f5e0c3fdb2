"""Re-extracts with a model what the built-in reader has read."""

from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import Exists, OuterRef, QuerySet, Subquery

from chat.mining.run import Clock, Round
from chat.mining.transcripts import transcript
from chat.models import Conversation
from memory.mining.cpu_limit import cpu_limit
from memory.mining.pipeline import WindowJob
from memory.mining.progress import sole_miner
from memory.mining.reextraction import ReextractionJob, due, postpone, reextract_window, waiting
from memory.mining.transcripts import CONVERSATION
from memory.models import MinedWindow, Usage
from memory.preferences import preferences_of
from memory.usage.metering import can_write, endpoint_read_once, extraction_model, writer_for
from memory.usage.records import Purpose


def windows_due(user_id: UUID, now: datetime) -> QuerySet[MinedWindow]:
    """Windows a model may read again now, in the order their chats began.

    Excludes chats that are not to be mined and those that are gone.
    """
    return _in_minable_chats(due(user_id, now))


def windows_waiting(user_id: UUID) -> QuerySet[MinedWindow]:
    """Like `windows_due`, including windows that wait after a failure."""
    return _in_minable_chats(waiting(user_id))


def can_reextract(user_id: UUID, now: datetime) -> bool:
    """Whether there is a model, and budget for it."""
    return can_write(*_purpose(user_id, now))


def reextract_for_user(user_id: UUID, clock: Clock, time_budget: timedelta) -> Round:
    """Read due windows again until the time budget is used up or an attempt fails.

    Returns at once without an endpoint or budget, or while the same user is being mined. A failed window has
    to wait; the next round starts with another.
    """
    done = 0
    end = clock() + time_budget
    with sole_miner(user_id) as locked:
        while locked and clock() < end:
            window = windows_due(user_id, clock()).first()
            if window is None or not can_reextract(user_id, clock()):
                return Round(done)
            if not _reextract(window, clock):
                return Round(done, failures=1)
            done += 1
    return Round(done, more_due=locked)


def _purpose(user_id: UUID, now: datetime, job_id: UUID | None = None) -> tuple[Purpose, str]:
    model = extraction_model(preferences_of(user_id).extraction_model)
    return Purpose(user_id, Usage.Source.EXTRACT, now, job_id), model


def _reextract(window: MinedWindow, clock: Clock) -> bool:
    conversation = Conversation.objects.get(user_id=window.user_id, id=window.source_id)
    length = window.last_sequence - window.first_sequence + 1
    turns = transcript(conversation, window.first_sequence - 1, length)
    if not turns.turns:
        rows = MinedWindow.objects.filter(user_id=window.user_id, id=window.id)
        postpone(rows, MinedWindow.Reason.NOTHING)
        return True
    with ReextractionJob(window, clock()) as reading, cpu_limit(), endpoint_read_once():
        reader = writer_for(*_purpose(window.user_id, clock(), window.id))
        reextract_window(WindowJob(turns, preferences_of(window.user_id)), window, reader, clock())
    return not reading.failed


def _in_minable_chats(windows: QuerySet[MinedWindow]) -> QuerySet[MinedWindow]:
    chats = Conversation.objects.filter(user_id=OuterRef("user_id"), id=OuterRef("source_id")).learnable()
    return (
        windows.filter(Exists(chats), source_kind=CONVERSATION)
        .annotate(began=Subquery(chats.values("started_at")))
        .order_by("attempts", "began", "source_id", "first_sequence")
    )
