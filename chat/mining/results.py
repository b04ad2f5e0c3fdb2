"""What was mined from a chat, and why if nothing was."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from typing import Any
from uuid import UUID

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from chat.agents import agent_of
from chat.models import Conversation
from llm.errors import ModelRateLimited
from memory.facts.queries import with_words
from memory.mining.progress import waiting_for_model
from memory.mining.reextraction import REASON, waiting
from memory.mining.transcripts import CONVERSATION
from memory.models import ActivityEvent, Fact, MemoryPreferences, MiningProgress
from memory.preferences import preferences_of
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

    @property
    def count(self) -> int:
        """How many messages are in memory now."""
        return sum(batch.drawers for batch in self.batches if not batch.deletion_id)


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
