"""Each request works for its own person, on whatever connection it gets."""

from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.test import AsyncClient, Client
from django.urls import path

from accounts.models import User
from accounts.tenancy import tenant
from chat.models import Conversation
from tests.palace.postgres.conftest import seen


@login_not_required
def count(request: HttpRequest) -> HttpResponse:
    return HttpResponse(str(seen()))


@login_not_required
def stream(request: HttpRequest) -> StreamingHttpResponse:
    def parts() -> Iterator[str]:
        yield f"{seen()} "
        yield f"{seen()} "

    return StreamingHttpResponse(parts())


@login_not_required
async def stream_async(request: HttpRequest) -> StreamingHttpResponse:
    async def parts() -> AsyncIterator[str]:
        yield f"{await Conversation.objects.acount()} "
        yield f"{await Conversation.objects.acount()} "

    return StreamingHttpResponse(parts())


urlpatterns = [path("count", count), path("stream", stream), path("stream-async", stream_async)]


@pytest.mark.urls(__name__)
def test_a_connection_that_serves_one_person_after_another_leaks_nothing(people: tuple[User, User]) -> None:
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
        assert seen() == 0
    assert answers == ["1", "0", "2", "0", "1"]


@pytest.mark.urls(__name__)
def test_a_streamed_answer_keeps_its_tenant_and_nobody_elses(people: tuple[User, User]) -> None:
    alice, bob = people
    client = Client()
    client.force_login(bob)
    steps = iter(client.get("/stream"))
    assert next(steps) == b"2 "
    with tenant(alice.id):
        assert next(steps) == b"2 "
        assert seen() == 1
    assert seen() == 0


@pytest.mark.urls(__name__)
async def test_an_asynchronous_stream_keeps_its_tenant(people: tuple[User, User], closing: None) -> None:
    _, bob = people
    client = AsyncClient()
    await sync_to_async(client.force_login)(bob)
    answer: Any = await client.get("/stream-async")
    assert [part async for part in answer] == [b"2 ", b"2 "]
    assert await Conversation.objects.acount() == 0
