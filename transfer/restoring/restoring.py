"""Restores an export: checks it, stages its rows in temporary tables, and adds the missing ones in one
transaction."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import BinaryIO
from uuid import UUID

import structlog
from django.db import DataError, IntegrityError, transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from memory.changes.activity import record
from memory.models import ActivityEvent, Drawer, Fact, Palace, Tombstone
from memory.placement import lock_palace
from memory.usage.quota import quota_of
from transfer.exporting.kinds import KINDS
from transfer.exporting.writing import Progress
from transfer.importing.archives import DEFAULT_LIMITS, FileRefused, Limits
from transfer.restoring.adding import (
    adapt,
    add,
    compare_chats,
    extend_chats,
    index_words,
    recompute_validity,
    skip_derived_relations,
)
from transfer.restoring.archives import Archive, open_archive
from transfer.restoring.forgetting import exclude_forgotten
from transfer.restoring.matching import advance_counters, match, renumber
from transfer.restoring.screening import clear_flagged_instructions, flag_for_review
from transfer.restoring.stage import (
    check,
    check_line,
    execute,
    fetch_rows,
    index_table,
    insert_rows,
    staging_tables,
)


@dataclass(frozen=True, slots=True)
class Restored:
    """The counts of a restore by kind of row: added, already here, and left out. Rows are left out if they,
    or rows they depend on, were forgotten here or read like an instruction to a model, or if Palace no longer
    has their kind. Added rows that read like an instruction wait `for_review`. `renewed` drawers have another
    pointer than in the file; `diverged` chats continued in both places and stay as they are here."""

    added: dict[str, int] = field(default_factory=dict)
    here: dict[str, int] = field(default_factory=dict)
    left_out: dict[str, int] = field(default_factory=dict)
    renewed: int = 0
    diverged: int = 0
    for_review: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RestoreRequest:
    """What to restore for whom. With `dry_run`, everything is rolled back in the end.

    `progress` gets the rows read and their total, also before each step of adding them; `on_restored`
    gets the result, last in the transaction. An exception of either rolls everything back.
    """

    user_id: UUID
    now: datetime
    dry_run: bool = False
    limits: Limits = DEFAULT_LIMITS
    progress: Progress = lambda done, total: None
    on_restored: Callable[[Restored], None] = lambda restored: None


BATCH_LINES = 500
BATCH_BYTES = 4 * 1024 * 1024
CONFLICTING = gettext_noop("This export conflicts with itself or with your palace, so nothing was restored.")

log = structlog.get_logger(__name__)


def restore(request: RestoreRequest, source: Path | BinaryIO) -> Restored:
    """Add what the account is missing. Existing rows do not change, and what was forgotten here stays
    forgotten.

    Runs inside the tenant. Raises FileRefused with a sentence; then nothing was added.
    """
    with open_archive(source, request.limits) as archive, staging_tables():
        try:
            _stage_rows(archive, request)
            check()
            with transaction.atomic():
                restored = _add_staged(archive, request)
                transaction.set_rollback(request.dry_run)
        except (DataError, IntegrityError) as error:
            log.warning("restore refused", error=type(error).__name__)
            raise FileRefused(CONFLICTING) from None
    return restored


def _stage_rows(archive: Archive, request: RestoreRequest) -> None:
    """Validate every row and insert it into its staging table."""
    done = 0
    for kind in archive.kinds:
        batch: list[bytes] = []
        size = 0
        for number, line in enumerate(archive.lines(kind), 1):
            check_line(kind.name, line, number)
            batch.append(line)
            size += len(line)
            if len(batch) == BATCH_LINES or size > BATCH_BYTES:
                insert_rows(kind, request.user_id, batch)
                done += len(batch)
                request.progress(done, archive.rows)
                batch, size = [], 0
        insert_rows(kind, request.user_id, batch)
        done += len(batch)
        index_table(kind)
    request.progress(done, archive.rows)


def _add_staged(archive: Archive, request: RestoreRequest) -> Restored:
    user_id = request.user_id
    lock_palace(user_id)
    used = _is_used(user_id)
    match(user_id)
    diverged = compare_chats(user_id)
    flag_for_review(user_id, request.now)
    exclude_forgotten(user_id)
    if used:
        skip_derived_relations()
    _check_quota(user_id)
    renewed = renumber(user_id)
    here, left_out = _counts("here"), _counts("gone AND NOT here")
    adapt(user_id, request.now)
    added = {}
    for kind in KINDS:
        request.progress(archive.rows, archive.rows)
        added[kind.name] = add(kind)
    extend_chats(user_id, request.now)
    advance_counters(user_id)
    if used:
        recompute_validity(user_id)
    for_review = clear_flagged_instructions(user_id, request.now)
    execute("SET CONSTRAINTS ALL IMMEDIATE")
    restored = Restored(_nonzero(added), here, left_out | archive.skipped, renewed, diverged, for_review)
    if not request.dry_run:
        index_words(user_id)
        details = {"added": restored.added, "left_out": restored.left_out}
        record(user_id, ActivityEvent.Kind.RESTORED_EXPORT, details, request.now)
        request.on_restored(restored)
    return restored


def _is_used(user_id: UUID) -> bool:
    """Whether the account has anything that new rows must be consistent with."""
    made = Palace.objects.filter(user_id=user_id, wings_made__gt=0)
    kept = (model.objects.filter(user_id=user_id) for model in (Drawer, Fact, Tombstone))
    return any(rows.exists() for rows in (made, *kept))


def _check_quota(user_id: UUID) -> None:
    quota = quota_of(user_id)
    if quota.limit is None:
        return
    counted = "SELECT count(*) FROM {drawers} WHERE NOT here AND NOT gone AND deleted_at IS NULL"
    (new,) = fetch_rows(counted)[0]
    if new and quota.kept + new > quota.limit:
        sentence = _(
            "Your palace has room for %(most)s drawers and holds %(kept)s; this file would add "
            "%(new)s. Nothing was restored."
        )
        numbers = {"most": quota.limit, "kept": quota.kept, "new": new}
        raise FileRefused(sentence % {name: f"{each:,}" for name, each in numbers.items()})


def _counts(condition: str) -> dict[str, int]:
    query = f"SELECT count(*) FROM {{stage}} WHERE {condition}"  # noqa: S608 - of two constants
    return _nonzero({kind.name: fetch_rows(query, stage=kind)[0][0] for kind in KINDS})


def _nonzero(counts: dict[str, int]) -> dict[str, int]:
    return {name: count for name, count in counts.items() if count}
