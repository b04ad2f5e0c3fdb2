"""Row-level security: the policies of every table that refers to a user, and the functions they call."""

import hashlib
from pathlib import Path

from django.apps import apps
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.utils import CursorWrapper
from django.utils.module_loading import import_string
from psycopg import sql

from palace.postgres.signature import key_pads

FUNCTIONS = "".join(
    Path(__file__).with_name(name).read_text(encoding="utf-8") for name in ("tenancy.sql", "due.sql")
)

OWN = "user_id = (SELECT public.palace_tenant())"
OPERATIONAL = f"{OWN} OR (SELECT public.palace_is_operator())"
ACCOUNTS = "(SELECT public.palace_sees_accounts())"
OF_ACCOUNT = f"{OWN} OR {ACCOUNTS}"
ANYBODY = "(SELECT public.palace_scope()) <> ''"
POLICIES = {
    "accounts_cacheentry": ACCOUNTS,
    "accounts_user": f"id = (SELECT public.palace_tenant()) OR {ACCOUNTS}",
    "accounts_user_groups": OF_ACCOUNT,
    "accounts_user_user_permissions": OF_ACCOUNT,
    "account_emailaddress": OF_ACCOUNT,
    "account_emailconfirmation": ACCOUNTS,
    "allauth_idp_oidc_client": ANYBODY,
    "allauth_idp_oidc_token": OF_ACCOUNT,
    "chat_agent": OWN,  # keyed like operational rows, but named and instructed by its owner
    "django_admin_log": OF_ACCOUNT,
    "django_session": ACCOUNTS,
    "mfa_authenticator": OF_ACCOUNT,
    "usersessions_usersession": OF_ACCOUNT,
}
"""Tables about accounts, and exceptions; any other with a user is `OPERATIONAL` or, by default, `OWN`."""

PRIVILEGES = "(OLD.is_staff, OLD.is_superuser, OLD.drawer_quota)"
GUARDS = {
    "accounts_user": (
        ("INSERT", "", "visitor, operator"),
        ("UPDATE", f"WHEN ({PRIVILEGES} IS DISTINCT FROM {PRIVILEGES.replace('OLD', 'NEW')})", "operator"),
    ),
    "accounts_user_groups": (("INSERT OR UPDATE", "", "operator"),),
    "accounts_user_user_permissions": (("INSERT OR UPDATE", "", "operator"),),
    "allauth_idp_oidc_client": (
        ("INSERT OR DELETE", "", "visitor, operator"),
        (
            "UPDATE",
            "WHEN (to_jsonb(OLD) - 'owner_id' IS DISTINCT FROM to_jsonb(NEW) - 'owner_id')",
            "visitor, operator",
        ),
    ),
    "auth_group": (("INSERT OR UPDATE OR DELETE", "", "operator"),),
    "auth_group_permissions": (("INSERT OR UPDATE OR DELETE", "", "operator"),),
    "auth_permission": (("INSERT OR UPDATE OR DELETE", "", ""),),
    "django_content_type": (("INSERT OR UPDATE OR DELETE", "", ""),),
}
"""What only some scopes may change, though they see it: rights, quotas, and where apps are called back."""
GUARD = "CREATE OR REPLACE TRIGGER {name} BEFORE {when} ON {table} FOR EACH ROW {which} "
GUARD += "EXECUTE FUNCTION public.palace_only_in({scopes})"

