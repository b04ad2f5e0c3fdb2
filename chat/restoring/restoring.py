"""Restores an export: look at it, put its rows into waiting tables, and add what is not here in one
transaction, or nothing at all."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import BinaryIO
from uuid import UUID

import structlog
from django.db import DataError, IntegrityError, transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from chat.exporting.description import Kind
from chat.restoring.adding import adapt, add, index_words
from chat.restoring.archives import Archive, open_archive
from chat.restoring.chats import compare_chats, grow_chats
from chat.restoring.checking import check
from chat.restoring.forgetting import keep_out
from chat.restoring.matching import match
from chat.restoring.pointers import count_on, renumber
from chat.restoring.settling import leave_settled_relations, make_room, settle
from chat.restoring.shapes import check_line
from chat.restoring.stage import ask, fill, prepared, ready, run, table_of
from chat.restoring.types import Restored, RestoreRefused, Wanted
from memory.activity import Happening, record
from memory.models import ActivityEvent, Drawer, Fact, Palace, Tombstone
from memory.placement import lock_palace
from memory.quota import quota_of

LINES_AT_ONCE = 500
BYTES_AT_ONCE = 4 * 1024 * 1024
ODD = gettext_noop("This export contradicts itself or what is here, so nothing was restored.")

log = structlog.get_logger(__name__)


def restore(wanted: Wanted, source: Path | BinaryIO) -> Restored:
    """Add to an account what an export holds and the account does not. A restore only adds: what is
    here stays as it is, and what was forgotten here stays forgotten.

    Works inside the tenant. Raises RestoreRefused with a sentence; then nothing was added.
    """
    with open_archive(source, wanted.limits) as archive, prepared(archive.kinds):
        try:
            _wait(archive, wanted)
            check(archive.kinds)
            with transaction.atomic():
                restored = _file(archive.kinds, wanted, archive.rows)
                transaction.set_rollback(wanted.dry_run)
        except (DataError, IntegrityError) as error:
            log.warning("restore refused", error=type(error).__name__)
            raise RestoreRefused(ODD) from None
    return restored


def _wait(archive: Archive, wanted: Wanted) -> None:
    """Put every row that has its shape into the waiting tables."""
    done = 0
    for kind in archive.kinds:
        batch: list[bytes] = []
        size = 0
        for number, line in enumerate(archive.lines(kind), 1):
            check_line(kind.name, line, number)
            batch.append(line)
            size += len(line)
            if len(batch) == LINES_AT_ONCE or size > BYTES_AT_ONCE:
                done += _fill(kind, wanted, batch)
                wanted.progress(done, archive.rows)
                batch, size = [], 0
        done += _fill(kind, wanted, batch)
        ready(kind)
    wanted.progress(done, archive.rows)


def _fill(kind: Kind, wanted: Wanted, batch: Sequence[bytes]) -> int:
    if batch:
        fill(kind, wanted.user_id, batch)
    return len(batch)


def _file(kinds: Sequence[Kind], wanted: Wanted, rows: int) -> Restored:
    user_id, present = wanted.user_id, {kind.name for kind in kinds}
    lock_palace(user_id)
    used = _is_used(user_id)
    match(kinds, user_id)
    diverged = compare_chats(present, user_id)
    keep_out(kinds, user_id)
    if used:
        leave_settled_relations(present)
    _check_quota(present, user_id)
    renewed = renumber(present, user_id)
    here, left_out = (_counts(kinds, sign) for sign in ("here", "gone AND NOT here"))
    adapt(present, user_id, wanted.now)
    if used:
        make_room(present, user_id)
    added = {kind.name: _add(kind, wanted, rows) for kind in kinds}
    grow_chats(present, user_id)
    count_on(present, user_id)
    if used:
        settle(present, user_id)
    run("SET CONSTRAINTS ALL IMMEDIATE")
    restored = Restored(_some(added), here, left_out, renewed, diverged)
    if not wanted.dry_run:
        if "drawers" in present:
            index_words(user_id)
        _tell(restored, user_id, wanted.now)
        wanted.agree(restored)
    return restored


def _add(kind: Kind, wanted: Wanted, rows: int) -> int:
    wanted.progress(rows, rows)
    return add(kind)


def _is_used(user_id: UUID) -> bool:
    """Whether anything is here that what comes has to agree with."""
    palace = Palace.objects.filter(user_id=user_id, wings_made__gt=0)
    tables = (
        palace,
        *(model.objects.filter(user_id=user_id) for model in (Drawer, Fact, Tombstone)),
    )
    return any(rows.exists() for rows in tables)


def _check_quota(present: set[str], user_id: UUID) -> None:
    quota = quota_of(user_id)
    if quota.limit is None or "drawers" not in present:
        return
    (coming,) = ask(
        "SELECT count(*) FROM {stage} WHERE NOT here AND NOT gone AND deleted_at IS NULL",
        stage=table_of("drawers"),
    )[0]
    if coming and quota.kept + coming > quota.limit:
        sentence = _(
            "Your palace has room for %(most)s drawers and holds %(kept)s; this file would add "
            "%(new)s. Nothing was restored."
        )
        numbers = {"most": quota.limit, "kept": quota.kept, "new": coming}
        raise RestoreRefused(sentence % {name: f"{each:,}" for name, each in numbers.items()})


def _counts(kinds: Sequence[Kind], condition: str) -> dict[str, int]:
    queries = {
        "here": "SELECT count(*) FROM {stage} WHERE here",
        "gone AND NOT here": "SELECT count(*) FROM {stage} WHERE gone AND NOT here",
    }
    return _some(
        {kind.name: ask(queries[condition], stage=table_of(kind.name))[0][0] for kind in kinds}
    )


def _some(counts: dict[str, int]) -> dict[str, int]:
    return {name: count for name, count in counts.items() if count}


def _tell(restored: Restored, user_id: UUID, now: datetime) -> None:
    details = {"added": restored.added, "left_out": restored.left_out}
    record(user_id, Happening(ActivityEvent.Kind.RESTORED_EXPORT, None, details), now)
