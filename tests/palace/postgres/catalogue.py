"""The tables according to the database's catalogue, and rows for any of them."""

import re
from uuid import UUID, uuid4

from django.db import connection

from palace.postgres.base import as_owner

TABLES = """
SELECT c.relname FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = 'public'
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'user_id' AND NOT a.attisdropped
WHERE c.relkind IN ('r', 'p') ORDER BY 1
"""
REFERRING = """
SELECT DISTINCT conrelid::regclass::text FROM pg_constraint
WHERE contype = 'f' AND confrelid = 'accounts_user'::regclass
"""
COLUMNS = """
SELECT a.attname, format_type(a.atttypid, a.atttypmod)
FROM pg_attribute a
LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
WHERE a.attrelid = %s::regclass AND a.attnum > 0 AND NOT a.attisdropped
  AND (a.attnotnull OR a.attname = 'user_id') AND d.oid IS NULL AND a.attidentity = '' AND a.attgenerated = ''
"""
SIGNING_IN = dict.fromkeys(
    ("account_emailaddress", "allauth_idp_oidc_token", "mfa_authenticator", "usersessions_usersession"),
    "of django-allauth: visible to visitors, who sign in with them, and then only to their user",
)
NOT_OWNED = {
    **SIGNING_IN,
    "accounts_user_groups": "rights of staff",
    "accounts_user_user_permissions": "rights of staff",
    "django_admin_log": "what staff did in the admin",
}
OPERATIONAL = {
    "chat_transfer",
    "accounts_apitoken",
    "api_idempotencyrecord",
    "chat_importrun",
    "memory_miningprogress",
    "memory_usage",
}


def tables_with_a_user() -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute(TABLES)
        return [name for (name,) in cursor.fetchall()]


def tables_about_accounts() -> list[str]:
    """Accounts, sessions, and every table with a reference to an account."""
    with connection.cursor() as cursor:
        cursor.execute(REFERRING)
        return ["accounts_user", "django_session", *(name for (name,) in cursor.fetchall())]


def owned_tables() -> list[str]:
    return [name for name in tables_with_a_user() if name not in NOT_OWNED]


def add_row(table: str, user_id: UUID) -> None:
    """Insert a row of this user in any table, as the owner, without checking references."""
    with as_owner(), connection.cursor() as cursor:
        cursor.execute(COLUMNS, [table])
        columns = dict(cursor.fetchall())
        values = [user_id if name == "user_id" else value_of(kind) for name, kind in columns.items()]
        names = ", ".join(f'"{name}"' for name in columns)
        marks = ", ".join(f"%s::{kind}" for kind in columns.values())
        cursor.execute("SET LOCAL session_replication_role = replica")
        cursor.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", values)
        cursor.execute("SET LOCAL session_replication_role = origin")


def value_of(kind: str) -> str:
    """Any value of this type, as text."""
    length = re.search(r"\((\d+)", kind)
    size = int(length[1]) if length else None
    if kind.endswith("[]"):
        return "{}"
    if "vec" in kind and kind != "tsvector":
        return "[" + ",".join(["0.1"] * (size or 1)) + "]"
    if kind.startswith(("text", "character")):
        return uuid4().hex[:size]
    day = "2026-01-01"
    plain = {"uuid": str(uuid4()), "jsonb": "{}", "timestamp with time zone": day, "date": day}
    return plain.get(kind, "192.0.2.1" if kind == "inet" else "1")
