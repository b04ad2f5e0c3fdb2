"""Mines in this process until nothing is due."""

import time
from collections.abc import Callable
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import F, QuerySet
from django.utils.translation import ngettext

from chat.mining.run import (
    Clock,
    due_conversations,
    mine_user,
    reextract_for_user,
    windows_due,
    windows_waiting,
)
from chat.models import Conversation
from llm.errors import ModelError
from memory.mining.progress import retry_failed
from memory.mining.transcripts import CONVERSATION
from memory.models import MiningProgress
from memory.search.embedding_backfill import backfill
from memory.usage.quota import quota_of

MAX_CONSECUTIVE_FAILURES = 4
MAX_WAIT = timedelta(minutes=2)
TIME_SLICE = timedelta(seconds=5)
PAUSE_S = 0.5
EMBED_BATCH_SIZE = 128
RETRY_HORIZON = timedelta(hours=2)


class PalaceFull(Exception):
    """The user's quota prevents mining; the message is shown to them."""

    def __init__(self, left: int) -> None:
        sentence = ngettext(
            "The palace is full: %(count)s message is not in memory. It stays in its chat.",
            "The palace is full: %(count)s messages are not in memory. They stay in their chats.",
            left,
        )
        super().__init__(sentence % {"count": f"{left:,}"})


def drain(
    user_id: UUID,
    clock: Clock,
    progress: Callable[[int], None],
    within: QuerySet[Conversation] | None = None,
) -> int:
    """Mine until every conversation (or each of these) is mined or has failed.

    If a worker is running, it waits for the worker's jobs. `progress` gets the number of messages left
    after each round. Returns how many conversations failed. Raises PalaceFull if there is no room for the
    rest.
    """
    while left := messages_left(user_id, clock(), within):
        progress(left)
        if quota_of(user_id).is_full:
            raise PalaceFull(left)
        done = mine_user(user_id, clock, TIME_SLICE)
        if not done.windows:
            time.sleep(PAUSE_S)
    progress(0)
    _embed_remaining(user_id, clock)
    return count_dead_jobs(user_id, within)


def drain_reextraction(user_id: UUID, clock: Clock, progress: Callable[[int], None]) -> int:
    """Re-extract all pending windows with a model, until none is left or the model keeps failing.

    `progress` gets the number of windows left after each round. Returns how many are left.
    """
    failures = 0
    while failures < MAX_CONSECUTIVE_FAILURES:
        left = windows_due(user_id, clock() + MAX_WAIT).count()
        if not left:
            break
        progress(left)
        done = reextract_for_user(user_id, clock, TIME_SLICE)
        failures = done.failures if done.windows else failures + done.failures
        if not done.windows:
            time.sleep(PAUSE_S)
    progress(0)
    return windows_waiting(user_id).count()


def _embed_remaining(user_id: UUID, clock: Clock) -> None:
    """Embed long drawers, which mining leaves to the backfill; if the model fails, the sweep retries
    later."""
    try:
        while backfill(user_id, EMBED_BATCH_SIZE, clock()):
            pass
    except ModelError:
        return


def messages_left(user_id: UUID, now: datetime, within: QuerySet[Conversation] | None = None) -> int:
    """How many messages are due to be mined, now or after a retry delay, `within` these conversations."""
    conversations = due_conversations(user_id, now + RETRY_HORIZON)
    if within is not None:
        conversations = conversations.filter(id__in=within.values("id"))
    left = conversations.annotate(left=F("last_sequence") - F("mined_through"))
    return sum(left.values_list("left", flat=True))


def count_dead_jobs(user_id: UUID, within: QuerySet[Conversation] | None = None) -> int:
    """How many conversations (`within` these) could not be mined and wait for their owner to retry."""
    dead = _dead_jobs(user_id)
    if within is not None:
        dead = dead.filter(source_id__in=within.values("id"))
    return dead.count()


def retry_dead_jobs(user_id: UUID, now: datetime) -> int:
    """Retry every failed conversation; returns how many."""
    jobs = list(_dead_jobs(user_id))
    for job in jobs:
        retry_failed(job, now)
    return len(jobs)


def _dead_jobs(user_id: UUID) -> QuerySet[MiningProgress]:
    return MiningProgress.objects.filter(
        user_id=user_id, source_kind=CONVERSATION, state=MiningProgress.State.DEAD
    )
