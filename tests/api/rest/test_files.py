"""Imports, exports, restores and tokens by REST."""

import json
from datetime import timedelta
from io import BytesIO
from uuid import UUID, uuid4
from zipfile import ZipFile

import pytest
from asgiref.sync import async_to_sync
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from accounts.tenancy import tenant
from api.rest.idempotency import HEADER, REPLAYED
from chat.models import Conversation
from memory.organize.notes import Note, save_note
from tests.api.conftest import api_client, send, token_of
from transfer.imports import process
from transfer.models import Transfer
from transfer.transfers import process_transfer

pytestmark = pytest.mark.usefixtures("uploads")

API = "/api/v1"
SAID = "我每天早上喂酸面团 🍞"
MESSAGE = {"uuid": "m-1", "sender": "human", "text": SAID, "created_at": "2026-01-02T10:00:00Z"}
CLAUDE = [{"uuid": "c-1", "name": "Sourdough", "chat_messages": [MESSAGE]}]


def upload(client, address, content, **headers):
    file = SimpleUploadedFile("conversations.json", content)
    return client.post(f"{API}/{address}", {"file": file}, headers=headers)


def uploaded(client, what, content):
    """Upload a file; returns the URL of its import or restore."""
    response = upload(client, what, content)
    assert response.status_code == 202, response.content
    return f"{API}/{what}/{response.json()['id']}"


def run_job(user, address):
    """Run the job of the import or transfer at this URL."""
    work = process if "/imports/" in address else process_transfer
    with tenant(user.id):
        work(user.id, UUID(address.rpartition("/")[2]), timezone.now)


@pytest.fixture
def ready(alice_api, as_alice):
    """The URL of a checked import with a chat of January and one of March with tool output."""
    call = {"type": "tool_use", "id": "t-1", "name": "search", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "t-1", "name": "search", "content": "x" * 900}
    later = {"uuid": "m-2", "sender": "assistant", "created_at": "2026-03-02T10:00:00Z"}
    march = {"uuid": "c-2", "name": "Tides", "chat_messages": [{**later, "content": [call, result]}]}
    here = uploaded(alice_api, "imports", json.dumps([*CLAUDE, march]).encode())
    run_job(as_alice, here)
    body = alice_api.get(here).json()
    assert (body["state"], body["preview"]["conversations"]) == ("ready", 2)
    assert not Conversation.objects.exists()
    return here


def test_import_creates_chats(alice_api, as_alice, ready):
    assert send(alice_api, "POST", f"{ready}/start").status_code == 202
    run_job(as_alice, ready)
    assert alice_api.get(ready).json()["state"] == "done"
    assert send(alice_api, "POST", f"{ready}/start").status_code == 409
    _, chat = alice_api.get(f"{API}/conversations").json()["items"]
    messages = alice_api.get(f"{API}/conversations/{chat['id']}/messages").json()["items"]
    assert [message["content"] for message in messages] == [SAID]


