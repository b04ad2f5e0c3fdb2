"""Files that were made to do harm, or are damaged: a sentence within seconds, and nothing kept."""

import json
import time
import zipfile

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from accounts.tenancy import tenant
from chat.models import Conversation, Message
from jobs.actors import run_import
from tests.chat.ledger import write_export
from tests.html import check_page
from tests.transfer.importing.exports import as_file, as_zip, conversation
from transfer.models import ImportRun, RefusedEntry

SECONDS = 30
GOOD = [conversation(f"Chat {number}") for number in range(50)]
WHOLE = as_file(GOOD).getvalue()
START = WHOLE[: WHOLE.rindex(b"}") + 1] + b","
RUSSIAN = json.dumps([conversation("Привет, мир, как дела сегодня")] * 9, ensure_ascii=False)


def _cut_inside_its_zip():
    """The zip is whole, the second file in it is not."""
    return as_zip({"conversations-0.json": WHOLE, "conversations-1.json": WHOLE[:-40]}).getvalue()


def _with_a_wrong_checksum():
    data = bytearray(as_zip({"conversations.json": WHOLE}, zipfile.ZIP_STORED).getvalue())
    at = data.index(b"Petrel")
    data[at : at + 6] = b"Pebble"
    return bytes(data)


ATTACKS = {
    "zip bomb": (
        lambda: as_zip({"conversations.json": b"[" + b" " * 50_000_000 + b"]"}).getvalue(),
        "unpacks to far more than an export can hold",
    ),
    "path out of the zip": (
        lambda: as_zip({"../../conversations.json": GOOD}).getvalue(),
        "names files outside its own folder",
    ),
    "absolute path": (
        lambda: as_zip({"/etc/cron.d/conversations.json": GOOD}).getvalue(),
        "names files outside its own folder",
    ),
    "ten million levels": (lambda: b"[" * 10_000_000 + b"]" * 10_000_000, "nested so deep"),
    "a million levels behind good chats": (
        lambda: START + b"[" * 1_000_000 + b"]",
        "nested so deep",
    ),
    "another encoding": (lambda: RUSSIAN.encode("cp1251", "ignore"), "not written in Unicode"),
    "cut off": (lambda: WHOLE[:-2000], "stops before its end"),
    "cut off between two chats": (lambda: START[:-1], "stops before its end"),
    "zip cut off": (lambda: as_zip({"conversations.json": WHOLE}).getvalue()[:-200], "damaged"),
    "second part cut off": (_cut_inside_its_zip, "stops before its end"),
    "wrong checksum": (_with_a_wrong_checksum, "damaged or incomplete"),
}

attacks = pytest.mark.parametrize(
    ("make", "sentence"), ATTACKS.values(), ids=[name.replace(" ", "-") for name in ATTACKS]
)


@attacks
def test_on_the_page(alice, alice_client, uploads, embedder, queued, make, sentence):
    file = as_file(make())
    file.name = "conversations.json"
    started = time.monotonic()
    response = alice_client.post(reverse("chat:import"), {"file": file})
    if response.status_code == 302:
        with tenant(alice.id):
            run = ImportRun.objects.get()
        run_import.fn(str(alice.id), str(run.id))
        response = alice_client.get(response["Location"])
        assert sentence in check_page(response)
    else:
        assert sentence in check_page(response, 422)
    assert time.monotonic() - started < SECONDS
    assert [path for path in uploads.rglob("*") if path.is_file()] == []
    _nothing_is_kept(alice)


@pytest.mark.parametrize("attack", ["zip bomb", "path out of the zip", "second part cut off"])
def test_by_the_command(alice, tmp_path, attack):
    make, sentence = ATTACKS[attack]
    path = write_export(tmp_path / "export", make())
    started = time.monotonic()
    with pytest.raises(CommandError, match=sentence):
        call_command("import_chats", str(path), "--user", alice.email)
    assert time.monotonic() - started < SECONDS
    _nothing_is_kept(alice)
    with tenant(alice.id):
        assert not ImportRun.objects.exists()


def _nothing_is_kept(user):
    with tenant(user.id):
        assert not Conversation.objects.exists()
        assert not Message.objects.exists()
        assert not RefusedEntry.objects.exists()
