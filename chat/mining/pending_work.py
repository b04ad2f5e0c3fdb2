"""What is not mined yet or waits for a model, and why, in sentences."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from functools import cache, reduce
from operator import or_
from typing import Any
from uuid import UUID

from django.db.models import Count, Exists, F, Func, IntegerField, Min, Q, QuerySet, Sum
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from chat.mining.reextraction import windows_waiting
from chat.mining.run import due_conversations, progress_of_chats, unsettled, with_pointer
from chat.mining.transcripts import transcript_of, turns
from chat.models import MEMORY_ONLY, Conversation, Message
from memory.mining.progress import waiting_for_model
from memory.mining.transcripts import Transcript
from memory.models import MemoryPreferences, MinedWindow, MiningProgress
from memory.preferences import preferences_of, zone_of
from memory.sql import compiled, fetch_prepared, parameter

_LEFT = Sum(F("last_sequence") - F("mined_through"), default=0)
_MESSAGES = Sum(F("last_sequence") - F("first_sequence") + 1, default=0)
SPOKEN = (Message.Role.USER, Message.Role.ASSISTANT)
_REQUESTED = Q(mine_requested_at__gte=F("last_message_at")) | Q(source=Conversation.Source.IMPORT)
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
    chat, tool messages, replies from memory alone, and very long ones. One query if every other chat is
    settled; chats of an agent that is not mined never are."""
    if not {chat for (chat,) in fetch_prepared(_unsettled(), {"user": user_id})} - {running}:
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


@cache
def _unsettled() -> str:
    """Selects two unsettled chats of a user, so at least one that is not running."""
    return compiled(unsettled(parameter("user")).values("id")[:2])


def backlog(user_id: UUID, now: datetime) -> tuple[int, int]:
    """How many messages are due to be mined, and how many are not mined because that is switched off."""
    paused = _minable_with_backlog(user_id).exclude(_REQUESTED)
    if preferences_of(user_id).auto_mine:
        paused = paused.none()
    due, left = (chats.aggregate(left=_LEFT)["left"] for chats in (due_conversations(user_id, now), paused))
    return due, left


def _unmined(user_id: UUID) -> "QuerySet[Conversation]":
    by_hand = MemoryPreferences.objects.filter(user_id=user_id, auto_mine=False)
    return _minable_with_backlog(user_id).filter(_REQUESTED | ~Exists(by_hand))


def _minable_with_backlog(user_id: UUID) -> "QuerySet[Conversation]":
    """Chats that may be mined and have messages that are not."""
    over = progress_of_chats().filter(state__in=(MiningProgress.State.DEAD, MiningProgress.State.DISCARDED))
    chats = with_pointer(Conversation.objects.filter(user_id=user_id).to_mine())
    return chats.filter(~Exists(over), last_sequence__gt=F("mined_through"))