def test_chats_of_an_import_are_listed_and_selected(alice_api, as_alice, ready):
    for month in ("soon", "2026-13", "2026-1", "0000-01", "9999-12"):
        assert alice_api.get(f"{ready}/chats", {"first": month}).status_code == 422
        assert send(alice_api, "PUT", f"{ready}/selection", {"last": month}).status_code == 422
    first = alice_api.get(f"{ready}/chats", {"limit": 1}).json()
    second = alice_api.get(f"{ready}/chats", {"limit": 1, "cursor": first["next"]}).json()
    (bread,), (tides,) = first["items"], second["items"]
    assert (bread["title"], bread["new_messages"], bread["selected"]) == ("Sourdough", 1, True)
    assert second["next"] is None
    for filters in ({"q": "TIDE"}, {"first": "2026-02"}):
        assert alice_api.get(f"{ready}/chats", filters).json()["items"] == [tides]
    body = send(alice_api, "PUT", f"{ready}/selection", {"last": "2026-02", "chats": [tides["id"]]})
    assert body.json() == {"chats": 0, "new_messages": 0, "unchanged": 0}
    unknown = str(uuid4())
    refused = send(alice_api, "PUT", f"{ready}/selection", {"chats": [bread["id"], unknown]})
    assert (refused.status_code, unknown in refused.json()["errors"][0]["detail"]) == (422, True)
    assert send(alice_api, "PUT", f"{ready}/selection", {"last": "2026-02"}).json()["chats"] == 1
    assert send(alice_api, "PUT", f"{ready}/selection", {"chats": [tides["id"]]}).json()["new_messages"] == 2
    assert [each["selected"] for each in alice_api.get(f"{ready}/chats").json()["items"]] == [False, True]
    assert send(alice_api, "POST", f"{ready}/start").status_code == 202
    assert send(alice_api, "PUT", f"{ready}/selection", {}).status_code == 409
    run_job(as_alice, ready)
    (chat,) = Conversation.objects.all()
    assert chat.title == "Tides"
    assert len(chat.messages.get(role="tool").content) == 900
    (kept,) = alice_api.get(f"{ready}/chats", {"q": "tide"}).json()["items"]
    assert (kept["outcome"], kept["conversation_id"]) == ("conversations", str(chat.id))
    Conversation.objects.update(deleted_at=timezone.now())
    assert [each["title"] for each in alice_api.get(f"{ready}/chats").json()["items"]] == [""]


def test_unknown_file_is_refused_with_the_reason(alice_api):
    for content in (b"", b"nothing", b"PK\x03\x04", b"\xff\xfe"):
        answer = upload(alice_api, "imports", content)
        assert answer.status_code == 422
        assert answer.json()["detail"]
    assert alice_api.get(f"{API}/imports").json()["items"] == []


@pytest.mark.parametrize("what", ["imports", "restores"])
def test_nearly_full_disk_is_a_server_error(alice_api, settings, what):
    settings.MIN_FREE_MB = 10**12
    answer = upload(alice_api, what, json.dumps(CLAUDE).encode())
    assert (answer.status_code, answer.json()["title"]) == (507, "Insufficient Storage")
    assert answer.json()["detail"] == "This server cannot store the file: No space left on device."


def test_uploads_are_repeated_by_key_and_can_be_deleted(alice_api):
    content = json.dumps(CLAUDE).encode()
    first, second = (upload(alice_api, "imports", content, **{HEADER: "k1"}) for _ in range(2))
    assert first.json() == second.json()
    assert second.headers[REPLAYED] == "true"
    (kept,) = alice_api.get(f"{API}/imports").json()["items"]
    here = f"{API}/imports/{kept['id']}"
    assert send(alice_api, "DELETE", here).status_code == 200
    assert alice_api.get(here).status_code == 404


def test_an_upload_holds_one_or_several_files(alice_api, as_alice):
    other = [{**CLAUDE[0], "uuid": "c-2"}]
    files = [SimpleUploadedFile("data.json", json.dumps(each).encode()) for each in (CLAUDE, other)]
    response = alice_api.post(f"{API}/imports", {"file": files})
    assert response.status_code == 202, response.content
    run_job(as_alice, f"{API}/imports/{response.json()['id']}")
    (body,) = alice_api.get(f"{API}/imports").json()["items"]
    assert body["preview"]["conversations"] == 2
    assert alice_api.post(f"{API}/imports", {}).status_code == 422
    for file in files:
        file.seek(0)
    refused = alice_api.post(f"{API}/restores", {"file": files})
    assert (refused.status_code, "one file" in refused.json()["detail"]) == (422, True)


