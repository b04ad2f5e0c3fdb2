"""The scope of a connection: blocks, rollbacks, lost connections, threads and requests."""

from contextlib import nullcontext
from typing import Any

import psycopg
import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth.decorators import login_not_required
from django.db import DatabaseError, connection, connections, transaction
from django.db.utils import OperationalError
from django.http import HttpResponse, StreamingHttpResponse
from django.test import AsyncClient, Client, override_settings
from django.urls import path

from accounts.models import User
from accounts.tenancy import operator, tenant
from chat.models import Conversation
from palace.postgres import base
from palace.postgres.base import DatabaseNotPrepared, as_owner
from palace.urls import urlpatterns as palace_urls
from tests.at_once import at_once
from tests.database import address_of


@pytest.fixture
def people(transactional_db):
    """Alice with one conversation and Bob with two, committed."""
    alice = User.objects.create_user("alice@example.org", "alice-password-1")
    bob = User.objects.create_user("bob@example.org", "bob-password-1")
    for person, number in ((alice, 1), (bob, 2)):
        with tenant(person.id):
            for _ in range(number):
                Conversation.objects.create(user=person)
    return alice, bob


@pytest.fixture
async def closing():
    """Close the connections that asynchronous code opened in its thread."""
    yield
    await sync_to_async(connections.close_all)()


def count_visible():
    return Conversation.objects.count()


def fail():
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 / 0")


def test_scope_ends_with_its_block_also_after_a_rollback(people):
    alice, bob = people
    assert count_visible() == 0
    with tenant(alice.id):
        assert count_visible() == 1
        with tenant(bob.id):
            assert count_visible() == 2
        assert count_visible() == 1
        with operator():
            assert count_visible() == 0
    assert count_visible() == 0
    with pytest.raises(DatabaseError), transaction.atomic(), tenant(alice.id):
        assert count_visible() == 1
        fail()
    assert count_visible() == 0
    with transaction.atomic():
        with pytest.raises(DatabaseError), transaction.atomic(), tenant(alice.id):
            assert count_visible() == 1
            fail()
        assert count_visible() == 0
        with tenant(bob.id):
            assert count_visible() == 2


def test_scope_survives_a_rollback_and_a_lost_connection(people):
    alice, bob = people
    with tenant(alice.id):
        with pytest.raises(DatabaseError), transaction.atomic():
            assert count_visible() == 1
            fail()
        assert count_visible() == 1
    with tenant(alice.id), transaction.atomic():
        with transaction.atomic():
            with tenant(bob.id):
                assert count_visible() == 2
            transaction.set_rollback(True)
        assert count_visible() == 1
        with pytest.raises(DatabaseError), transaction.atomic():
            fail()
        assert count_visible() == 1
    with tenant(bob.id):
        end_session(connection.connection.info.backend_pid)
        with pytest.raises(OperationalError):
            count_visible()
        connection.close_if_unusable_or_obsolete()
        assert count_visible() == 2


def end_session(pid):
    with psycopg.connect(address_of(connection.settings_dict["NAME"])) as other:
        other.execute("SELECT pg_terminate_backend(%s, 5000)", [pid])


def test_threads_and_server_side_cursors_have_their_scopes(people):
    alice, bob = people
    scopes = (lambda: tenant(alice.id), lambda: tenant(bob.id), nullcontext)

    def look(number):
        with scopes[number]():
            return count_visible()

    with tenant(bob.id):
        assert at_once(look, 3) == [1, 2, 0]
        assert len(list(Conversation.objects.iterator(chunk_size=1))) == 2
    assert list(Conversation.objects.iterator(chunk_size=1)) == []


async def test_async_code_has_separate_scopes(people, closing):
    alice, bob = people
    with tenant(alice.id):
        assert await Conversation.objects.acount() == 1
        with tenant(bob.id):
            assert await sync_to_async(count_visible)() == 2
        assert await sync_to_async(count_visible)() == 1
    assert await Conversation.objects.acount() == 0


def test_owner_block_returns_to_the_application_role(people):
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


def test_unusable_logins_and_keys_are_reported(people):
    usual = connection.settings_dict
    with pytest.raises(DatabaseNotPrepared, match=r"manage\.py migrate"):
        base.DatabaseWrapper({**usual, "NAME": "postgres"}).ensure_connection()
    login = {"USER": "postgres", "PASSWORD": base.owner_login()["password"]}
    powerful = base.DatabaseWrapper({**usual, **login})
    with pytest.raises(DatabaseNotPrepared, match="PALACE_MIGRATION_DATABASE_URL"):
        powerful.ensure_connection()
    assert powerful.connection is None
    wrapper = base.DatabaseWrapper(usual)
    another = override_settings(SECRET_KEY="another key of the tests, which is long enough to be one")
    with another, pytest.raises(DatabaseNotPrepared, match="SECRET_KEY"):
        wrapper.cursor()
    wrapper.close()
    with override_settings(EMBEDDED_DATABASE=None, MIGRATION_LOGIN=None):
        assert not wrapper.has_owner
        with pytest.raises(DatabaseNotPrepared, match="PALACE_MIGRATION_DATABASE_URL"), wrapper.owner():
            pass


def role():
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_user")
        return str(cursor.fetchone()[0])


@login_not_required
def count(request):
    return HttpResponse(str(count_visible()))


@login_not_required
async def stream_async(request):
    async def parts():
        yield f"{await Conversation.objects.acount()} "
        yield f"{await Conversation.objects.acount()} "

    return StreamingHttpResponse(parts())


urlpatterns = [path("count", count), path("stream-async", stream_async), *palace_urls]


@pytest.mark.urls(__name__)
def test_persistent_connection_leaks_nothing_between_requests(people):
    alice, bob = people
    client = Client()
    answers = []
    for person in (alice, None, bob, None, alice):
        if person is None:
            client.logout()
        else:
            client.force_login(person)
        answers.append(client.get("/count").content.decode())
        assert client.get("/nowhere").status_code == 404
        assert count_visible() == 0
    assert answers == ["1", "0", "2", "0", "1"]


@pytest.mark.urls(__name__)
async def test_asynchronous_stream_keeps_its_tenant(people, closing):
    _, bob = people
    client = AsyncClient()
    await sync_to_async(client.force_login)(bob)
    answer: Any = await client.get("/stream-async")
    assert [part async for part in answer] == [b"2 ", b"2 "]
    assert await Conversation.objects.acount() == 0
