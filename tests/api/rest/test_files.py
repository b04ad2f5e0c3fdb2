"""Files come in and go out by REST as they do by the pages."""

import json
from io import BytesIO
from typing import Any
from uuid import UUID, uuid4
from zipfile import ZipFile

import pytest
from asgiref.sync import async_to_sync
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from accounts.models import User
from accounts.tenancy import tenant
from api.rest.idempotency import HEADER, REPLAYED
from chat.models import Conversation
from memory.organize.notes import Note, save_note
from tests.api.conftest import send
from transfer.imports import process
from transfer.transfers import process_transfer

pytestmark = pytest.mark.usefixtures("uploads")
API = "/api/v1"
SAID = "我每天早上喂酸面团 🍞"
MESSAGE = {"uuid": "m-1", "sender": "human", "text": SAID, "created_at": "2026-01-02T10:00:00Z"}
CLAUDE = [{"uuid": "c-1", "name": "Sourdough", "chat_messages": [MESSAGE]}]


def bring(client: Client, address: str, content: bytes, **headers: str) -> Any:
    file = SimpleUploadedFile("conversations.json", content)
    return client.post(f"{API}/{address}", {"file": file}, headers=headers)


def brought(client: Client, what: str, content: bytes) -> str:
    """The address of an import or restore of this file."""
    came = bring(client, what, content)
    assert came.status_code == 202, came.content
    return f"{API}/{what}/{came.json()['id']}"


def attend(user: User, address: str) -> None:
    """Do the work that the thing at this address waits for."""
    work = process if "/imports/" in address else process_transfer
    with tenant(user.id):
        work(user.id, UUID(address.rpartition("/")[2]), timezone.now)


def test_an_import_from_the_file_to_the_chat(alices: Client, as_alice: User) -> None:
    here = brought(alices, "imports", json.dumps(CLAUDE).encode())
    attend(as_alice, here)
    told = alices.get(here).json()
    assert (told["state"], told["preview"]["conversations"]) == ("ready", 1)
    assert not Conversation.objects.exists()
    assert send(alices, "POST", f"{here}/start").status_code == 202
    attend(as_alice, here)
    assert alices.get(here).json()["state"] == "done"
    assert send(alices, "POST", f"{here}/start").status_code == 409
    (chat,) = alices.get(f"{API}/conversations").json()["items"]
    messages = alices.get(f"{API}/conversations/{chat['id']}/messages").json()["items"]
    assert [message["content"] for message in messages] == [SAID]


def test_an_export_in_several_files_is_one_import(alices: Client, as_alice: User) -> None:
    other = [{**CLAUDE[0], "uuid": "c-2"}]
    files = [SimpleUploadedFile("data.json", json.dumps(each).encode()) for each in (CLAUDE, other)]
    came = alices.post(f"{API}/imports", {"file": files})
    assert came.status_code == 202, came.content
    attend(as_alice, f"{API}/imports/{came.json()['id']}")
    (told,) = alices.get(f"{API}/imports").json()["items"]
    assert told["preview"]["conversations"] == 2
    assert alices.post(f"{API}/imports", {}).status_code == 422


@pytest.fixture
def ready(alices: Client, as_alice: User) -> str:
    """The address of an import with a chat of January and one of March, with tool output, that is ready."""
    call = {"type": "tool_use", "id": "t-1", "name": "search", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "t-1", "name": "search", "content": "x" * 900}
    later = {"uuid": "m-2", "sender": "assistant", "created_at": "2026-03-02T10:00:00Z"}
    march = {"uuid": "c-2", "name": "Tides", "chat_messages": [{**later, "content": [call, result]}]}
    here = brought(alices, "imports", json.dumps([*CLAUDE, march]).encode())
    attend(as_alice, here)
    return here