def test_export_is_downloaded_by_its_owner_until_it_expires_or_is_deleted(alice_api, bob_api, as_alice):
    save_note(as_alice.id, Note(SAID), timezone.now())
    assert send(alice_api, "POST", f"{API}/exports", {"wing": str(uuid4())}).status_code == 422
    requested = send(alice_api, "POST", f"{API}/exports", {})
    assert requested.status_code == 202, requested.content
    here = f"{API}/exports/{requested.json()['id']}"
    for scopes in (("read",), ("chat",), ("read", "write"), ("write", "chat")):
        assert api_client(as_alice, *scopes).get(f"{here}/file").status_code == 403, scopes
    assert api_client(as_alice, "read", "chat").get(f"{here}/file").status_code == 409
    assert bob_api.get(f"{here}/file").status_code == 404
    run_job(as_alice, here)
    assert alice_api.get(here).json()["state"] == "done"
    found = alice_api.get(f"{here}/file")
    assert found.headers["Content-Type"] == "application/zip"
    with ZipFile(BytesIO(_bytes(found))) as archive:
        assert SAID in archive.read("data/drawers.jsonl").decode()
    Transfer.objects.update(expires_at=timezone.now())
    assert alice_api.get(f"{here}/file").status_code == 404
    assert alice_api.get(here).json()["state"] == "expired"
    Transfer.objects.update(expires_at=timezone.now() + timedelta(days=1))
    assert alice_api.get(f"{here}/file").status_code == 200
    forget = {"kind": "everything", "confirmed": True}
    assert send(alice_api, "POST", f"{API}/forget", forget).status_code == 201
    body = alice_api.get(here).json()
    assert (body["state"], "was forgotten" in body["error"]) == ("expired", True)
    assert "was deleted" in alice_api.get(f"{here}/file").json()["detail"]
    assert send(alice_api, "DELETE", here).status_code == 200
    assert alice_api.get(f"{here}/file").status_code == 404


def test_export_is_restored_into_another_account_that_lists_only_its_own(alice_api, bob_api, as_alice, bob):
    save_note(as_alice.id, Note(SAID), timezone.now())
    export = send(alice_api, "POST", f"{API}/exports", {}).json()["id"]
    run_job(as_alice, f"{API}/exports/{export}")
    here = uploaded(bob_api, "restores", _bytes(alice_api.get(f"{API}/exports/{export}/file")))
    run_job(bob, here)
    body = bob_api.get(here).json()
    assert (body["state"], body["counts"]["added"]["drawers"]) == ("ready", 1)
    assert bob_api.get(f"{API}/wings").json()["items"] == []
    assert send(bob_api, "POST", f"{here}/start").status_code == 202
    run_job(bob, here)
    assert bob_api.get(here).json()["state"] == "done"
    assert [wing["name"] for wing in bob_api.get(f"{API}/wings").json()["items"]] == ["Notes"]
    assert alice_api.get(here).status_code == 404
    for client, exports, restores in ((alice_api, [export], []), (bob_api, [], [body["id"]])):
        for what, listed, others in (("exports", exports, restores), ("restores", restores, exports)):
            assert [each["id"] for each in client.get(f"{API}/{what}").json()["items"]] == listed
            for other in (*others, export if client is bob_api else body["id"]):
                assert client.get(f"{API}/{what}/{other}").status_code == 404


async def _joined(pieces):
    return b"".join([piece async for piece in pieces])


def _bytes(answer):
    return async_to_sync(_joined)(answer.streaming_content)


def test_tokens_are_listed_without_their_text_and_revoked_but_not_created(alice_api, alice, bob):
    text = token_of(alice, "read")
    token_of(bob, "read")
    answer = alice_api.get(f"{API}/tokens")
    found, own = answer.json()["items"]
    assert (found["scopes"], found["last_used_at"]) == (["read"], None)
    assert own["scopes"] == ["chat", "read", "write"]
    assert text.split("_", 2)[2] not in answer.content.decode()
    reader = Client(headers={"Authorization": f"Bearer {text}"})
    here = f"{API}/tokens/{found['id']}"
    assert reader.delete(here).status_code == 403, "a read token cannot revoke"
    assert alice_api.delete(here).json() == {"id": found["id"]}
    assert reader.get(f"{API}/account").status_code == 401
    assert alice_api.delete(here).status_code == 404
    created = send(alice_api, "POST", f"{API}/tokens", {"name": "More", "scopes": ["read"]})
    assert created.status_code == 405
    assert alice_api.delete(f"{API}/tokens/{own['id']}").status_code == 200, "a token can revoke itself"
    assert alice_api.get(f"{API}/tokens").status_code == 401
