"""Imports, exports and restores by REST."""

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


def upload(client: Client, address: str, content: bytes, **headers: str) -> Any:
    file = SimpleUploadedFile("conversations.json", content)
    return client.post(f"{API}/{address}", {"file": file}, headers=headers)


def uploaded(client: Client, what: str, content: bytes) -> str:
    """Upload a file; returns the URL of its import or restore."""
    response = upload(client, what, content)
    assert response.status_code == 202, response.content
    return f"{API}/{what}/{response.json()['id']}"


def run_job(user: User, address: str) -> None:
    """Run the job of the import or transfer at this URL."""
    work = process if "/imports/" in address else process_transfer
    with tenant(user.id):
        work(user.id, UUID(address.rpartition("/")[2]), timezone.now)


def test_import_creates_chats(alice_api: Client, as_alice: User) -> None:
    here = uploaded(alice_api, "imports", json.dumps(CLAUDE).encode())
    run_job(as_alice, here)
    body = alice_api.get(here).json()
    assert (body["state"], body["preview"]["conversations"]) == ("ready", 1)
    assert not Conversation.objects.exists()
    assert send(alice_api, "POST", f"{here}/start").status_code == 202
    run_job(as_alice, here)
    assert alice_api.get(here).json()["state"] == "done"
    assert send(alice_api, "POST", f"{here}/start").status_code == 409
    (chat,) = alice_api.get(f"{API}/conversations").json()["items"]
    messages = alice_api.get(f"{API}/conversations/{chat['id']}/messages").json()["items"]
    assert [message["content"] for message in messages] == [SAID]


def test_several_files_are_one_import(alice_api: Client, as_alice: User) -> None:
    other = [{**CLAUDE[0], "uuid": "c-2"}]
    files = [SimpleUploadedFile("data.json", json.dumps(each).encode()) for each in (CLAUDE, other)]
    response = alice_api.post(f"{API}/imports", {"file": files})
    assert response.status_code == 202, response.content
    run_job(as_alice, f"{API}/imports/{response.json()['id']}")
    (body,) = alice_api.get(f"{API}/imports").json()["items"]
    assert body["preview"]["conversations"] == 2
    assert alice_api.post(f"{API}/imports", {}).status_code == 422


@pytest.fixture
def ready(alice_api: Client, as_alice: User) -> str:
    """The URL of a checked import with a chat of January and one of March with tool output."""
    call = {"type": "tool_use", "id": "t-1", "name": "search", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "t-1", "name": "search", "content": "x" * 900}
    later = {"uuid": "m-2", "sender": "assistant", "created_at": "2026-03-02T10:00:00Z"}
    march = {"uuid": "c-2", "name": "Tides", "chat_messages": [{**later, "content": [call, result]}]}
    here = uploaded(alice_api, "imports", json.dumps([*CLAUDE, march]).encode())
    run_job(as_alice, here)
    return here


def test_chats_of_an_import_are_listed_and_selected(alice_api: Client, as_alice: User, ready: str) -> None:
    first = alice_api.get(f"{ready}/chats", {"limit": 1}).json()
    second = alice_api.get(f"{ready}/chats", {"limit": 1, "cursor": first["next"]}).json()
    (bread,), (tides,) = first["items"], second["items"]
    assert (bread["title"], bread["new_messages"], bread["selected"]) == ("Sourdough", 1, True)
    assert second["next"] is None
    for filters in ({"q": "TIDE"}, {"first": "2026-02"}):
        assert alice_api.get(f"{ready}/chats", filters).json()["items"] == [tides]
    body = send(alice_api, "PUT", f"{ready}/selection", {"last": "2026-02", "chats": [tides["id"]]})
    assert body.json() == {"chats": 0, "new_messages": 0, "unchanged": 0}
    assert send(alice_api, "PUT", f"{ready}/selection", {"last": "2026-02"}).json()["chats"] == 1
    assert send(alice_api, "PUT", f"{ready}/selection", {"chats": [tides["id"]]}).json()["new_messages"] == 2
    assert [each["selected"] for each in alice_api.get(f"{ready}/chats").json()["items"]] == [False, True]
    assert send(alice_api, "POST", f"{ready}/start").status_code == 202
    assert send(alice_api, "PUT", f"{ready}/selection", {}).status_code == 409
    run_job(as_alice, ready)
    (chat,) = Conversation.objects.all()
    assert chat.title == "Tides"
    assert len(chat.messages.get(role="tool").content) == 900
    (kept,) = alice_api.get(f"{ready}/chats").json()["items"]
    assert (kept["outcome"], kept["conversation_id"]) == ("conversations", str(chat.id))


