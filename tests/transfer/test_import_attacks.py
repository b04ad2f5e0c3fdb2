"""Malicious and damaged files are refused within seconds with the reason, and nothing is stored."""

import json
import time
import zipfile

import pytest
from django.urls import reverse

from accounts.tenancy import tenant
from chat.models import Conversation, Message
from jobs.actors import run_import
from tests.html import check_page
from tests.transfer.importing.exports import as_file, as_zip, conversation
from transfer.models import ImportRun, RefusedEntry

SECONDS = 30
GOOD = [conversation(f"Chat {number}") for number in range(50)]
WHOLE = as_file(GOOD).getvalue()
START = WHOLE[: WHOLE.rindex(b"}") + 1] + b","
RUSSIAN = json.dumps([conversation("Привет, мир, как дела сегодня")] * 9, ensure_ascii=False)


def zipped(data, name="conversations.json", compression=zipfile.ZIP_DEFLATED):
    return as_zip({name: data}, compression).getvalue()


def with_truncated_part():
    """A complete zip whose second file is truncated."""
    return as_zip({"conversations-0.json": WHOLE, "conversations-1.json": WHOLE[:-40]}).getvalue()


ATTACKS = {
    "zip-bomb": (
        lambda: zipped(b"[" + b" " * 50_000_000 + b"]"),
        "unpacks to far more than an export can contain",
    ),
    "path-out-of-the-zip": (
        lambda: zipped(GOOD, "../../conversations.json"),
        "lists files outside its own folder",
    ),
    "absolute-path": (
        lambda: zipped(GOOD, "/etc/cron.d/conversations.json"),
        "lists files outside its own folder",
    ),
    "ten-million-levels": (lambda: b"[" * 10_000_000 + b"]" * 10_000_000, "nested too deeply"),
    "a-million-levels-behind-good-chats": (lambda: START + b"[" * 1_000_000 + b"]", "nested too deeply"),
    "another-encoding": (lambda: RUSSIAN.encode("cp1251", "ignore"), "not encoded as UTF-8"),
    "cut-off": (lambda: WHOLE[:-2000], "is cut off"),
    "cut-off-between-two-chats": (lambda: START[:-1], "is cut off"),
    "zip-cut-off": (lambda: zipped(WHOLE)[:-200], "damaged"),
    "second-part-cut-off": (with_truncated_part, "is cut off"),
    "wrong-checksum": (
        lambda: zipped(WHOLE, compression=zipfile.ZIP_STORED).replace(b"Petrel", b"Pebble", 1),
        "damaged or incomplete",
    ),
}


@pytest.fixture
def within_seconds():
    """Fail if the test takes longer than SECONDS."""
    started = time.monotonic()
    yield
    assert time.monotonic() - started < SECONDS


@pytest.mark.usefixtures("within_seconds", "embedder", "queued")
@pytest.mark.parametrize("attack", ATTACKS)
def test_malicious_upload_is_refused(alice, alice_client, uploads, attack):
    make, sentence = ATTACKS[attack]
    file = as_file(make())
    file.name = "conversations.json"
    response, status = alice_client.post(reverse("chat:import"), {"file": file}), 422
    if response.status_code == 302:
        with tenant(alice.id):
            run = ImportRun.objects.get()
        run_import.fn(str(alice.id), str(run.id))
        response, status = alice_client.get(response["Location"]), 200
    assert sentence in check_page(response, status)
    assert [path for path in uploads.rglob("*") if path.is_file()] == []
    with tenant(alice.id):
        for model in (Conversation, Message, RefusedEntry):
            assert not model.objects.exists()
