"""Mines a user's conversations in order, one window after another.

Also detects topic shifts in open chats, so that what came before is mined, and re-extracts with a model what
the built-in reader has read.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import zip_longest
from typing import Any
from uuid import UUID

from django.apps import apps
from django.db.models import Case, Exists, F, IntegerField, OuterRef, Q, QuerySet, Subquery, Sum, When
from django.db.models.functions import Coalesce, Left

from chat.mining.transcripts import transcript
from chat.models import Conversation, ConversationQuerySet, Message
from llm.configuration import LOCAL
from llm.gateway import Embedder
from memory.changes.activity import record
from memory.mining import reextraction
from memory.mining.cpu_limit import cpu_limit
from memory.mining.pipeline import WindowJob, mine_window, prefetch_window
from memory.mining.progress import RETRIES, Attempt, progress_of, sole_miner
from memory.mining.topics import MAX_EXCHANGES, MIN_BEFORE, exchanges, topic_shift_after
from memory.mining.transcripts import CONVERSATION, Transcript
from memory.mining.windows import MAX_LENGTH, SIZE, windows
from memory.models import ActivityEvent, MemoryPreferences, MinedWindow, MiningProgress, Usage
from memory.preferences import preferences_of
from memory.search.active_embedding import LATEST_MESSAGES, MAX_READ_LENGTH, follow_languages
from memory.search.embedding_prefetch import EmbeddingPrefetch
from memory.usage.metering import can_write, embedder_for, endpoint_read_once, extraction_model, writer_for
from memory.usage.quota import drawer_limit, quota_of
from memory.usage.records import Purpose

READ_AHEAD = 3 * MAX_LENGTH


def upcoming_windows(chat: Conversation, mined_through: int, shift_after: int, size: int) -> list[Transcript]:
    """The next few windows of a chat, of about `size` turns each, after what is mined.

    None extends beyond a topic shift that was detected there.
    """
    ahead = transcript(chat, mined_through, READ_AHEAD)
    turns = ahead.turns
    if shift_after > mined_through:
        turns = tuple(turn for turn in turns if turn.sequence <= shift_after)
    return [replace(ahead, turns=window) for window in windows(turns, size)]


LONG_CHAT_TURNS = 10
BATCH_SIZE = 16
IMPORT_STALLED_AFTER = timedelta(minutes=2)
IMPORT = Conversation.Source.IMPORT
_REQUESTED = Q(mine_requested_at__gte=F("last_message_at"))
REQUESTED_OR_IMPORTED = _REQUESTED | Q(source=IMPORT)
_PRECEDENCE = Case(When(_REQUESTED, then=0), When(source=IMPORT, then=2), default=1)

Clock = Callable[[], datetime]


@dataclass(frozen=True, slots=True)
class Round:
    """The result of one round of mining, and whether more is due."""

    windows: int = 0
    failures: int = 0
    more_due: bool = False


def due_conversations(user_id: UUID, now: datetime) -> QuerySet[Conversation]:
    """Conversations with messages that may be mined now: requested ones first, imports last, each in the
    order they began."""
    preferences = preferences_of(user_id)
    held = progress_of_chats().filter(
        Q(state__in=(MiningProgress.State.DEAD, MiningProgress.State.DISCARDED)) | Q(next_attempt_at__gt=now)
    )
    return (
        with_pointer(Conversation.objects.filter(user_id=user_id).to_mine())
        .filter(~Exists(held), last_sequence__gt=F("mined_through"))
        .filter(_mining_requested(preferences, now), ~Q(source=IMPORT) | ~Exists(_imports_in_progress(now)))
        .order_by(_PRECEDENCE, "started_at", "id")
    )


def mark_settled(user_id: UUID) -> None:
    """Mark fully mined conversations as settled, so that searches for due work and unfiled messages skip
    them."""
    through = progress_of_chats().filter(mined_through__gte=OuterRef("last_sequence"))
    unsettled(user_id).filter(Exists(through)).update(settled_through=F("last_sequence"))


def unsettled(user_id: UUID) -> ConversationQuerySet:
    """Conversations that may have messages to mine, found by their index alone."""
    chats = Conversation.objects.filter(user_id=user_id, last_sequence__gt=F("settled_through"))
    return chats.learnable()


def with_pointer(conversations: QuerySet[Conversation]) -> QuerySet[Conversation]:
    """Conversations with how far they are mined and checked for topic shifts."""
    pointer = {
        name: Coalesce(Subquery(progress_of_chats().values(name)), 0, output_field=IntegerField())
        for name in ("mined_through", "scanned_through", "topic_shift_after")
    }
    return conversations.annotate(**pointer)


def progress_of_chats() -> QuerySet[MiningProgress]:
    """The progress of each chat of an outer query."""
    return MiningProgress.objects.filter(
        user_id=OuterRef("user_id"), source_kind=CONVERSATION, source_id=OuterRef("id")
    )


def _imports_in_progress(now: datetime) -> "QuerySet[Any]":
    """Imports in progress.

    Imported chats are mined once all of them are there, in the order they began, so that pointers do not
    depend on interruptions of the import. The sweep continues an interrupted upload, so it is in progress
    however long nobody works on it; an import from the command line (without `path`) may never be continued,
    and is only waited for while it is active. The model is looked up by name, because transfer is built on
    top of chat.
    """
    runs = apps.get_model("transfer", "ImportRun")
    continued = ~Q(path="") | Q(active_at__gt=now - IMPORT_STALLED_AFTER)
    return runs._default_manager.filter(continued, user_id=OuterRef("user_id"), state="running")


def mine_user(user_id: UUID, clock: Clock, time_budget: timedelta) -> Round:
    """Mine what is due for one user until the time budget is used up.

    Returns at once if another miner works for the same user. Failed windows are recorded and retried later;
    other conversations continue.
    """
    tried: list[bool] = []
    skipped: set[UUID] = set()
    end = clock() + time_budget
    with sole_miner(user_id) as locked, EmbeddingPrefetch() as ahead:
        if locked:
            follow_languages(user_id, _latest_said(user_id, clock()), clock())
        while locked and clock() < end:
            due = list(due_conversations(user_id, clock()).exclude(id__in=skipped)[:BATCH_SIZE])
            if not due:
                if tried:
                    mark_settled(user_id)
                return _round(tried)
            miner = _Miner(preferences_of(user_id), clock, end, ahead, drawer_limit(user_id))
            for conversation, following in zip_longest(due, due[1:]):
                before = len(tried)
                tried += miner.mine(conversation, following)
                if len(tried) == before:
                    skipped.add(conversation.id)
                if clock() >= end:
                    break
        return _round(tried, more_due=locked)


def _latest_said(user_id: UUID, now: datetime) -> "QuerySet[Message, str]":
    """The beginnings of the user's latest messages in chats to mine; read when they are needed."""
    chats = due_conversations(user_id, now).order_by().values("id")
    said = Message.objects.filter(user_id=user_id, conversation_id__in=chats, role=Message.Role.USER)
    beginnings = said.order_by("-id").values_list(Left("content", MAX_READ_LENGTH), flat=True)
    return beginnings[:LATEST_MESSAGES]