@pytest.mark.parametrize("month", ["soon", "2026-13", "2026-1", "0000-01", "9999-12"])
def test_invalid_month_is_refused(alice_api: Client, ready: str, month: str) -> None:
    assert alice_api.get(f"{ready}/chats", {"first": month}).status_code == 422
    assert send(alice_api, "PUT", f"{ready}/selection", {"last": month}).status_code == 422


def test_unknown_file_is_refused_with_the_reason(alice_api: Client) -> None:
    for content in (b"", b"nothing", b"PK\x03\x04", b"\xff\xfe"):
        answer = upload(alice_api, "imports", content)
        assert answer.status_code == 422
        assert answer.json()["detail"]
    assert alice_api.get(f"{API}/imports").json()["items"] == []


@pytest.mark.parametrize("what", ["imports", "restores"])
def test_nearly_full_disk_is_a_server_error(alice_api: Client, settings: Any, what: str) -> None:
    settings.MIN_FREE_MB = 10**12
    answer = upload(alice_api, what, json.dumps(CLAUDE).encode())
    assert (answer.status_code, answer.json()["title"]) == (507, "Insufficient Storage")
    assert answer.json()["detail"] == "This server cannot store the file: No space left on device."


def test_repeated_upload_with_the_same_key_is_stored_once(alice_api: Client) -> None:
    content = json.dumps(CLAUDE).encode()
    first, second = (upload(alice_api, "imports", content, **{HEADER: "k1"}) for _ in range(2))
    assert first.json() == second.json()
    assert second.headers[REPLAYED] == "true"
    assert len(alice_api.get(f"{API}/imports").json()["items"]) == 1


def test_unconfirmed_import_can_be_deleted(alice_api: Client) -> None:
    here = uploaded(alice_api, "imports", json.dumps(CLAUDE).encode())
    assert send(alice_api, "DELETE", here).status_code == 200
    assert alice_api.get(here).status_code == 404


def test_export_can_be_created_and_downloaded(alice_api: Client, as_alice: User) -> None:
    save_note(as_alice.id, Note(SAID), timezone.now())
    assert send(alice_api, "POST", f"{API}/exports", {"wing": str(uuid4())}).status_code == 422
    requested = send(alice_api, "POST", f"{API}/exports", {})
    assert requested.status_code == 202, requested.content
    here = f"{API}/exports/{requested.json()['id']}"
    assert alice_api.get(f"{here}/file").status_code == 404
    run_job(as_alice, here)
    assert alice_api.get(here).json()["state"] == "done"
    found = alice_api.get(f"{here}/file")
    assert found.headers["Content-Type"] == "application/zip"
    assert SAID in _read(found, "data/drawers.jsonl")
    assert send(alice_api, "DELETE", here).status_code == 200
    assert alice_api.get(f"{here}/file").status_code == 404


def test_export_can_be_restored_into_another_account(
    alice_api: Client, bob_api: Client, as_alice: User, bob: User
) -> None:
    save_note(as_alice.id, Note(SAID), timezone.now())
    requested = send(alice_api, "POST", f"{API}/exports", {}).json()
    made = f"{API}/exports/{requested['id']}"
    run_job(as_alice, made)
    here = uploaded(bob_api, "restores", _bytes(alice_api.get(f"{made}/file")))
    run_job(bob, here)
    body = bob_api.get(here).json()
    assert (body["state"], body["counts"]["added"]["drawers"]) == ("ready", 1)
    assert bob_api.get(f"{API}/wings").json()["items"] == []
    assert send(bob_api, "POST", f"{here}/start").status_code == 202
    run_job(bob, here)
    assert bob_api.get(here).json()["state"] == "done"
    assert [wing["name"] for wing in bob_api.get(f"{API}/wings").json()["items"]] == ["Notes"]
    assert alice_api.get(here).status_code == 404


async def _joined(pieces: Any) -> bytes:
    return b"".join([piece async for piece in pieces])


def _bytes(answer: Any) -> bytes:
    return async_to_sync(_joined)(answer.streaming_content)


def _read(answer: Any, name: str) -> str:
    with ZipFile(BytesIO(_bytes(answer))) as archive:
        return archive.read(name).decode()
