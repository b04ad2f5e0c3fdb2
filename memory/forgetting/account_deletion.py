"""Closes an account: erases everything in it, and verifies that nothing is left.

The tables come from the database's own catalogue, so a new table cannot be left out.
"""

import shutil
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from uuid import UUID

from django.conf import settings
from django.contrib.admin.models import LogEntry
from django.db import OperationalError, transaction
from django.utils.translation import gettext as _
from psycopg import sql
from psycopg.errors import DeadlockDetected

from accounts.demo import demo_of
from accounts.models import User
from accounts.sessions import end_sessions, sessions_with
from accounts.tenancy import tenant, visitor
from memory.forgetting.holders import holders
from memory.forgetting.identifying_words import Words, runs_of
from memory.forgetting.verification import Table, count_rows, tables, texts_in
from memory.models import Drawer
from memory.search.index import discard_statistics
from memory.sql import execute, fetch_value

SAMPLE_SIZE = 5_000
MAX_DEADLOCKS = 4
QUEUE = "dramatiq.queue"
PARENTS = (
    "memory_drawer",
    "memory_closet",
    "memory_room",
    "memory_wing",
    "memory_entity",
    "memory_fact",
)
"""Tables that many others refer to: emptied last, to avoid useless reference checks."""


class LastStaffUser(Exception):
    """Closing the account would leave the other users without staff."""


@dataclass(frozen=True, slots=True)
class ClosedAccount:
    """The erased rows by table and files, the number of tables searched afterwards, and those in which
    something was found."""

    rows: dict[str, int]
    files: int
    searched: int
    found: tuple[str, ...]

    @property
    def total(self) -> int:
        return sum(self.rows.values())


def rows_by_table(user_id: UUID) -> dict[str, int]:
    """The number of a user's rows in each table, without empty ones."""
    with tenant(user_id):
        counts = {table.name: count_rows(table, user_id) for table in _owned_tables()}
    return {name: count for name, count in sorted(counts.items()) if count}


def close_account(user: User) -> ClosedAccount:
    """Erase an account with everything in it, immediately and irrevocably. Raises LastStaffUser.

    Its demo account is closed first. Waits for running jobs of the account; later ones find nothing.
    """
    others = User.objects.exclude(id=user.id).filter(is_active=True)
    with visitor():
        if user.is_staff and others.exists() and not others.filter(is_staff=True).exists():
            raise LastStaffUser
    demo = demo_of(user)
    if demo is not None:
        close_account(demo)
    user_id, email = user.id, user.email
    with tenant(user_id):
        rows, runs = _erase_rows(user_id, email)
        files = _erase_files(user_id)
        discard_statistics()
        all_tables = tables()
        found = _residue(all_tables, user_id, email, Words(runs=runs))
    counts = {name: count for name, count in sorted(rows.items()) if count}
    return ClosedAccount(counts, files, len(all_tables), tuple(found))


def receipt_text(closed: ClosedAccount) -> str:
    """The receipt as text: counts only."""
    lines = [f"  {count:>9,}  {name}" for name, count in closed.rows.items()]
    found = [f"  {name}" for name in closed.found]
    end = (
        _("%(count)s tables were searched. Something is left in:")
        if found
        else _("%(count)s tables were searched: nothing of the account is left.")
    )
    files = f"  {closed.files:>9,}  {_('uploaded files')}"
    began = _("The account was closed. Erased rows by table:")
    return "\n".join([began, *lines, files, end % {"count": closed.searched}, *found])


def _erase_rows(user_id: UUID, email: str) -> tuple[dict[str, int], frozenset[tuple[str, ...]]]:
    """Erase all rows; returns their number by table, and words of them to search for afterwards.

    Retries after a deadlock, because a running job of the account locks rows in another order.
    """
    for _attempt in range(MAX_DEADLOCKS):
        try:
            return _erase_once(user_id, email)
        except OperationalError as error:
            if not isinstance(error.__cause__, DeadlockDetected):
                raise
    return _erase_once(user_id, email)


@transaction.atomic
def _erase_once(user_id: UUID, email: str) -> tuple[dict[str, int], frozenset[tuple[str, ...]]]:
    User.objects.select_for_update().get(id=user_id)
    texts = Drawer.objects.filter(user_id=user_id).values_list("content", flat=True)
    runs = runs_of(islice(texts.iterator(), SAMPLE_SIZE))
    rows = {table.name: _erase(table, user_id) for table in _owned_tables()}
    _forget_in_shared_tables(user_id, email)
    User.objects.filter(id=user_id).delete()
    return rows, runs


def _owned_tables() -> list[Table]:
    """The tables with an owner column, parents last."""
    owned = [table for table in tables() if table.owner == "user_id"]
    last = [*PARENTS, *(name for holder in holders() for name in holder.parents)]
    order = {name: place for place, name in enumerate(last, 1)}
    return sorted(owned, key=lambda table: order.get(table.name, 0))


def _erase(table: Table, user_id: UUID) -> int:
    statement = sql.SQL("DELETE FROM {} WHERE user_id = %s").format(sql.Identifier(table.schema, table.name))
    return execute(statement, [user_id])


def _forget_in_shared_tables(user_id: UUID, email: str) -> None:
    """Erase the account from shared tables: sessions, admin log entries and queued messages."""
    end_sessions(sessions_with((str(user_id), email)))
    with visitor():
        LogEntry.objects.filter(object_id=str(user_id)).delete()
        LogEntry.objects.filter(object_repr__icontains=email).update(object_repr="", change_message="")
    if fetch_value("SELECT to_regclass(%s)", [QUEUE]):
        execute("DELETE FROM dramatiq.queue WHERE position(%s in message::text) > 0", [str(user_id)])


def _erase_files(user_id: UUID) -> int:
    folder = Path(settings.MEDIA_ROOT) / str(user_id)
    files = sum(1 for each in folder.rglob("*") if each.is_file()) if folder.exists() else 0
    with suppress(FileNotFoundError):
        shutil.rmtree(folder)
    return files


def _residue(all_tables: Sequence[Table], user_id: UUID, email: str, words: Words) -> list[str]:
    """The tables that still contain rows of the account, or its email address, id or words."""
    identifiers = (email.casefold(), str(user_id), user_id.hex)
    found = ["django_session"] if sessions_with(identifiers) else []
    for table in all_tables:
        if table.owner:
            left = count_rows(table, user_id) > 0
        else:
            with visitor():
                left = any(_names_account(row, identifiers, words) for row in texts_in(table, user_id))
        if left:
            found.append(table.name)
    return found


def _names_account(row: Sequence[object], identifiers: Sequence[str], words: Words) -> bool:
    text = "\n".join(
        value.decode("utf-8", errors="ignore") if isinstance(value, bytes) else str(value) for value in row
    )
    folded = text.casefold()
    return any(name in folded for name in identifiers) or words.are_in(text)