def test_chats_of_an_import_are_listed_and_selected(alices: Client, as_alice: User, ready: str) -> None:
    first = alices.get(f"{ready}/chats", {"limit": 1}).json()
    second = alices.get(f"{ready}/chats", {"limit": 1, "cursor": first["next"]}).json()
    (bread,), (tides,) = first["items"], second["items"]
    assert (bread["title"], bread["new_messages"], bread["selected"]) == ("Sourdough", 1, True)
    assert second["next"] is None
    for filters in ({"q": "TIDE"}, {"first": "2026-02"}):
        assert alices.get(f"{ready}/chats", filters).json()["items"] == [tides]
    told = send(alices, "PUT", f"{ready}/selection", {"last": "2026-02", "chats": [tides["id"]]})
    assert told.json() == {"chats": 0, "new_messages": 0, "unchanged": 0}
    assert send(alices, "PUT", f"{ready}/selection", {"last": "2026-02"}).json()["chats"] == 1
    assert send(alices, "PUT", f"{ready}/selection", {"chats": [tides["id"]]}).json()["new_messages"] == 2
    assert [each["selected"] for each in alices.get(f"{ready}/chats").json()["items"]] == [False, True]
    assert send(alices, "POST", f"{ready}/start").status_code == 202
    assert send(alices, "PUT", f"{ready}/selection", {}).status_code == 409
    attend(as_alice, ready)
    (chat,) = Conversation.objects.all()
    assert chat.title == "Tides"
    assert len(chat.messages.get(role="tool").content) == 900
    (kept,) = alices.get(f"{ready}/chats").json()["items"]
    assert (kept["outcome"], kept["conversation_id"]) == ("conversations", str(chat.id))


@pytest.mark.parametrize("month", ["soon", "2026-13", "2026-1", "0000-01", "9999-12"])
def test_a_month_that_is_none_is_refused(alices: Client, ready: str, month: str) -> None:
    assert alices.get(f"{ready}/chats", {"first": month}).status_code == 422
    assert send(alices, "PUT", f"{ready}/selection", {"last": month}).status_code == 422


def test_a_file_of_nothing_known_is_refused_in_words(alices: Client) -> None:
    for content in (b"", b"nothing", b"PK\x03\x04", b"\xff\xfe"):
        answer = bring(alices, "imports", content)
        assert answer.status_code == 422
        assert answer.json()["detail"]
    assert alices.get(f"{API}/imports").json()["items"] == []


def test_an_upload_sent_again_is_kept_once(alices: Client) -> None:
    content = json.dumps(CLAUDE).encode()
    first, second = (bring(alices, "imports", content, **{HEADER: "k1"}) for _ in range(2))
    assert first.json() == second.json()
    assert second.headers[REPLAYED] == "true"
    assert len(alices.get(f"{API}/imports").json()["items"]) == 1


def test_an_import_that_waits_can_be_dropped(alices: Client) -> None:
    here = brought(alices, "imports", json.dumps(CLAUDE).encode())
    assert send(alices, "DELETE", here).status_code == 200
    assert alices.get(here).status_code == 404


def test_an_export_from_the_wish_to_the_file(alices: Client, as_alice: User) -> None:
    save_note(as_alice.id, Note(SAID), timezone.now())
    assert send(alices, "POST", f"{API}/exports", {"wing": str(uuid4())}).status_code == 422
    asked = send(alices, "POST", f"{API}/exports", {})
    assert asked.status_code == 202, asked.content
    here = f"{API}/exports/{asked.json()['id']}"
    assert alices.get(f"{here}/file").status_code == 404
    attend(as_alice, here)
    assert alices.get(here).json()["state"] == "done"
    found = alices.get(f"{here}/file")
    assert found.headers["Content-Type"] == "application/zip"
    assert SAID in _read(found, "data/drawers.jsonl")
    assert send(alices, "DELETE", here).status_code == 200
    assert alices.get(f"{here}/file").status_code == 404


def test_an_export_comes_back(alices: Client, bobs: Client, as_alice: User, bob: User) -> None:
    save_note(as_alice.id, Note(SAID), timezone.now())
    asked = send(alices, "POST", f"{API}/exports", {}).json()
    made = f"{API}/exports/{asked['id']}"
    attend(as_alice, made)
    here = brought(bobs, "restores", _bytes(alices.get(f"{made}/file")))
    attend(bob, here)
    told = bobs.get(here).json()
    assert (told["state"], told["counts"]["added"]["drawers"]) == ("ready", 1)
    assert bobs.get(f"{API}/wings").json()["items"] == []
    assert send(bobs, "POST", f"{here}/start").status_code == 202
    attend(bob, here)
    assert bobs.get(here).json()["state"] == "done"
    assert [wing["name"] for wing in bobs.get(f"{API}/wings").json()["items"]] == ["Notes"]
    assert alices.get(here).status_code == 404


async def _joined(pieces: Any) -> bytes:
    return b"".join([piece async for piece in pieces])


def _bytes(answer: Any) -> bytes:
    return async_to_sync(_joined)(answer.streaming_content)


def _read(answer: Any, name: str) -> str:
    with ZipFile(BytesIO(_bytes(answer))) as archive:
        return archive.read(name).decode()
