"""Finds due work and queues it.

The database is the source of truth: a lost message only waits for the next sweep.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import TypeVar
from uuid import UUID

import structlog
from django.db import DatabaseError, connection

from accounts.models import User
from accounts.tenancy import tenant
from api.models import Webhook
from api.webhooks.delivery import delete_old_deliveries, enqueue_deliveries
from chat.agents import erase_deleted_agents
from chat.incognito import erase_abandoned
from chat.mining.reextraction import can_reextract, windows_due
from chat.mining.run import due_conversations
from chat.mining.topic_shift import chats_to_check
from chat.recalls_without_reply import erase_old_recalls
from chat.replies.compaction import drop_outdated_states
from chat.retention import empty_old_chats
from jobs.actors import (
    consolidate_memory,
    deliver_webhooks,
    detect_topic_shift,
    drop_orphaned_indexes,
    embed_missing,
    index_vectors,
    mine,
    reextract,
    refresh_projections,
    remove_old_vectors,
    run_import,
    run_transfer,
)
from llm.errors import ModelError
from memory.changes.log import expire
from memory.consolidation.schedule import is_due
from memory.forgetting.requests import empty_trash
from memory.mining.progress import give_up_on_crashing_windows
from memory.projections.upkeep import upkeep_due
from memory.recall.feedback import count_recalled
from memory.search.ann_index import index_is_due, orphans
from memory.search.embedding_backfill import affordable, has_work, removal_is_due
from memory.search.index import analyze_changed_tables
from memory.usage.quota import quota_of
from transfer.imports import clean_up, stalled
from transfer.transfers import clean_up_transfers, stalled_transfers

log = structlog.get_logger(__name__)

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Swept:
    """How many users had chats to mine, and how many had drawers without vectors."""

    to_mine: int
    to_embed: int


def sweep(now: datetime) -> Swept:
    """Check every user once and queue what is due."""
    analyze_changed_tables()
    if orphans():
        drop_orphaned_indexes.send()
    queued = for_each_user(lambda user_id: _sweep_user(user_id, now))
    return Swept(sum(mining for mining, _ in queued), sum(embedding for _, embedding in queued))


def for_each_user(look: Callable[[UUID], Answer]) -> list[Answer]:
    """Call `look` for every user, each as that user's tenant; returns the results.

    A database error for one user does not stop the others. Raises DatabaseError if the database is
    unreachable.
    """
    answers = []
    for user_id in list(User.objects.filter(is_active=True).values_list("id", flat=True)):
        try:
            with tenant(user_id):
                answers.append(look(user_id))
        except DatabaseError:
            if not connection.is_usable():
                raise
            log.warning("sweep of one user failed", user=str(user_id), exc_info=True)
    return answers


def _sweep_user(user_id: UUID, now: datetime) -> tuple[bool, bool]:
    """Queue and delete what is due for a user; returns whether mining and vectors are due."""
    queued = _queue_work(user_id, now)
    _drop_what_is_over(user_id, now)
    count_recalled(user_id)
    _queue_tidying_up(user_id, now)
    return queued


def _queue_work(user_id: UUID, now: datetime) -> tuple[bool, bool]:
    """Queue what is due for a user; returns whether mining and vectors are due."""
    give_up_on_crashing_windows(user_id, now)
    mining = _queue_mining(user_id, now)
    if not mining:
        _queue_second_readings(user_id, now)
    _queue_look_for_drift(user_id, now)
    embedding = _queue_vectors(user_id, now)
    _queue_removal_of_vectors(user_id, now)
    _queue_index(user_id)
    _queue_imports(user_id, now)
    _queue_transfers(user_id, now)
    _queue_projections(user_id, now)
    return mining, embedding


def _drop_what_is_over(user_id: UUID, now: datetime) -> None:
    empty_trash(user_id, now)
    expire(user_id, now)
    empty_old_chats(user_id, now)
    erase_old_recalls(user_id, now)
    erase_deleted_agents(user_id, now)
    drop_outdated_states(user_id, now)
    erase_abandoned(user_id, now)


def _queue_mining(user_id: UUID, now: datetime) -> bool:
    due = due_conversations(user_id, now).exists() and not quota_of(user_id).is_full
    if due:
        mine.send(str(user_id))
    return due


def _queue_second_readings(user_id: UUID, now: datetime) -> None:
    if windows_due(user_id, now).exists() and can_reextract(user_id, now):
        reextract.send(str(user_id))


def _queue_look_for_drift(user_id: UUID, now: datetime) -> None:
    if chats_to_check(user_id, now).exists():
        detect_topic_shift.send(str(user_id))


def _queue_imports(user_id: UUID, now: datetime) -> None:
    for run_id in stalled(user_id, now):
        run_import.send(str(user_id), str(run_id))
    clean_up(user_id, now)


def _queue_transfers(user_id: UUID, now: datetime) -> None:
    for transfer_id in stalled_transfers(user_id, now):
        run_transfer.send(str(user_id), str(transfer_id))
    clean_up_transfers(user_id, now)


def _queue_projections(user_id: UUID, now: datetime) -> None:
    if upkeep_due(user_id, now):
        refresh_projections.send(str(user_id))


def _queue_tidying_up(user_id: UUID, now: datetime) -> None:
    if is_due(user_id, now):
        consolidate_memory.send(str(user_id))


def _queue_index(user_id: UUID) -> None:
    if index_is_due(user_id):
        index_vectors.send(str(user_id))


def _queue_removal_of_vectors(user_id: UUID, now: datetime) -> None:
    if removal_is_due(user_id, now):
        remove_old_vectors.send(str(user_id))


def _queue_vectors(user_id: UUID, now: datetime) -> bool:
    try:
        missing = has_work(user_id) and affordable(user_id, now)
    except ModelError:
        return False
    if missing:
        embed_missing.send(str(user_id))
    return missing


def sweep_webhooks(now: datetime) -> None:
    """Queue the delivery of due webhook events, user by user."""
    for_each_user(partial(_queue_webhooks, now=now))


def _queue_webhooks(user_id: UUID, now: datetime) -> None:
    if not Webhook.objects.filter(user_id=user_id).exists():
        return
    if enqueue_deliveries(user_id, now):
        deliver_webhooks.send(str(user_id))
    delete_old_deliveries(user_id, now)
