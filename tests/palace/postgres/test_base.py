"""The scope of a connection through everything that may happen to it."""

from contextlib import nullcontext

import psycopg
import pytest
from asgiref.sync import sync_to_async
from django.db import DatabaseError, connection, transaction
from django.db.utils import OperationalError
from django.test import override_settings

from accounts.models import User
from accounts.tenancy import operator, tenant
from chat.models import Conversation
from palace.postgres import base
from palace.postgres.base import DatabaseNotPrepared, as_owner
from tests.at_once import at_once
from tests.database import address_of
from tests.palace.postgres.conftest import seen


def fail() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 / 0")


def test_the_scope_ends_with_its_block(people: tuple[User, User]) -> None:
    alice, bob = people
    assert seen() == 0
    with tenant(alice.id):
        assert seen() == 1
        with tenant(bob.id):
            assert seen() == 2
        assert seen() == 1
        with operator():
            assert seen() == 0
    assert seen() == 0


def test_a_scope_that_began_before_a_rollback_is_not_left_behind(people: tuple[User, User]) -> None:
    alice, bob = people
    with pytest.raises(DatabaseError), transaction.atomic(), tenant(alice.id):
        assert seen() == 1
        fail()
    assert seen() == 0
    with transaction.atomic():
        with pytest.raises(DatabaseError), transaction.atomic(), tenant(alice.id):
            assert seen() == 1
            fail()
        assert seen() == 0
        with tenant(bob.id):
            assert seen() == 2


def test_the_scope_survives_a_rollback(people: tuple[User, User]) -> None:
    alice, bob = people
    with tenant(alice.id):
        with pytest.raises(DatabaseError), transaction.atomic():
            assert seen() == 1
            fail()
        assert seen() == 1
    with tenant(alice.id), transaction.atomic():
        with transaction.atomic():
            with tenant(bob.id):
                assert seen() == 2
            transaction.set_rollback(True)
        assert seen() == 1
        with pytest.raises(DatabaseError), transaction.atomic():
            fail()
        assert seen() == 1


def test_the_scope_survives_a_connection_that_the_server_ended(people: tuple[User, User]) -> None:
    alice, _ = people
    with tenant(alice.id):
        end_session(connection.connection.info.backend_pid)
        with pytest.raises(OperationalError):
            seen()
        connection.close_if_unusable_or_obsolete()
        assert seen() == 1


def end_session(pid: int) -> None:
    with psycopg.connect(address_of(connection.settings_dict["NAME"])) as other:
        other.execute("SELECT pg_terminate_backend(%s, 5000)", [pid])


def test_a_named_cursor_reads_within_the_scope(people: tuple[User, User]) -> None:
    _, bob = people
    with tenant(bob.id):
        assert len(list(Conversation.objects.iterator(chunk_size=1))) == 2
    assert list(Conversation.objects.iterator(chunk_size=1)) == []


def test_threads_have_scopes_of_their_own(people: tuple[User, User]) -> None:
    alice, bob = people
    scopes = (lambda: tenant(alice.id), lambda: tenant(bob.id), nullcontext)

    def look(number: int) -> int:
        with scopes[number]():
            return seen()

    with tenant(bob.id):
        assert at_once(look, 3) == [1, 2, 0]


async def test_tasks_have_scopes_of_their_own(people: tuple[User, User], closing: None) -> None:
    alice, bob = people
    with tenant(alice.id):
        assert await Conversation.objects.acount() == 1
        with tenant(bob.id):
            assert await sync_to_async(seen)() == 2
        assert await sync_to_async(seen)() == 1
    assert await Conversation.objects.acount() == 0


def test_work_as_the_owner_ends_as_the_application(people: tuple[User, User]) -> None:
    with as_owner():
        assert role() != "palace_app"
    assert role() == "palace_app"
    with transaction.atomic():
        User.objects.create_user("passing@example.org", "a-password-1")
        with as_owner():
            pass
        transaction.set_rollback(True)
    assert not User.objects.filter(email="passing@example.org").exists()
    with pytest.raises(DatabaseError), as_owner():
        fail()
    assert role() == "palace_app"
    with pytest.raises(DatabaseError), transaction.atomic(), as_owner():
        fail()
    assert role() == "palace_app"
    with transaction.atomic():
        with as_owner():
            assert role() != "palace_app"
        assert role() == "palace_app"
        transaction.set_rollback(True)
    assert role() == "palace_app"


@pytest.mark.django_db
def test_logins_that_could_read_everything_or_have_no_tables_are_refused() -> None:
    place = {**connection.settings_dict, "NAME": "postgres"}
    with pytest.raises(DatabaseNotPrepared, match=r"manage\.py migrate"):
        base.DatabaseWrapper(place).ensure_connection()
    powerful = base.DatabaseWrapper({**connection.settings_dict, "USER": "postgres"})
    powerful.settings_dict["PASSWORD"] = base.owner_login()["password"]
    with pytest.raises(DatabaseNotPrepared, match="PALACE_MIGRATION_DATABASE_URL"):
        powerful.ensure_connection()
    assert powerful.connection is None


def test_another_secret_key_is_told_apart_from_an_empty_palace(people: tuple[User, User]) -> None:
    wrapper = base.DatabaseWrapper(connection.settings_dict)
    with (
        override_settings(SECRET_KEY="another key of the tests, which is long enough to be taken for one"),
        pytest.raises(DatabaseNotPrepared, match="SECRET_KEY"),
    ):
        wrapper.cursor()
    wrapper.close()


@pytest.mark.django_db
def test_a_process_without_the_owners_login_says_which_setting_is_missing() -> None:
    wrapper = base.DatabaseWrapper(connection.settings_dict)
    with override_settings(EMBEDDED_DATABASE=None, MIGRATION_LOGIN=None):
        assert not wrapper.has_owner
        with pytest.raises(DatabaseNotPrepared, match="PALACE_MIGRATION_DATABASE_URL"), wrapper.owner():
            pass


def role() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_user")
        return str(cursor.fetchone()[0])
