import io
import json
from unittest.mock import Mock

import pytest
from django.core.management import CommandError

from accounts.tenancy import tenant
from chat.models import Conversation, Message
from memory.models import Drawer
from tests.chat.ledger import export_of, write_export
from tests.commands import run_command
from tests.transfer.importing.exports import as_zip
from transfer.models import ImportedChat, ImportRun

BROKEN = {"id": "broken", "title": "Broken"}
CHATS = {
    "boats": ["My boat is called Petrel.", "A fine name."],
    "tea": ["My favourite tea is jasmine.", "Noted."],
}


@pytest.fixture
def export(tmp_path):
    return write_export(tmp_path / "conversations.json", export_of(CHATS, [BROKEN]))


def run(path, *options, user="alice@example.org"):
    errors = io.StringIO()
    return run_command("import_chats", str(path), *options, "--user", user, stderr=errors), errors.getvalue()


def nothing_was_imported(user):
    with tenant(user.id):
        return not any(model.objects.exists() for model in (Conversation, ImportRun, ImportedChat))


def test_command_imports_once_and_leaves_mining_to_the_worker(alice, export, embedder, queued, monkeypatch):
    out, errors = run(export, "--dry-run")
    for line in ("conversations: 2\nmessages: 4\n", "broken: 1\n", "said: 2023-11-14 to 2023-11-14\n"):
        assert line in out
    assert "(“Broken”)" in errors
    assert queued() == []
    assert nothing_was_imported(alice)
    out, errors = run(export, user="Alice@Example.org")
    for line in ("conversations: 2\n", "messages: 4\n", "refused: 1\n"):
        assert line in out
    assert errors == (
        "Not imported: conversations.json entry 3 (“Broken”): It contains no messages that Palace can read.\n"
    )
    assert queued() == [("mine", (str(alice.id),))]
    with tenant(alice.id):
        assert Message.objects.count() == 4
        assert not Drawer.objects.exists()
    out, _ = run(export, "--wait")
    for line in ("conversations: 0\n", "duplicates: 2\n"):
        assert line in out
    assert out.endswith("Everything imported is mined.\n")
    assert queued() == []
    with tenant(alice.id):
        assert Drawer.objects.count() == 4
    monkeypatch.setattr("transfer.management.commands.import_chats.drain", lambda *_, **__: 2)
    with pytest.raises(CommandError, match="imported, but 2 chats could not be mined"):
        run(export, "--wait")


@pytest.mark.parametrize("options", [(), ("--dry-run",)])
def test_errors_are_one_sentence(alice, tmp_path, export, options):
    with pytest.raises(CommandError, match=r"^There is no account with the address zoe@x.org.$"):
        run(export, *options, user="zoe@x.org")
    whole = json.dumps(export_of(CHATS)).encode()
    parts = as_zip({"conversations-0.json": whole, "conversations-1.json": whole[:-40]}).getvalue()
    for path, said in (
        (tmp_path / "gone.json", "^This file cannot be read: No such file"),
        (write_export(tmp_path / "page.html", b"<html>"), "^This is a web page, not an export"),
        (write_export(tmp_path / "parts.zip", parts), "is cut off"),
    ):
        with pytest.raises(CommandError, match=said):
            run(path, *options)
    assert nothing_was_imported(alice)


def test_dry_run_lists_the_chats(alice, tmp_path, embedder, queued):
    def listed():
        out, _ = run(path, "--dry-run")
        return [line.split(maxsplit=3) for line in out.splitlines() if " messages  " in line]

    entries = export_of({**CHATS, "sun\x1b[2J": ["It is hot."]})
    for day, entry in enumerate(entries):
        for each in entry["mapping"].values():
            each["message"]["create_time"] += 86_400 * day
    path = write_export(tmp_path / "conversations.json", entries)
    assert listed() == [
        ["2023-11-16", "1", "messages", "new             Sun\N{REPLACEMENT CHARACTER}[2J"],
        ["2023-11-15", "2", "messages", "new             Tea"],
        ["2023-11-14", "2", "messages", "new             Boats"],
    ]
    assert nothing_was_imported(alice)
    run(write_export(tmp_path / "tea.json", entries[1:2]))
    assert [line[-1].split("  ")[0] for line in listed()] == ["new", "already here", "new"]


def test_several_files_are_one_resumable_import(alice, export, tmp_path, embedder, monkeypatch):
    more = write_export(tmp_path / "more.json", export_of({"sun": ["It is hot."]}))
    assert "conversations: 3\nmessages: 5\n" in run(export, str(more), "--dry-run")[0]
    with monkeypatch.context() as stopping:
        stopping.setattr("transfer.imports._finish", Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(CommandError, match="Stopped"):
            run(export, str(more))
    run(export, str(more))
    with tenant(alice.id):
        assert ImportRun.objects.get().conversations == Conversation.objects.count() == 3
