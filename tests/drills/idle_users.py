"""The cost of a sweep while no work is due, and whether its queries use an index.

`python -m tests.drills.idle_users --users 2000 --chats 100` fills a separate database with mined chats,
sweeps, adds other rows of users, and prints statements, seconds, and each query's plan.
"""

import argparse
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

import django
from django.apps import apps

if not apps.ready:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    django.setup()

from django.db import connection
from django.utils import timezone

import palace.postgres
from bench.palaces import own_database
from jobs.sweep import sweep, sweep_webhooks
from llm import current
from palace.postgres.base import as_owner
from tests.fake_gateway import FakeEmbedder

Report = Callable[[str], None]

QUERY = re.compile(r"WHEN '([a-z ]+)' THEN[^\n]*\n\s+RETURN QUERY\n(.*?);\n", re.DOTALL)
COLUMNS = """
SELECT a.attname, format_type(a.atttypid, a.atttypmod) FROM pg_attribute a
LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
WHERE a.attrelid = %s::regclass AND a.attnum > 0 AND NOT a.attisdropped AND a.attnotnull
  AND d.oid IS NULL AND a.attgenerated = ''
"""
LIKE_THE_FUNCTION = """
SELECT set_config(split_part(setting, '=', 1), split_part(setting, '=', 2), false)
FROM pg_proc, unnest(proconfig) setting WHERE proname = 'palace_due'
"""
PROGRESS = """
INSERT INTO memory_miningprogress (user_id, id, source_kind, source_id, mined_through, scanned_through,
  topic_shift_after, state, attempts, claims, error, updated_at)
SELECT user_id, gen_random_uuid(), 'conversation', id, 8, 8, 0, 'ready', 0, 0, '', now()
FROM chat_conversation
"""
SETTLED = {  # values of columns in rows without due work
    "auto_mine": "true",
    "confidence": "0.5",
    "events": "'{}'",
    "expired": "false",
    "facts_counted": "true",
    "importance": "0.5",
    "incognito": "false",
    "is_active": "true",
    "last_message_at": "now() - interval '1 day' * (1 + n / 3)",
    "last_sequence": "8",
    "mine": "true",
    "upkeep_at": "now() + interval '12 hours'",
    "made_at": "now() - interval '1 hour' * n",
    "method": "'model'",
    "mined_through": "8",
    "name": "''",
    "planned_at": "now()",
    "settled_through": "8",
    "source": "'chat'",
    "state": "'ready'",
    "status": "'active'",
    "source_kind": "'conversation'",
    "retention_days": "0",
    "consolidation": "'weekly'",
}
OF_ITS_TYPE = {
    "uuid": "gen_random_uuid()",
    "boolean": "false",
    "jsonb": "'{}'",
    "bytea": "decode(md5(random()::text), 'hex')",
    "timestamp with time zone": "now() - interval '1 hour' * (1 + 10 * n)",
}
IDLE = {"memory_palace": 1, "memory_memorypreferences": 1, "memory_consolidationrun": 5, "chat_agent": 2}
AGO = {
    "chats": "0",
    "memory": "0",
    "expired chats": "0",
    "readings": "0",
    "webhooks": "7 days",
}
USED = {"memory_drawer": 50, "memory_fact": 50, "memory_minedwindow": 100, "memory_activityevent": 50}
USED |= {"memory_changeset": 20, "memory_recalltrace": 20, "memory_forgetting": 5, "memory_tombstone": 20}
USED |= {"chat_importrun": 3, "chat_transfer": 3, "api_webhook": 1}
USED |= {"api_webhookdelivery": 20}
IN_TABLE = {
    "accounts_user": {"email": "gen_random_uuid()::text"},
    "api_webhook": {"paused_at": "CASE WHEN random() < 0.99 THEN now() END"},
    "api_webhookdelivery": {"status": "200"},
    "chat_importrun": {"state": "'done'"},
    "chat_transfer": {"state": "'done'"},
}


def fill(table: str, rows: int) -> None:
    """Add this many rows without due work for each user. Needs the owner of the tables."""
    known = SETTLED | IN_TABLE.get(table, {})
    with connection.cursor() as cursor:
        cursor.execute(COLUMNS, [table])
        kinds = dict(cursor.fetchall())
        cursor.execute("SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass", [table])
        names = {name for (name,) in cursor.fetchall()}
        chosen = {name: known.get(name, _value(kind)) for name, kind in kinds.items()}
        chosen |= {name: value for name, value in known.items() if name in names}
        if "user_id" in names:
            chosen["user_id"] = "u.id"
        people = "accounts_user u," if "user_id" in names else ""
        cursor.execute(
            f"INSERT INTO {table} ({', '.join(chosen)}) SELECT {', '.join(chosen.values())} "
            f"FROM {people} generate_series(1, %s) n",
            [rows],
        )


def _value(kind: str) -> str:
    if length := re.fullmatch(r"character varying\((\d+)\)", kind):
        return f"left(md5(random()::text), {length[1]})"
    if kind.endswith("[]"):
        return "'{}'"
    return OF_ITS_TYPE.get(kind, "md5(random()::text)" if kind == "text" else "n")


def measure(say: Report) -> None:
    """Sweep once and report its statements and seconds."""
    statements = 0

    def count(execute: Any, *arguments: Any) -> Any:
        nonlocal statements
        statements += 1
        return execute(*arguments)

    with connection.execute_wrapper(count):
        began = perf_counter()
        sweep(timezone.now())
        sweep_webhooks(timezone.now())
        say(f"{statements} statements, {perf_counter() - began:.2f} s")


def _leave_idle(users: int, chats: int) -> None:
    with as_owner(), connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")  # skips foreign keys and triggers
        fill("accounts_user", users)
        for table, rows in IDLE.items():
            fill(table, rows)
        fill("chat_conversation", chats)
        cursor.execute(PROGRESS)
        cursor.execute("ANALYZE")


def _explain(say: Report) -> None:
    queries = QUERY.findall(Path(palace.postgres.__file__).with_name("due.sql").read_text(encoding="utf-8"))
    with as_owner(), connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")
        for table, rows in USED.items():
            fill(table, rows)
        cursor.execute("UPDATE chat_conversation SET settled_through = 7 WHERE random() < 0.001")
        cursor.execute("ANALYZE")
        cursor.execute(LIKE_THE_FUNCTION)
        for work, query in queries:
            moment = f"(now() - interval '{AGO.get(work, '30 days')}')"
            statement = re.sub(r"\bmoment\b", moment, query)
            cursor.execute(f"EXPLAIN (ANALYZE, TIMING OFF, BUFFERS OFF) {statement}")
            plan = [line for (line,) in cursor.fetchall()]
            scans = [line.split("(")[0].strip(" ->") for line in plan if "Scan" in line]
            say(f"{work}: {'; '.join(scans)}; {plan[-1].strip()}")


def main() -> None:
    """Fill, sweep and explain."""
    parser = argparse.ArgumentParser(prog="python -m tests.drills.idle_users", description=__doc__)
    parser.add_argument("--users", type=int, default=2_000)
    parser.add_argument("--chats", type=int, default=100, help="of each user")
    options = parser.parse_args()

    def say(words: str) -> None:
        sys.stdout.write(words + "\n")

    with current.using(embedder=FakeEmbedder()), own_database("palace_drill_idle_users"):
        _leave_idle(options.users, options.chats)
        for _ in range(3):
            measure(say)
        _explain(say)


if __name__ == "__main__":
    main()