def _round(tried: Sequence[bool], *, more_due: bool = False) -> Round:
    return Round(sum(tried), len(tried) - sum(tried), more_due)


@dataclass(frozen=True, slots=True)
class _Miner:
    """A running miner: the user's settings, the deadline, and prefetched vectors."""

    preferences: MemoryPreferences
    clock: Clock
    end: datetime
    ahead: EmbeddingPrefetch
    limit: int | None = None

    def mine(self, conversation: Conversation, following: Conversation | None) -> Iterator[bool]:
        """Mine windows of a conversation until none is due, one fails, or time is up.

        `following` is the conversation to mine next.
        """
        progress = progress_of(conversation.user_id, CONVERSATION, conversation.id)
        while True:
            found = self._next_windows(conversation, progress)
            if not found:
                return
            self._prefetch(found[1:], following)
            succeeded = self._try(found[0], progress)
            yield succeeded
            if not succeeded or self.clock() >= self.end:
                return
            progress.refresh_from_db()

    def _next_windows(self, conversation: Conversation, progress: MiningProgress) -> Sequence[Transcript]:
        """The due window and those after it that were already read, or nothing."""
        conversation.refresh_from_db()
        excluded = conversation.deleted_at or conversation.incognito or not conversation.mine
        if excluded or conversation.last_sequence <= progress.mined_through:
            return ()
        if self.limit is not None and quota_of(conversation.user_id, self.limit).is_full:
            return ()
        mined, shift = progress.mined_through, progress.topic_shift_after
        found = upcoming_windows(conversation, mined, shift, self.preferences.window_size)
        short = len(found) == 1 and len(found[0].turns) < SIZE
        if short and shift <= mined and _may_continue(conversation, self.preferences, self.clock()):
            return ()
        return found

    def _prefetch(self, behind: Sequence[Transcript], following: Conversation | None) -> None:
        if behind:
            prefetch_window(behind[0], self.preferences, self.ahead)
        elif following is not None:
            annotated: Any = following  # by with_pointer
            mined, shift = annotated.mined_through, annotated.topic_shift_after
            for window in upcoming_windows(following, mined, shift, self.preferences.window_size)[:1]:
                prefetch_window(window, self.preferences, self.ahead)

    def _try(self, window: Transcript, progress: MiningProgress) -> bool:
        """One attempt at a window; False if it failed and has to be retried later.

        If the model fails at the last retry too, the window is mined without it, so that nothing waits
        forever for an endpoint.
        """
        is_last_attempt = progress.attempts >= RETRIES
        job = WindowJob(window, self.preferences, is_last_attempt, progress.id, self.ahead)
        with Attempt(progress, self.clock) as attempt, cpu_limit():
            mine_window(job, self.clock())
        if attempt.failed:
            progress.refresh_from_db()
            if progress.state == MiningProgress.State.DEAD:
                kind, details = ActivityEvent.Kind.MINING_FAILED, {"error": progress.error}
                record(progress.user_id, kind, details, self.clock(), subject_id=progress.source_id)
        return not attempt.failed