TABLES = """
SELECT c.relname, c.relforcerowsecurity, obj_description(p.oid, 'pg_policy')
FROM pg_class c LEFT JOIN pg_policy p ON p.polrelid = c.oid AND p.polname = 'tenant'
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
  AND (c.relname = ANY(%s) OR EXISTS (
    SELECT FROM pg_attribute a
    WHERE a.attrelid = c.oid AND a.attname = 'user_id' AND NOT a.attisdropped))
ORDER BY c.relname
"""
STORE_KEY = """
INSERT INTO palace_tenancy.key AS kept (inner_pad, outer_pad, policies) VALUES (%(inner)s, %(outer)s, '')
ON CONFLICT (is_only) DO UPDATE SET inner_pad = excluded.inner_pad, outer_pad = excluded.outer_pad
WHERE (kept.inner_pad, kept.outer_pad) <> (excluded.inner_pad, excluded.outer_pad)
"""
HAS_KEY_TABLE = "SELECT to_regclass('palace_tenancy.key') IS NOT NULL"
KNOWS_ANOTHER_KEY = "SELECT EXISTS (SELECT FROM palace_tenancy.key WHERE (inner_pad, outer_pad) <> (%s, %s))"
IS_CURRENT = """
SELECT EXISTS (
  SELECT FROM palace_tenancy.key WHERE inner_pad = %s AND outer_pad = %s AND policies = %s)
"""
PROTECT = (
    "DROP POLICY IF EXISTS tenant ON {table}",
    "DROP POLICY IF EXISTS owner ON {table}",
    "CREATE POLICY tenant ON {table} USING ({rule}) WITH CHECK ({rule})",
    # The owner migrates everybody's rows, and search runs as the owner for one tenant.
    "CREATE POLICY owner ON {table} TO CURRENT_USER USING (true) WITH CHECK (true)",
    "COMMENT ON POLICY tenant ON {table} IS {mark}",
    "ALTER TABLE {table} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY",
)


def install_functions(connection: BaseDatabaseWrapper) -> None:
    """Create the functions that the policies call, and store the key of this SECRET_KEY. For the owner."""
    inner, outer = key_pads()
    with connection.cursor() as cursor:
        cursor.execute(FUNCTIONS)
        cursor.execute(STORE_KEY, {"inner": inner, "outer": outer})


def protect_tables(connection: BaseDatabaseWrapper) -> None:
    """Put every table that refers to a user under its policy, whatever migrations did. For the owner."""
    operational = import_string("accounts.owned.Operational")  # models, which need Django to be set up
    tables = {model._meta.db_table for model in apps.get_models() if issubclass(model, operational)}
    with connection.cursor() as cursor:
        cursor.execute(TABLES, [list(POLICIES)])
        for table, forced, mark in cursor.fetchall():
            rule = POLICIES.get(table) or (OPERATIONAL if table in tables else OWN)
            if not forced or mark != _digest(rule):
                _protect(cursor, table, rule)
        _create_guards(cursor)
        cursor.execute("UPDATE palace_tenancy.key SET policies = %s", [policies_digest()])


def is_protected(connection: BaseDatabaseWrapper) -> bool:
    """Whether the database has this version's policies and the key of this SECRET_KEY. For the owner."""
    return _ask_key_table(connection, IS_CURRENT, *key_pads(), policies_digest())


def knows_another_key(connection: BaseDatabaseWrapper) -> bool:
    """Whether the database accepts the signatures of another SECRET_KEY. For the owner."""
    return _ask_key_table(connection, KNOWS_ANOTHER_KEY, *key_pads())


def _ask_key_table(connection: BaseDatabaseWrapper, question: str, *values: bytes | str) -> bool:
    """The answer, which is no as long as there is no such table."""
    with connection.cursor() as cursor:
        cursor.execute(HAS_KEY_TABLE)
        if not cursor.fetchone()[0]:
            return False
        cursor.execute(question, values)
        return bool(cursor.fetchone()[0])


def policies_digest() -> str:
    """A digest of the policies and of the functions that they call."""
    rules = (f"{table}: {rule}" for table, rule in (*POLICIES.items(), *GUARDS.items()))
    return _digest(FUNCTIONS, OWN, OPERATIONAL, GUARD, *rules)


def _protect(cursor: CursorWrapper, table: str, rule: str) -> None:
    names = {
        "table": sql.Identifier("public", table),
        "rule": sql.SQL(rule),  # a constant
        "mark": sql.Literal(_digest(rule)),
    }
    for statement in PROTECT:
        cursor.execute(sql.SQL(statement).format(**names))


def _create_guards(cursor: CursorWrapper) -> None:
    for table, guards in GUARDS.items():
        for number, (when, which, scopes) in enumerate(guards):
            names = {
                "name": sql.Identifier(f"palace_guard_{number}"),
                "table": sql.Identifier("public", table),
                "when": sql.SQL(when),  # constants
                "which": sql.SQL(which),
                "scopes": sql.SQL(", ").join(map(sql.Literal, filter(None, scopes.split(", ")))),
            }
            cursor.execute(sql.SQL(GUARD).format(**names))


def _digest(*texts: str) -> str:
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]
