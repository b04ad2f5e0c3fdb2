"""Arbitrary SQL as the application role reads no rows, or only those of the current tenant.

The attacks run on real connections of the application's login: one without a scope (`stranger`), and one
with Alice as tenant, as in a page with an SQL injection (`injected`).
"""

from typing import Any
from uuid import UUID

import psycopg
import pytest
from allauth.idp.oidc.models import Client as App
from django.db import connection, transaction
from psycopg import sql

from accounts.tenancy import Scope, tenant
from palace.postgres.base import SET_SCOPE, DatabaseWrapper, as_owner
from palace.postgres.signature import sign_scope
from tests.cases import cases
from tests.database import variables_of
from tests.palace.postgres.catalogue import add_row, tables_with_a_user

pytestmark = pytest.mark.django_db(transaction=True)

Session = psycopg.Connection[tuple[Any, ...]]
WORDS = "the words that only Bob may read"

SQL = cases(__file__, "attacks.txt")
COPIES = (
    "COPY (SELECT content FROM memory_drawer) TO STDOUT",
    "COPY memory_drawer TO STDOUT",
    "COPY accounts_user TO STDOUT",
)


@pytest.fixture
def people(alice, bob):
    """Alice and Bob, each with a row in every table; Bob has a drawer to read."""
    with transaction.atomic():
        for table in tables_with_a_user():
            for person in (alice, bob):
                add_row(table, person.id)
        with as_owner(), connection.cursor() as cursor:
            cursor.execute("SET LOCAL session_replication_role = replica")
            cursor.execute("UPDATE memory_drawer SET content = %s WHERE user_id = %s", [WORDS, bob.id])
    return alice, bob


def log_in():
    return psycopg.connect(variables_of(connection.settings_dict["NAME"])["DATABASE_URL"], autocommit=True)


def set_scope(session, scope, backend=None):
    """Set the scope as the application does; returns whether the database accepted it."""
    said = sign_scope(scope, backend or session.info.backend_pid)
    return bool((session.execute(SET_SCOPE, [said]).fetchone() or (None,))[-1])


@pytest.fixture
def stranger(people):
    with log_in() as session:
        yield session


@pytest.fixture
def injected(people):
    with log_in() as session:
        assert set_scope(session, Scope(people[0].id))
        yield session


def owners(session):
    """The users whose rows the session can read, in any table."""
    found: set[UUID] = set()
    for table in ("accounts_user", *tables_with_a_user()):
        column = "id" if table == "accounts_user" else "user_id"
        query = sql.SQL("SELECT {} FROM {}").format(sql.Identifier(column), sql.Identifier("public", table))
        found |= {row[0] for row in session.execute(query)}
    return found


def answer(session, statement):
    """Execute a statement; returns its rows, or the error that refused it."""
    try:
        cursor = session.execute(statement)  # type: ignore[arg-type]
    except psycopg.Error as error:
        return error
    return cursor.fetchall() if cursor.description else []


def refused(session, statement):
    return isinstance(answer(session, statement), psycopg.Error)


def test_only_a_scope_signed_for_the_own_connection_shows_rows(stranger, injected, people):
    assert owners(stranger) == set()
    assert stranger.execute("SELECT count(*) FROM django_session").fetchone() == (0,)
    assert refused(stranger, "INSERT INTO accounts_user (id, email) VALUES (gen_random_uuid(), 'x@x.org')")
    (said,) = injected.execute("SELECT current_setting('palace.scope')").fetchone() or ("",)
    stranger.execute("SELECT set_config('palace.scope', %s, false)", [said])
    assert owners(stranger) == set()
    assert not set_scope(stranger, Scope(people[1].id), backend=injected.info.backend_pid)
    assert owners(stranger) == set()


def test_tenant_sees_and_copies_only_their_rows_and_no_sessions(injected, people):
    assert owners(injected) == {people[0].id}
    assert injected.execute("SELECT count(*) FROM django_session").fetchone() == (0,)
    emails = injected.execute("SELECT email FROM accounts_user").fetchall()
    assert emails == [("alice@example.org",)]
    assert injected.execute("DELETE FROM accounts_user WHERE email LIKE 'bob%'").rowcount == 0
    for query in COPIES:
        with injected.cursor().copy(query) as rows:  # type: ignore[call-overload]
            text = b"".join(bytes(row) for row in rows).decode()
        assert WORDS not in text, query
        assert "bob@example.org" not in text, query


