"""Finds due work and queues it.

The database is the source of truth: a lost message only waits for the next sweep. An index tells whose work
is due (`palace/postgres/due.sql`), so only these users are visited.
"""

from collections.abc import Callable, Collection
from contextlib import suppress
from datetime import datetime, timedelta
from uuid import UUID

import structlog
from django.db import DatabaseError, connection
from django.db.models.expressions import RawSQL

from accounts.models import User
from accounts.tenancy import operator, tenant
from api.webhooks.delivery import KEEP_DELIVERIES, LOOKBACK, delete_old_deliveries, enqueue_deliveries
from chat import agents, retention
from chat.agents import erase_deleted_agents
from chat.forgetting import erase_old_recalls
from chat.incognito import erase_abandoned
from chat.mining.run import can_reextract, chats_to_check, due_conversations, mark_settled, windows_due
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
)
from llm.errors import ModelError
from memory.changes.log import UNDO_PERIOD, expire
from memory.consolidation.application import consolidation_at
from memory.forgetting.requests import empty_trash
from memory.forgetting.trash import RETENTION
from memory.mining.progress import give_up_on_crashing_windows
from memory.projections.upkeep import upkeep_due
from memory.recall.feedback import count_recalled
from memory.search.ann_index import index_is_due, orphans
from memory.search.embedding_backfill import affordable, has_work, removal_is_due
from memory.search.index import analyze_changed_tables
from memory.upkeep_schedule import UPKEEP_EVERY, changes_of, postpone_upkeep
from memory.usage.quota import quota_of
from transfer.file_jobs import delete_strays, owners_of_files, stalled
from transfer.imports import drop_undecided
from transfer.models import ImportRun, Transfer
from transfer.transfers import delete_expired

log = structlog.get_logger(__name__)

MAX_USERS = 500
"""How many users are visited for one kind of work in one sweep; the others wait for a later one."""
NO_DELAY = timedelta(0)
_DUE = "SELECT palace_due(%s, %s) UNION ALL SELECT unnest(%s::uuid[])"


def sweep(now: datetime) -> None:
    """Visit the users with due work, delete what has expired and queue the rest."""
    analyze_changed_tables()
    if orphans():
        drop_orphaned_indexes.send()
    _visit("chats", now, _queue_mining)
    _visit("memory", now, _queue_upkeep)
    _visit("files", now, _queue_files, also=owners_of_files())
    for work, since, visit in _OTHER_WORK:
        _visit(work, now, visit, since)


def sweep_webhooks(now: datetime) -> None:
    """Queue the delivery of due webhook events, user by user."""
    _visit("webhooks", now, _queue_webhooks, LOOKBACK)
    _visit("deliveries", now, delete_old_deliveries, KEEP_DELIVERIES)


def _visit(
    work: str,
    now: datetime,
    visit: Callable[[UUID, datetime], object],
    since: timedelta = NO_DELAY,
    also: Collection[UUID] = (),
) -> None:
    """Call `visit` as each user with due work of this kind and each in `also`.

    A database error for one user does not stop the others. Raises DatabaseError if the database is
    unreachable.
    """
    for user_id in _users_with_due_work(work, now - since, also):
        try:
            with tenant(user_id):
                visit(user_id, now)
        except DatabaseError:
            if not connection.is_usable():
                raise
            log.warning("sweep of one user failed", user=str(user_id), exc_info=True)


def _users_with_due_work(work: str, moment: datetime, also: Collection[UUID]) -> list[UUID]:
    """Active users with due work, in random order, so that nobody is skipped by every sweep."""
    due = RawSQL(_DUE, [work, moment, list(also)])  # noqa: S611 - a constant
    with operator():
        users = User.objects.filter(id__in=due, is_active=True).order_by("?")
        return list(users.values_list("id", flat=True)[:MAX_USERS])


def _queue_mining(user_id: UUID, now: datetime) -> None:
    give_up_on_crashing_windows(user_id, now)
    mark_settled(user_id)
    if chats_to_check(user_id, now).exists():
        detect_topic_shift.send(str(user_id))
    if _is_mining_due(user_id, now):
        mine.send(str(user_id))


def _is_mining_due(user_id: UUID, now: datetime) -> bool:
    return due_conversations(user_id, now).exists() and not quota_of(user_id).is_full


def _queue_reextraction(user_id: UUID, now: datetime) -> None:
    due = windows_due(user_id, now).exists() and not _is_mining_due(user_id, now)
    if due and can_reextract(user_id, now):
        reextract.send(str(user_id))


def _queue_upkeep(user_id: UUID, now: datetime) -> None:
    """Queue the upkeep of a memory. Every sweep visits it until nothing is due in the near future."""
    changes, later = changes_of(user_id), now + UPKEEP_EVERY
    is_pending = _lacks_vectors(user_id)
    with suppress(ModelError):
        if is_pending and affordable(user_id, now):
            embed_missing.send(str(user_id))
    for is_due, actor in _UPKEEP:
        if is_due(user_id, later):
            is_pending = True
            if is_due(user_id, now):
                actor.send(str(user_id))
    at = consolidation_at(user_id) or later
    if at <= now:
        consolidate_memory.send(str(user_id))
    if not is_pending:
        postpone_upkeep(user_id, min(at, later), changes)


def _lacks_vectors(user_id: UUID) -> bool:
    try:
        return has_work(user_id)
    except ModelError:
        return True


def _queue_files(user_id: UUID, now: datetime) -> None:
    for job in (*stalled(ImportRun, user_id, now), *stalled(Transfer, user_id, now)):
        job.enqueue()
    for clean_up in (drop_undecided, delete_expired, delete_strays):
        clean_up(user_id, now)


def _queue_webhooks(user_id: UUID, now: datetime) -> None:
    if enqueue_deliveries(user_id, now):
        deliver_webhooks.send(str(user_id))


_UPKEEP = (
    (removal_is_due, remove_old_vectors),
    (lambda user_id, now: index_is_due(user_id), index_vectors),
    (upkeep_due, refresh_projections),
)
_OTHER_WORK = (
    ("readings", NO_DELAY, _queue_reextraction),
    ("recalls", NO_DELAY, lambda user_id, now: count_recalled(user_id)),
    ("trash", RETENTION, empty_trash),
    ("changes", UNDO_PERIOD, expire),
    ("expired chats", NO_DELAY, empty_old_chats),
    ("old recalls", NO_DELAY, erase_old_recalls),
    ("deleted chats", retention.KEEP_DELETED_FOR, empty_old_chats),
    ("agents", agents.KEEP_DELETED_FOR, erase_deleted_agents),
    ("incognito", NO_DELAY, erase_abandoned),
)
"""Kinds of work in `due.sql`, how far their `moment` lies in the past, and what does the work."""
