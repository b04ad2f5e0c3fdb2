"""`scrub`: rewrites the embedded database, so that its files hold nothing that was forgotten."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import connection
from django.db.backends.utils import CursorWrapper

from memory.management.terminal import ProgressLine
from palace.postgres.base import as_owner

ROUNDS = 5
NOT_EMBEDDED = (
    "`scrub` works on the embedded database only. On your own PostgreSQL, an administrator runs `ANALYZE`, "
    "`VACUUM (FULL)`, `ALTER SYSTEM SET wal_recycle = off`, `SELECT pg_reload_conf()`, then several times "
    "`SELECT pg_logical_emit_message(false, 'palace', ''), pg_switch_wal()` and `CHECKPOINT`, until `SELECT "
    "name FROM pg_ls_waldir()` lists no file from before; then `ALTER SYSTEM RESET wal_recycle` and `SELECT "
    "pg_reload_conf()`. Archived segments and backups from before have to be deleted, too."
)
LIST_SEGMENTS = "SELECT name FROM pg_ls_waldir()"


class Command(BaseCommand):
    """Rewrites tables and indexes, then replaces every file of the write-ahead log."""

    help = "Remove from the files of the embedded database what was deleted or forgotten."

    def handle(self, *args: Any, **options: Any) -> None:
        if settings.EMBEDDED_DATABASE is None:
            raise CommandError(NOT_EMBEDDED)
        line = ProgressLine(self.stderr)
        with as_owner(), connection.cursor() as cursor:
            with line.during("Renewing statistics, step 1 of 3 …"):
                cursor.execute("ANALYZE")  # first: the planner's statistics quote frequent values
            with line.during("Rewriting the tables, step 2 of 3; pages may have to wait for a moment …"):
                cursor.execute("VACUUM (FULL)")
            with line.during("Replacing the write-ahead log, step 3 of 3 …"):
                _replace_log(cursor)
        self.stdout.write(
            "The database holds nothing any more that was forgotten. Delete old backups yourself."
        )


def _replace_log(cursor: CursorWrapper) -> None:
    """Let the server delete all segments of its log, also those that it keeps for reuse.

    Raises CommandError if one stays.
    """
    cursor.execute(LIST_SEGMENTS)
    old = {name for (name,) in cursor.fetchall()}
    cursor.execute("ALTER SYSTEM SET wal_recycle = off")  # otherwise old segments come back under new names
    cursor.execute("SELECT pg_reload_conf()")
    try:
        for _ in range(ROUNDS):
            for _ in old:
                # An empty segment is not left for the next one, so each gets a record.
                cursor.execute("SELECT pg_logical_emit_message(false, 'palace', '')")
                cursor.execute("SELECT pg_switch_wal()")
            cursor.execute("CHECKPOINT")
            cursor.execute(LIST_SEGMENTS)
            old &= {name for (name,) in cursor.fetchall()}
            if not old:
                return
    finally:
        cursor.execute("ALTER SYSTEM RESET wal_recycle")
        cursor.execute("SELECT pg_reload_conf()")
    raise CommandError(
        "The tables are clean, but the server still needs a part of its old log. Run `scrub` again later."
    )