def test_statements_reserved_to_the_owner_are_refused(injected):
    assert [statement for statement in SQL["reserved to the owner"] if not refused(injected, statement)] == []


def test_resetting_the_role_gains_nothing(injected, people):
    for statement in ("RESET ROLE", "SET ROLE NONE", "RESET SESSION AUTHORIZATION"):
        injected.execute(statement)  # type: ignore[arg-type]  # allowed to everybody, without effect
        assert injected.execute("SELECT current_user, session_user").fetchone() == ("palace_app",) * 2
    assert owners(injected) == {people[0].id}
    for statement in ("RESET ALL", "DISCARD ALL"):
        injected.execute(statement)  # type: ignore[arg-type]
        assert owners(injected) == set()


def test_forged_settings_do_not_change_the_tenant(injected, people):
    alice, bob = people
    (own,) = injected.execute("SELECT current_setting('palace.scope')").fetchone() or ("",)
    digest = str(own).split()[-1]
    forged = [
        f"tenant:{bob.id}",
        f"tenant:{bob.id} ",
        f"tenant:{bob.id} {digest}",
        f"tenant:{bob.id} {'0' * 64}",
        f"tenant:{bob.id} {own}",
        f"tenant:{alice.id}:{bob.id} {digest}",
        f"operator: {digest}",
        f"operator:{alice.id} {digest}",
        f"visitor: {digest}",
        f"{own} tenant:{bob.id}",
        f" {digest}",
        digest,
        "visitor:",
        "%",
        "\n",
    ]
    for value in forged:
        for name in ("palace.scope", "palace.user_id", "palace.operator", "palace.tenant"):
            injected.execute("SELECT set_config(%s, %s, false)", [name, value])
        assert bob.id not in owners(injected), value
        assert injected.execute("SELECT palace_sees_accounts()").fetchone() == (False,), value


def test_rollback_does_not_restore_an_earlier_tenant(people):
    """Nor the right to see accounts."""
    alice, bob = people
    wrapper = DatabaseWrapper(connection.settings_dict)
    with tenant(bob.id), wrapper.cursor() as cursor:
        cursor.execute("SELECT 1")
    with tenant(alice.id):
        wrapper.set_autocommit(False)
        with wrapper.cursor() as cursor:
            cursor.execute("ROLLBACK")
            cursor.execute("SELECT DISTINCT user_id FROM memory_drawer")
            assert cursor.fetchall() == [(alice.id,)]
            cursor.execute("SELECT count(*) FROM accounts_user")
            assert cursor.fetchone() == (1,)
        wrapper.rollback()
        wrapper.set_autocommit(True)
    wrapper.close()


def test_temporary_tables_of_one_tenant_do_not_capture_rows_of_the_next(injected, people):
    injected.execute("CREATE TEMP TABLE memory_drawer (LIKE public.memory_drawer)")
    injected.execute("CREATE TEMP TABLE key (inner_pad bytea, outer_pad bytea)")
    injected.execute("SET search_path = pg_temp, public")
    assert set_scope(injected, Scope(people[1].id))
    assert injected.execute("SELECT content FROM memory_drawer").fetchone() == (WORDS,)
    assert injected.execute("SELECT count(*) FROM pg_temp.memory_drawer").fetchone() == (0,)


