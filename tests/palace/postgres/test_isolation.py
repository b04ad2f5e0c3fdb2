"""Isolation of users in the database, for every table."""

import re
from itertools import product

import pytest
from django.apps import apps
from django.conf import settings
from django.db import DatabaseError, IntegrityError, connection, models, transaction
from django.test.utils import CaptureQueriesContext

from accounts.tenancy import operator, tenant
from chat.models import Conversation, Message
from palace.management.commands import migrate
from palace.postgres.base import DatabaseNotPrepared, as_owner
from palace.postgres.policies import POLICIES
from palace.postgres.role import RoleNotPrepared, application_role, create_role
from tests.palace.postgres.catalogue import (
    OPERATIONAL,
    SIGNING_IN,
    add_row,
    owned_tables,
    tables_about_accounts,
    tables_with_a_user,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def rows(alice, bob):
    tables = owned_tables()
    for table, person in product(tables, (alice, bob)):
        add_row(table, person.id)
    return tables


def fetch(statement, *values):
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return cursor.fetchall()


def change(statement, *values):
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return int(cursor.rowcount)


def refusal(statement, *values):
    """The error with which the database refuses a statement, or an empty string."""
    try:
        with transaction.atomic():
            change(statement, *values)
    except DatabaseError as error:
        return str(error)
    return ""


def owners(table):
    return {row[0] for row in fetch(f"SELECT user_id FROM {table}")}


def test_every_table_with_a_user_has_an_enforced_policy():
    unprotected = fetch(
        """
        SELECT c.relname FROM pg_class c
        WHERE c.relname = ANY(%s) AND c.relnamespace = 'public'::regnamespace
          AND (NOT c.relrowsecurity OR NOT c.relforcerowsecurity OR NOT EXISTS (
            SELECT 1 FROM pg_policy p WHERE p.polrelid = c.oid AND p.polcmd = '*'
              AND p.polqual IS NOT NULL AND p.polwithcheck IS NOT NULL))
        """,
        [*tables_with_a_user(), *tables_about_accounts()],
    )
    assert unprotected == []
    assert set(tables_about_accounts()) <= {*POLICIES, *tables_with_a_user()}


def test_no_row_is_visible_or_writable_without_a_tenant(rows, alice):
    for table in rows:
        assert owners(table) == set(), table
        assert change(f"UPDATE {table} SET user_id = user_id") == 0, table
        assert change(f"DELETE FROM {table}") == 0, table
        statement = f"INSERT INTO {table} (user_id) VALUES (%s)"
        assert "row-level security" in refusal(statement, alice.id), table


def test_tenant_sees_and_changes_only_their_rows(rows, alice, bob):
    for table, person in product(SIGNING_IN, (alice, bob)):
        add_row(table, person.id)
    assert [table for table in SIGNING_IN if owners(table) != {alice.id, bob.id}] == [], "a visitor signs in"
    with tenant(alice.id):
        for table in (*rows, *SIGNING_IN):
            assert owners(table) == {alice.id}, table
            assert change(f"UPDATE {table} SET user_id = user_id WHERE user_id = %s", bob.id) == 0
            assert change(f"DELETE FROM {table} WHERE user_id = %s", bob.id) == 0
            insert = f"INSERT INTO {table} (user_id) VALUES (%s)"
            assert "row-level security" in refusal(insert, bob.id), table
            assert "row-level security" not in refusal(insert, alice.id), table
            give_away = f"UPDATE {table} SET user_id = %s"
            assert "row-level security" in refusal(give_away, bob.id), table
    with tenant(bob.id):
        assert [table for table in rows if owners(table) != {bob.id}] == []


def test_operator_sees_only_operational_tables(rows, alice, bob):
    assert set(rows) >= OPERATIONAL
    with operator():
        seen = {table for table in rows if owners(table)}
        assert seen == OPERATIONAL
        assert [table for table in OPERATIONAL if owners(table) != {alice.id, bob.id}] == []
    with operator(alice.id):
        assert [table for table in set(rows) - OPERATIONAL if owners(table) != {alice.id}] == []


def test_application_role_has_no_privileges():
    role = application_role()
    assert fetch("SELECT current_user") == [(role,)]
    powers = "rolsuper, rolbypassrls, rolcreatedb, rolcreaterole, rolreplication"
    assert fetch(f"SELECT {powers} FROM pg_roles WHERE rolname = %s", role) == [(False,) * 5]
    owned = """
        SELECT 'class', relname FROM pg_class WHERE relowner = %s::regrole
        UNION ALL SELECT 'function', proname FROM pg_proc WHERE proowner = %s::regrole
        UNION ALL SELECT 'schema', nspname FROM pg_namespace WHERE nspowner = %s::regrole
    """
    assert fetch(owned, role, role, role) == []
    memberships = "SELECT 1 FROM pg_auth_members WHERE member = %s::regrole"
    assert fetch(memberships, role) == []


def test_security_definer_functions_are_known_and_pin_their_search_path():
    found = fetch(
        """
        SELECT p.proname, coalesce(array_to_string(p.proconfig, ' '), '') FROM pg_proc p
        WHERE p.prosecdef AND p.pronamespace = 'public'::regnamespace
        """
    )
    known = {
        "memory_match_words",
        "memory_match_words_within",
        "memory_analyse_changed",
        "memory_forget_samples",
        "palace_due",
        "palace_request_upkeep",
        "palace_scope",
    }
    assert {name for name, _ in found} == known
    assert [
        options
        for _, options in found
        if not re.search("search_path=(public|pg_catalog), pg_temp", str(options))
    ] == []


def test_unique_indexes_and_references_of_owned_tables_include_the_user():
    unique = """
        SELECT t.relname || ': ' || i.relname FROM pg_index x
        JOIN pg_class t ON t.oid = x.indrelid JOIN pg_class i ON i.oid = x.indexrelid
        JOIN pg_attribute a ON a.attrelid = t.oid AND a.attname = 'user_id'
        WHERE t.relname = ANY(%s) AND x.indisunique AND NOT (a.attnum = ANY(x.indkey::int2[]))
    """
    assert fetch(unique, owned_tables()) == []
    references = """
        SELECT c.conname, s.attnum = ANY(c.conkey) AND d.attnum = ANY(c.confkey)
        FROM pg_constraint c
        JOIN pg_class f ON f.oid = c.conrelid JOIN pg_class t ON t.oid = c.confrelid
        JOIN pg_attribute s ON s.attrelid = f.oid AND s.attname = 'user_id'
        JOIN pg_attribute d ON d.attrelid = t.oid AND d.attname = 'user_id'
        WHERE c.contype = 'f' AND f.relname = ANY(%s) AND t.relname = ANY(%s)
    """
    found = fetch(references, owned_tables(), owned_tables())
    assert len(found) > 10
    assert [name for name, repeated in found if not repeated] == []


def test_reference_to_a_row_of_another_user_is_refused(alice, bob):
    with tenant(bob.id):
        his = Conversation.objects.create(user=bob)
    refused = pytest.raises(IntegrityError, match="foreign key")
    with tenant(alice.id), refused, transaction.atomic():
        Message.objects.create(user=alice, conversation_id=his.id, sequence=1, role="user")
        change("SET CONSTRAINTS ALL IMMEDIATE")


def test_saving_filters_by_user_and_does_not_change_it(rows, alice):
    owned = {model for model in apps.get_models() if model._meta.db_table in rows}
    assert {model._meta.db_table for model in owned} == set(rows)
    with tenant(alice.id), transaction.atomic():
        for model in owned:
            row = model._default_manager.get()
            with CaptureQueriesContext(connection) as queries:
                row.save(force_update=has_other_columns(model))
            updates = [query["sql"] for query in queries if query["sql"].startswith("UPDATE")]
            assert len(updates) == has_other_columns(model), model
            for sql in updates:
                changed, _, condition = sql.partition(" WHERE ")
                assert '"user_id"' not in changed, sql
                assert '"user_id"' in condition, sql
        transaction.set_rollback(True)  # the rows have dangling references, which a commit would refuse


def has_other_columns(model):
    return any(
        not f.primary_key and f.column not in {None, "user_id", "id"} for f in model._meta.concrete_fields
    )


LAYERS = {"accounts": 0, "memory": 1, "chat": 2, "transfer": 3, "api": 4}


def test_references_between_packages_follow_the_layers():
    ends = [
        (model._meta.app_label, field.related_model._meta.app_label, field)
        for model in apps.get_models()
        for field in model._meta.get_fields()
        if isinstance(field, models.ForeignObject) and field.related_model is not None
    ]
    ends = [each for each in ends if LAYERS.keys() >= {*each[:2]}]
    assert len(ends) > 10
    assert [field for app, other, field in ends if LAYERS[other] > LAYERS[app]] == []


@pytest.mark.parametrize(
    ("name", "advice"), [("nowhere", "install it there"), ("btree_gist", "CREATE EXTENSION")]
)
def test_extension_that_cannot_be_created_is_refused_with_advice(name, advice, monkeypatch):
    monkeypatch.setattr(migrate, "EXTENSIONS", {name: "it"})
    with pytest.raises(DatabaseNotPrepared, match=advice), transaction.atomic():
        migrate.create_extensions(connection)  # as the application, which lacks the privilege


def test_unsuitable_logins_are_refused_with_the_statement_to_run(monkeypatch):
    with pytest.raises(RoleNotPrepared, match="PALACE_MIGRATION_DATABASE_URL"):
        create_role(connection)  # the migrating login is that of DATABASE_URL here
    monkeypatch.setitem(settings.DATABASES["default"], "USER", "palace_somebody")
    refused = pytest.raises(RoleNotPrepared, match="CREATE ROLE palace_somebody")
    with refused, transaction.atomic():
        create_role(connection)  # as the application, which lacks the privilege
    with transaction.atomic():
        with as_owner():
            change("CREATE ROLE palace_somebody BYPASSRLS")
            with pytest.raises(RoleNotPrepared, match="NOBYPASSRLS"):
                create_role(connection)
        transaction.set_rollback(True)


def test_owner_who_may_create_roles_sets_the_password_of_its_own_login_only(monkeypatch):
    monkeypatch.setitem(settings.DATABASES["default"], "USER", "palace_somebody")
    with transaction.atomic():
        with as_owner():
            change("CREATE ROLE palace_creator CREATEROLE")
            first, second = (password_after_create_role(given, monkeypatch) for given in ("first", "second"))
            change("REVOKE palace_somebody FROM palace_creator")
            third = password_after_create_role("third", monkeypatch)
        assert first != second == third
        transaction.set_rollback(True)


def password_after_create_role(password, monkeypatch):
    """What the server keeps of the login's password once a role with CREATEROLE has prepared it."""
    monkeypatch.setitem(settings.DATABASES["default"], "PASSWORD", password)
    change("SET LOCAL ROLE palace_creator")
    create_role(connection)
    with connection.cursor() as cursor:
        cursor.execute("RESET ROLE")
        cursor.execute("SELECT rolpassword FROM pg_authid WHERE rolname = 'palace_somebody'")
        return cursor.fetchone()[0]