def _may_continue(conversation: Conversation, preferences: MemoryPreferences, now: datetime) -> bool:
    """Whether more messages may follow soon, so that a short last window should wait."""
    idle = timedelta(minutes=preferences.idle_minutes)
    last = conversation.last_message_at
    asked = conversation.mine_requested_at and conversation.mine_requested_at >= last
    return not asked and not conversation.closed_at and now - last < idle


def _mining_requested(preferences: MemoryPreferences, now: datetime) -> Q:
    if not preferences.auto_mine:
        return REQUESTED_OR_IMPORTED
    idle_since = now - timedelta(minutes=preferences.idle_minutes)
    return (
        REQUESTED_OR_IMPORTED
        | Q(closed_at__isnull=False)
        | Q(last_message_at__lte=idle_since)
        | Q(last_sequence__gte=F("mined_through") + LONG_CHAT_TURNS)
        | Q(topic_shift_after__gt=F("mined_through"))
    )


def unmined_messages(user_id: UUID) -> int:
    """How many messages of the ledger are not mined yet."""
    chats = with_pointer(Conversation.objects.filter(user_id=user_id).learnable())
    behind = chats.filter(last_sequence__gt=F("mined_through"))
    return int(behind.aggregate(left=Sum(F("last_sequence") - F("mined_through"), default=0))["left"])


def request_mining(user_id: UUID, now: datetime) -> int:
    """Request mining of every conversation with unmined messages; returns how many."""
    return Conversation.objects.filter(user_id=user_id).learnable().update(mine_requested_at=now)


def windows_due(user_id: UUID, now: datetime) -> QuerySet[MinedWindow]:
    """Windows a model may read again now, in the order their chats began.

    Excludes chats that are not to be mined and those that are gone.
    """
    return _in_minable_chats(reextraction.due(user_id, now))


def windows_waiting(user_id: UUID) -> QuerySet[MinedWindow]:
    """Like `windows_due`, including windows that wait after a failure."""
    return _in_minable_chats(reextraction.waiting(user_id))


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
        reextraction.postpone(rows, MinedWindow.Reason.NOTHING)
        return True
    with reextraction.ReextractionJob(window, clock()) as reading, cpu_limit(), endpoint_read_once():
        reader = writer_for(*_purpose(window.user_id, clock(), window.id))
        reextraction.reextract_window(
            WindowJob(turns, preferences_of(window.user_id)), window, reader, clock()
        )
    return not reading.failed


def _in_minable_chats(found: QuerySet[MinedWindow]) -> QuerySet[MinedWindow]:
    chats = Conversation.objects.filter(user_id=OuterRef("user_id"), id=OuterRef("source_id")).learnable()
    return (
        found.filter(Exists(chats), source_kind=CONVERSATION)
        .annotate(began=Subquery(chats.values("started_at")))
        .order_by("attempts", "began", "source_id", "first_sequence")
    )


MIN_TURNS = 2 * (MIN_BEFORE + 1)
MAX_TURNS_READ = 2 * MAX_EXCHANGES
MAX_CHATS_CHECKED = 10


def chats_to_check(user_id: UUID, now: datetime) -> QuerySet[Conversation]:
    """Open chats with enough messages since they were mined, and new ones since the last check."""
    preferences = preferences_of(user_id)
    open_since = now - timedelta(minutes=preferences.idle_minutes)
    chats = Conversation.objects.filter(user_id=user_id, closed_at=None, last_message_at__gt=open_since)
    waiting = with_pointer(chats.to_mine().exclude(source=Conversation.Source.IMPORT)).filter(
        Q(topic_shift_after__lte=F("mined_through")),
        last_sequence__gte=F("mined_through") + MIN_TURNS,
        last_sequence__gt=F("scanned_through"),
    )
    return waiting if preferences.auto_mine else waiting.none()


def detect_topic_shifts(user_id: UUID, clock: Clock) -> int:
    """Compare the exchanges of a user's open chats and record where topics ended; returns in how many chats.

    Each new message is checked once, by the local model, which is free. Raises ModelError if that is
    unavailable.
    """
    found = 0
    for conversation in chats_to_check(user_id, clock())[:MAX_CHATS_CHECKED]:
        purpose = Purpose(user_id, Usage.Source.EMBED, clock())
        found += _check_conversation(conversation, embedder_for(LOCAL, purpose))
    return found


def _check_conversation(conversation: Conversation, embedder: Embedder) -> bool:
    progress = progress_of(conversation.user_id, CONVERSATION, conversation.id)
    turns = transcript(conversation, progress.mined_through, MAX_TURNS_READ).turns
    said = exchanges(turns)
    ended = None
    if len(said) > MIN_BEFORE:
        vectors = embedder.embed_documents([each.text for each in said]).vectors
        ended = topic_shift_after(said, vectors, embedder.model)
    # The pointer may have moved meanwhile; where a topic ended stays valid.
    MiningProgress.objects.filter(user_id=conversation.user_id, id=progress.id).update(
        scanned_through=conversation.last_sequence, topic_shift_after=ended or progress.topic_shift_after
    )
    return ended is not None