def test_security_definer_functions_ignore_names_in_pg_temp(injected, people):
    bob = people[1]
    injected.execute("CREATE TEMP TABLE key AS SELECT ''::bytea AS inner_pad, ''::bytea AS outer_pad")
    injected.execute("CREATE TEMP VIEW memory_drawerwords AS SELECT * FROM public.memory_drawerwords")
    injected.execute("CREATE DOMAIN pg_temp.uuid AS text")
    for name in ("current_setting(text, boolean)", "sha256(bytea)", "split_part(text, text, int)"):
        body = f"tenant:{bob.id}"
        injected.execute(  # type: ignore[call-overload]
            f"CREATE FUNCTION pg_temp.{name} RETURNS text LANGUAGE sql AS $$ SELECT '{body}'::text $$"
        )
    for path in ("pg_temp, public", "pg_temp, pg_catalog, public", "public, pg_temp", "pg_temp"):
        injected.execute("SELECT set_config('search_path', %s, false)", [path])
        (seen,) = injected.execute("SELECT public.palace_scope()").fetchone() or ("",)
        assert str(bob.id) not in str(seen)
        assert bob.id not in owners(injected)
        words = injected.execute(
            "SELECT count(*) FROM public.memory_match_words("
            "'a'::tsquery, '{a}'::tsquery[], '{1}'::real[], 1, 10, 10)"
        )
        assert words.fetchone() == (0,)


def test_functions_views_and_statistics_leak_nothing(injected, people):
    bob = people[1]
    with connection.owner(), connection.cursor() as cursor:
        cursor.execute("ANALYZE memory_drawer, accounts_user, memory_drawerwords")
    with log_in() as other:
        set_scope(other, Scope(bob.id))
        other.execute(sql.SQL("SELECT {}").format(sql.Literal(WORDS)))
        for query in SQL["queries that might show rows of others"]:
            found = str(answer(injected, query))
            assert WORDS not in found, query
            assert "bob@example.org" not in found, query
            assert f"tenant:{bob.id}" not in found, query


def test_leaky_functions_and_row_estimates_do_not_show_rows_of_others(injected):
    notices: list[str] = []
    injected.add_notice_handler(lambda notice: notices.append(str(notice.message_primary)))
    injected.execute(
        "CREATE FUNCTION pg_temp.leak(text) RETURNS boolean LANGUAGE plpgsql COST 0.0000001 AS "
        "$$ BEGIN RAISE NOTICE '%', $1; RETURN true; END $$"
    )
    injected.execute("CREATE OPERATOR pg_temp.~~~ (FUNCTION = pg_temp.leak, RIGHTARG = text)")
    for query in (
        "SELECT * FROM memory_drawer WHERE pg_temp.leak(content)",
        "SELECT * FROM accounts_user WHERE pg_temp.leak(email)",
        "EXPLAIN ANALYZE SELECT * FROM memory_drawer WHERE pg_temp.leak(content) OR content::int = 1",
        "SELECT * FROM memory_drawer WHERE OPERATOR(pg_temp.~~~) content",
        "DELETE FROM memory_drawer WHERE pg_temp.leak(content) AND false",
    ):
        refused(injected, query)
    assert [line for line in notices if WORDS in line or "bob@" in line] == []
    assert not refused(injected, "SELECT content::int FROM memory_drawer WHERE content LIKE '%only Bob%'")
    with connection.owner(), connection.cursor() as cursor:
        cursor.execute("ANALYZE memory_drawer")

    def estimate(guess):
        query = sql.SQL("EXPLAIN SELECT 1 FROM memory_drawer WHERE content LIKE {}")
        plan = injected.execute(query.format(sql.Literal(guess))).fetchall()
        return [(str(line).partition("Filter")[0],) for (line,) in plan]

    assert estimate(f"{WORDS[:20]}%") == estimate("x" * 20 + "%")


@pytest.mark.parametrize("scope", [None, Scope()], ids=["tenant", "visitor"])
def test_users_cannot_promote_themselves(injected, people, scope):
    App.objects.create(id="app", name="Vane", secret="x")
    if scope:
        assert set_scope(injected, scope)
    attempted = [each for each in SQL["promotions"] if not (scope and "oidc_client" in each)]
    assert [each for each in attempted if not refused(injected, each)] == []
    assert set_scope(injected, Scope(people[0].id, operator=True))
    assert not refused(injected, "UPDATE accounts_user SET is_staff = true")


def test_owner_login_requires_its_password():
    place = connection.settings_dict
    for user in ("postgres", "nobody"):
        with pytest.raises(psycopg.OperationalError):
            psycopg.connect(host=place["HOST"], port=place["PORT"] or None, user=user, dbname=place["NAME"])
