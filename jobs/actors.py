"""Background jobs. Messages carry ids only; the database says what there is to do."""

from collections.abc import Callable
from datetime import timedelta
from functools import wraps
from uuid import UUID

import dramatiq
import structlog
from django.conf import settings
from django.utils import timezone
from dramatiq import Actor

from accounts.tenancy import tenant
from api.webhooks.delivery import deliver_next
from chat.mining.run import detect_topic_shifts, mine_user, reextract_for_user
from llm.errors import ModelError
from memory.consolidation.application import consolidate, is_due
from memory.mining.progress import LOST_DATABASE, is_lost_database
from memory.projections.upkeep import refresh_due
from memory.search.ann_index import drop_orphans, update_index
from memory.search.embedding_backfill import backfill, remove_stale_vectors
from transfer.imports import process
from transfer.transfers import process_transfer

TIME_SLICE = timedelta(seconds=4)
IMPORT_SLICE = timedelta(seconds=20)
WEBHOOK_SLICE = timedelta(seconds=20)
TIME_LIMIT_MS = 240_000
MODEL_LIMIT_MS = 600_000 + 2_000 * settings.BACKGROUND_TIMEOUT_S
"""Time limit of a job that calls models: room for two calls, or for those begun in its first five minutes."""
IMPORT_LIMIT_MS = 3_600_000
INDEX_LIMIT_MS = 3_600_000
BACKFILL_BATCH_SIZE = 128
WEBHOOK_LIMIT_MS = 120_000

log = structlog.get_logger(__name__)


def user_job(
    *, time_limit: int, asks_model: bool = False
) -> Callable[[Callable[..., None]], Actor[..., None]]:
    """Declare an actor whose arguments are ids, and which works as the tenant that the first one names. If it
    loses the database, it has not failed: the next sweep starts it again."""

    def declare(work: Callable[..., None]) -> Actor[..., None]:
        @wraps(work)
        def run(*ids: str) -> None:
            try:
                with tenant(UUID(ids[0])):
                    work(*map(UUID, ids))
            except LOST_DATABASE as error:
                if not is_lost_database(error):
                    raise
                log.warning("job lost the database", user=ids[0], error=type(error).__name__)

        return dramatiq.actor(for_user=True, asks_model=asks_model, time_limit=time_limit)(run)

    return declare


@user_job(time_limit=MODEL_LIMIT_MS, asks_model=True)
def mine(user_id: UUID) -> None:
    """Mine one user's due conversations for a while, and queue another run if more are left."""
    done = mine_user(user_id, timezone.now, TIME_SLICE)
    if done.windows or done.failures:
        log.info("mined", user=str(user_id), windows=done.windows, failures=done.failures)
    if done.more_due:
        mine.send(str(user_id))


@user_job(time_limit=TIME_LIMIT_MS)
def detect_topic_shift(user_id: UUID) -> None:
    """Look for topic shifts in a user's open chats, so that what came before them is mined."""
    try:
        found = detect_topic_shifts(user_id, timezone.now)
    except ModelError as error:
        log.warning("topic shift detection failed", user=str(user_id), error=type(error).__name__)
        return
    if found:
        mine.send(str(user_id))


@user_job(time_limit=MODEL_LIMIT_MS, asks_model=True)
def reextract(user_id: UUID) -> None:
    """Re-extract for a while what the built-in reader has read, and queue another run if more is left."""
    done = reextract_for_user(user_id, timezone.now, TIME_SLICE)
    if done.windows or done.failures:
        log.info("re-extracted", user=str(user_id), windows=done.windows, failures=done.failures)
    if done.more_due:
        reextract.send(str(user_id))


@user_job(time_limit=TIME_LIMIT_MS)
def embed_missing(user_id: UUID) -> None:
    """Embed some drawers that have no vector yet, with their owner's model, and queue another run."""
    try:
        done = backfill(user_id, BACKFILL_BATCH_SIZE, timezone.now())
    except ModelError as error:
        log.warning("vectors delayed", user=str(user_id), error=type(error).__name__)
        return
    if done:
        embed_missing.send(str(user_id))


@user_job(time_limit=TIME_LIMIT_MS)
def remove_old_vectors(user_id: UUID) -> None:
    """Delete a user's vectors of models that are no longer in use."""
    removed = remove_stale_vectors(user_id, timezone.now())
    if removed:
        log.info("stale vectors removed", user=str(user_id), vectors=removed)


@user_job(time_limit=INDEX_LIMIT_MS)
def index_vectors(user_id: UUID) -> None:
    """Build the index of a user with very many vectors, or drop it once they have fewer."""
    indexed = update_index(user_id)
    log.info("vectors indexed", user=str(user_id), indexed=indexed)


@dramatiq.actor(time_limit=TIME_LIMIT_MS)
def drop_orphaned_indexes() -> None:
    """Drop the indexes of deleted users."""
    log.info("indexes dropped", indexes=drop_orphans())


@user_job(time_limit=MODEL_LIMIT_MS, asks_model=True)
def refresh_projections(user_id: UUID) -> None:
    """Bring a user's profile and skills up to date with their facts."""
    refresh_due(user_id, timezone.now())


@user_job(time_limit=MODEL_LIMIT_MS, asks_model=True)
def consolidate_memory(user_id: UUID) -> None:
    """Consolidate a user's memory if that is still due."""
    now = timezone.now()
    run = consolidate(user_id, now, scheduled=True) if is_due(user_id, now) else None
    if run is not None:
        log.info("consolidated", user=str(user_id), changes=sum(run.counts.values()))


@user_job(time_limit=IMPORT_LIMIT_MS)
def run_import(user_id: UUID, run_id: UUID) -> None:
    """Check an upload, or import it for a while and queue another run if more is left; then mine."""
    more_due = process(user_id, run_id, timezone.now, IMPORT_SLICE)
    if more_due:
        run_import.send(str(user_id), str(run_id))
    mine.send(str(user_id))


@user_job(time_limit=IMPORT_LIMIT_MS)
def run_transfer(user_id: UUID, transfer_id: UUID) -> None:
    """Write an export, check a file, or restore it, whichever the transfer waits for."""
    process_transfer(user_id, transfer_id, timezone.now)


@user_job(time_limit=WEBHOOK_LIMIT_MS)
def deliver_webhooks(user_id: UUID) -> None:
    """Deliver a user's due webhook events for a while; the next sweep queues the rest."""
    until = timezone.now() + WEBHOOK_SLICE
    while timezone.now() < until and deliver_next(user_id, timezone.now()):
        pass
