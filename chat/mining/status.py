"""What was mined from a chat, what is not mined yet or waits for a model, and why, in sentences; and the
unmined messages that recall searches."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, tzinfo
from functools import reduce
from itertools import islice
from operator import or_
from typing import Any
from uuid import UUID

from django.db.models import Count, Exists, F, Func, IntegerField, Min, Q, QuerySet, Sum
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from chat.agents import agent_of
from chat.mining.run import (
    REQUESTED_OR_IMPORTED,
    due_conversations,
    progress_of_chats,
    unsettled,
    windows_waiting,
    with_pointer,
)
from chat.mining.transcripts import transcript_of, turns
from chat.models import MEMORY_ONLY, Conversation, Message
from llm.errors import ModelRateLimited
from memory.facts.queries import with_words
from memory.mining.progress import waiting_for_model
from memory.mining.reextraction import REASON, waiting
from memory.mining.transcripts import CONVERSATION, Transcript
from memory.models import ActivityEvent, Fact, MemoryPreferences, MinedWindow, MiningProgress
from memory.preferences import preferences_of, zone_of
from memory.usage.quota import quota_of

MAX_EVENTS = 3
MAX_FACTS = 8
LATE_AFTER = timedelta(minutes=2)
WINDOW_TAKES = timedelta(minutes=15)
"""More than a model takes to read a window; a worker that mined nothing for so long is not running."""

PALACE_FULL = gettext_lazy(
    "Your palace is full, so this chat is not in memory yet. Nothing is lost: it stays here until there is "
    "room."
)
MODEL_UNREACHABLE = gettext_lazy(
    "The language model cannot be reached, so this chat waits for it. If it stays unreachable, the built-in"
    " reader reads the chat instead."
)
MODEL_BUSY = gettext_lazy(
    "The language model asked Palace to wait, so this chat waits for it. If it keeps asking, the built-in"
    " reader reads the chat instead."
)
_REEXTRACTION_PENDING = {
    "unavailable": gettext_lazy(
        "The built-in reader read this chat while the language model was unreachable. The model will read "
        "it when it is back."
    ),
    "budget": gettext_lazy(
        "The built-in reader read this chat because the month’s budget was spent. A model will read it when"
        " the next month’s budget starts."
    ),
}


@dataclass(frozen=True, slots=True)
class Batch:
    """What one run of mining stored: `statements` are sentences by the id of their fact, of which `to_review`
    wait for review. `deletion_id` is set while it is undone."""

    event_id: UUID
    drawers: int
    statements: Mapping[str, str]
    to_review: frozenset[str]
    more_facts: int
    for_review: int
    deletion_id: UUID | None

    @property
    def facts(self) -> list[str]:
        """The sentences alone."""
        return list(self.statements.values())


@dataclass(frozen=True, slots=True)
class MiningStatus:
    """What was mined from a chat, newest first, and the state of the rest.

    `state` is one of `off`, `empty`, `done`, `due`, `waiting`, `late`, `full`, `reextracting`, `failed`;
    `words` says the same to the user.
    """

    state: str
    words: str
    batches: tuple[Batch, ...] = ()

    @property
    def changes(self) -> bool:
        """Whether checking again later may show something new."""
        return self.state in {"due", "waiting", "late"}

    @property
    def can_be_requested(self) -> bool:
        """Whether asking for it would save the chat sooner."""
        return self.state in {"waiting", "late"}


def mining_status_of(conversation: Conversation, now: datetime) -> MiningStatus:
    """How much of a chat is in memory, with a sentence about the rest."""
    return MiningStatus(*_state(conversation, now), tuple(_batches(conversation)))


def progress_of_chat(conversation: Conversation) -> MiningProgress | None:
    """The mining progress of a chat; None before it started."""
    return MiningProgress.objects.filter(
        user_id=conversation.user_id, source_kind=CONVERSATION, source_id=conversation.id
    ).first()


def _state(conversation: Conversation, now: datetime) -> tuple[str, str]:
    preferences = preferences_of(conversation.user_id)
    off = _off_reason(conversation, preferences)
    if off:
        return "off", off
    progress = progress_of_chat(conversation)
    if progress and progress.state == MiningProgress.State.DEAD:
        return "failed", _("This chat could not be saved to memory.")
    if progress and progress.state == MiningProgress.State.DISCARDED:
        return "off", _("The rest of this chat was discarded and is not in memory.")
    mined = progress.mined_through if progress else 0
    if conversation.last_sequence == 0:
        return "empty", ""
    if mined >= conversation.last_sequence:
        return _reextraction_state(conversation)
    if quota_of(conversation.user_id).is_full:
        return "full", str(PALACE_FULL)
    if progress and progress.state == MiningProgress.State.RETRYING:
        return "waiting", _retry_sentence(progress)
    return _waiting_state(conversation, preferences, now)


def _reextraction_state(conversation: Conversation) -> tuple[str, str]:
    """Whether a model has yet to read what the built-in reader read in its place."""
    windows = waiting(conversation.user_id).filter(source_id=conversation.id)
    reason = windows.values_list("reason", flat=True).first()
    words = str(_REEXTRACTION_PENDING.get(reason or "", ""))
    return ("reextracting", words) if words else ("done", "")


def _retry_sentence(progress: MiningProgress) -> str:
    away = waiting_for_model(progress.user_id).filter(source_id=progress.source_id).exists()
    if away:
        return str(MODEL_BUSY if progress.error == ModelRateLimited.__qualname__ else MODEL_UNREACHABLE)
    return _("This chat could not be saved to memory yet. Palace will try again soon.")


def _off_reason(conversation: Conversation, preferences: MemoryPreferences) -> str:
    if conversation.incognito:
        return _("Incognito: nothing of this chat is saved to memory.")
    if not conversation.mine:
        return _("This chat is not saved to memory.")
    if conversation.agent_id and not agent_of(conversation).mine:
        return _("Chats with this agent are not saved to memory.")
    if not preferences.auto_mine and not conversation.mine_requested_at and conversation.source != "import":
        return _("Chats are saved to memory only when you ask for it.")
    return ""


def _waiting_state(
    conversation: Conversation, preferences: MemoryPreferences, now: datetime
) -> tuple[str, str]:
    idle = timedelta(minutes=preferences.idle_minutes)
    asked = filter(None, (conversation.mine_requested_at, conversation.closed_at))
    due = min((at for at in asked if at >= conversation.last_message_at), default=None)
    due = due or conversation.last_message_at + idle
    if now > due + LATE_AFTER:
        recent = MiningProgress.objects.filter(updated_at__gt=now - WINDOW_TAKES)
        if recent.filter(user_id=conversation.user_id).exclude(source_id=conversation.id).exists():
            return "late", _("This chat is waiting: other chats are saved to memory first.")
        return "late", _(
            "This chat is waiting to be saved to memory. If this does not change, the background worker is "
            "not running. Nothing is lost meanwhile."
        )
    if now > due:
        return "due", _("This chat is about to be saved to memory.")
    words = ngettext(
        "Will be saved to memory after %(count)d idle minute.",
        "Will be saved to memory after %(count)d idle minutes.",
        preferences.idle_minutes,
    )
    return "waiting", words % {"count": preferences.idle_minutes}


def _batches(conversation: Conversation) -> list[Batch]:
    events = list(
        ActivityEvent.objects.filter(
            user_id=conversation.user_id, subject_id=conversation.id, kind=ActivityEvent.Kind.MINED
        ).order_by("-at", "-id")[:MAX_EVENTS]
    )
    found = {event.id: event.details["facts"] for event in events}
    later = _reextracted_facts(conversation) if events else {}
    for event in events:
        found[event.id] = [*found[event.id], *later.get(event.details["first_sequence"], [])]
    known = _facts(conversation.user_id, [each for ids in found.values() for each in ids])
    return [
        _batch(event, {each: known[each] for each in found[event.id] if each in known})
        for event in events
        if event.details["drawers"]
    ]


def _reextracted_facts(conversation: Conversation) -> dict[int, list[str]]:
    """What models found when they read parts of the chat again, by the start of the part."""
    events = ActivityEvent.objects.filter(
        user_id=conversation.user_id,
        subject_id=conversation.id,
        kind=ActivityEvent.Kind.REEXTRACTED,
        undone_at=None,
    )
    return {event.details["first_sequence"]: event.details["facts"] for event in events}


def _facts(user_id: UUID, fact_ids: list[str]) -> dict[str, Fact]:
    """Facts by id, without those that a model has reworded since."""
    facts = Fact.objects.filter(user_id=user_id, id__in=fact_ids, deleted_at=None)
    facts = facts.exclude(status=Fact.Status.SUPERSEDED, review_reason=REASON)
    return {str(fact.id): fact for fact in with_words(user_id, facts)}


def _batch(event: ActivityEvent, known: Mapping[str, Fact]) -> Batch:
    details: dict[str, Any] = event.details
    undone = details.get("deletion") if event.undone_at else None
    return Batch(
        event_id=event.id,
        drawers=len(details["drawers"]),
        statements={each: fact.sentence for each, fact in islice(known.items(), MAX_FACTS)},
        to_review=frozenset(each for each, fact in known.items() if fact.status == Fact.Status.PENDING),
        more_facts=max(0, len(known) - MAX_FACTS),
        for_review=details.get("for_review", 0),
        deletion_id=UUID(undone) if undone else None,
    )


_LEFT = Sum(F("last_sequence") - F("mined_through"), default=0)
_MESSAGES = Sum(F("last_sequence") - F("first_sequence") + 1, default=0)
SPOKEN = (Message.Role.USER, Message.Role.ASSISTANT)
LATEST_CHATS = 50
MAX_BYTES_LENGTH = 20_000


@dataclass(frozen=True, slots=True)
class PendingWork:
    """Messages that are not mined yet, and why.

    `asked_again_at` is when an unreachable model is tried again. `read_without_model` and
    `read_without_money` count messages that the built-in reader read because the model was unreachable or the
    budget spent.
    """

    messages: int = 0
    chats: int = 0
    asked_again_at: datetime | None = None
    read_without_model: int = 0
    read_without_money: int = 0
    zone: tzinfo | None = None

    @property
    def sentences(self) -> tuple[str, ...]:
        """The same as sentences; empty if nothing waits."""
        return tuple(self._sentences())

    def _sentences(self) -> Iterator[str]:
        if self.messages:
            words = ngettext(
                "%(count)s message is not in memory yet.",
                "%(count)s messages are not in memory yet.",
                self.messages,
            )
            yield words % {"count": f"{self.messages:,}"}
        if self.asked_again_at:
            yield _(
                "The language model is unavailable; Palace tries again at %(time)s. If it stays unavailable, "
                "the built-in reader reads them."
            ) % {"time": f"{self.asked_again_at.astimezone(self.zone):%H:%M}"}
        if self.read_without_model:
            words = ngettext(
                "%(count)s message was read by the built-in reader while the language model was unreachable; "
                "the model will read it when it is back.",
                "%(count)s messages were read by the built-in reader while the language model was "
                "unreachable; the model will read them when it is back.",
                self.read_without_model,
            )
            yield words % {"count": f"{self.read_without_model:,}"}
        if self.read_without_money:
            words = ngettext(
                "%(count)s message was read by the built-in reader because the budget was spent; a model "
                "will read it when the next month’s budget starts.",
                "%(count)s messages were read by the built-in reader because the budget was spent; a model "
                "will read them when the next month’s budget starts.",
                self.read_without_money,
            )
            yield words % {"count": f"{self.read_without_money:,}"}


def pending_work_of(user_id: UUID) -> PendingWork:
    """How much of a user's chats is not mined yet.

    Chats that are not mined by choice, and failed ones, do not count.
    """
    away = waiting_for_model(user_id).aggregate(at=Min("next_attempt_at"))
    windows = windows_waiting(user_id).order_by().values_list("reason")
    readings = dict(windows.annotate(messages=_MESSAGES))
    return PendingWork(
        **_unmined(user_id).aggregate(messages=_LEFT, chats=Count("id")),
        asked_again_at=away["at"],
        read_without_model=readings.get(MinedWindow.Reason.UNAVAILABLE, 0),
        read_without_money=readings.get(MinedWindow.Reason.BUDGET, 0),
        zone=zone_of(preferences_of(user_id)),
    )


def unfiled_messages(user_id: UUID, running: UUID | None, most: int) -> tuple[Transcript, ...]:
    """The newest unmined messages of the latest chats, at most `most`, for recall. Leaves out the `running`
    chat, tool messages, replies from memory alone, and very long ones. One query if no other chat is to be
    mined."""
    if not _requested_or_automatic(user_id, unsettled(user_id).to_mine()).exclude(Q(id=running)).exists():
        return ()  # usual, and faster than the query below
    others = _unmined(user_id).exclude(Q(id=running))
    chats: dict[UUID, Any] = {chat.id: chat for chat in others.order_by("-last_message_at")[:LATEST_CHATS]}
    if not chats:
        return ()
    behind = (Q(conversation_id=chat.id, sequence__gt=chat.mined_through) for chat in chats.values())
    messages = (
        Message.objects.filter(reduce(or_, behind), user_id=user_id, role__in=SPOKEN)
        .annotate(size=Func(F("content"), function="octet_length", output_field=IntegerField()))
        .filter(size__lte=MAX_BYTES_LENGTH)
        .exclude(model=MEMORY_ONLY)
        .order_by("-said_at", "-sequence")[:most]
    )
    said: dict[UUID, list[Message]] = defaultdict(list)
    for message in messages:
        said[message.conversation_id].append(message)
    return tuple(replace(transcript_of(chats[key]), turns=tuple(turns(said[key]))) for key in said)


def backlog(user_id: UUID, now: datetime) -> tuple[int, int]:
    """How many messages are due to be mined, and how many are not mined because that is switched off."""
    paused = _minable_with_backlog(user_id).exclude(REQUESTED_OR_IMPORTED)
    if preferences_of(user_id).auto_mine:
        paused = paused.none()
    due, left = (chats.aggregate(left=_LEFT)["left"] for chats in (due_conversations(user_id, now), paused))
    return due, left


def _unmined(user_id: UUID) -> "QuerySet[Conversation]":
    return _requested_or_automatic(user_id, _minable_with_backlog(user_id))


def _requested_or_automatic(user_id: UUID, chats: "QuerySet[Conversation]") -> "QuerySet[Conversation]":
    """Those of these chats that are mined automatically or were requested."""
    by_hand = MemoryPreferences.objects.filter(user_id=user_id, auto_mine=False)
    return chats.filter(REQUESTED_OR_IMPORTED | ~Exists(by_hand))


def _minable_with_backlog(user_id: UUID) -> "QuerySet[Conversation]":
    """Chats that may be mined and have messages that are not."""
    over = progress_of_chats().filter(state__in=(MiningProgress.State.DEAD, MiningProgress.State.DISCARDED))
    chats = with_pointer(Conversation.objects.filter(user_id=user_id).to_mine())
    return chats.filter(~Exists(over), last_sequence__gt=F("mined_through"))
