"""The commands `mine`, `stats`, `export_memory` and `restore_memory`."""

import io
import json
import zipfile
from datetime import timedelta

import pytest
from django.core.management import CommandError

from accounts.tenancy import tenant
from chat.mining.drain import drain
from chat.models import Conversation
from llm import current
from llm.errors import ModelUnavailable
from memory.forgetting.trash import delete
from memory.models import ActivityEvent, Drawer, MinedWindow, MiningProgress
from tests.chat.ledger import NOW, chat
from tests.commands import run_command
from tests.fake_gateway import FakeChat, FakeEmbedder
from tests.memory.mining.answers import answer, placed
from tests.transfer.exporting.furnished import LIVES, furnish
from transfer.filing import file_conversation


@pytest.fixture
def chats(alice, bob):
    """A chat each; Alice's is idle, Bob's still open."""
    for user, year in ((alice, 2020), (bob, 2100)):
        with tenant(user.id):
            file_conversation(user.id, chat("boats", "A boat!", "Which?"), NOW)
            last = NOW.replace(year=year)
            Conversation.objects.update(source="chat", closed_at=None, last_message_at=last)


@pytest.fixture
def without_model(alice, chats, embedder):
    """Alice's chat is mined without a model."""
    run_command("mine", "--user", alice.email, "--wait")


def drawers_and_methods(user):
    """The number of drawers, and the methods by which windows were mined."""
    with tenant(user.id):
        return Drawer.objects.count(), set(MinedWindow.objects.values_list("method", flat=True))


def test_mining_is_queued_for_every_user(alice, bob, chats, queued):
    assert run_command("mine") == "The worker was asked to mine.\n"
    assert sorted(queued()) == sorted([("mine", (str(user.id),)) for user in (alice, bob)])
    assert drawers_and_methods(alice) == (0, set())


def test_wait_mines_immediately_and_retries_dead_letters(alice, bob, chats, embedder):
    with tenant(alice.id):
        dead = {"source_kind": "conversation", "source_id": Conversation.objects.get().id, "state": "dead"}
        MiningProgress.objects.create(user_id=alice.id, **dead)
    assert run_command("mine", "--user", alice.email, "--wait") == "Everything is mined.\n"
    assert (drawers_and_methods(alice), drawers_and_methods(bob)) == ((2, {"reader"}), (0, set()))


def test_errors_are_one_sentence(alice, chats, monkeypatch):
    for command in ("mine", "stats"):
        with pytest.raises(CommandError, match=r"^There is no account with the address zoe@x.org.$"):
            run_command(command, "--user", "zoe@x.org")
    monkeypatch.setattr("chat.management.commands.mine.drain", lambda *_, **__: 3)
    with current.using(embedder=FakeEmbedder()), pytest.raises(CommandError, match=r"^3 chats"):
        run_command("mine", "--user", alice.email, "--wait")


def test_again_reextracts_with_a_model(alice, without_model, queued):
    again = ("--user", alice.email, "--again")
    with pytest.raises(CommandError, match=r"^No model is configured"):
        run_command("mine", *again, "--wait")
    model = FakeChat([answer(turns=[placed("t1"), placed("t2")])])
    with current.using(chat=model):
        run_command("mine", *again)
        assert queued() == [("mine", (str(alice.id),)), ("reextract", (str(alice.id),))]
        assert run_command("mine", *again, "--wait") == "Everything is mined.\n"
    assert drawers_and_methods(alice) == (2, {"model"})


def test_again_fails_without_data_loss_if_the_model_is_unavailable(alice, without_model, monkeypatch):
    unavailable = FakeChat(answer=lambda request: ModelUnavailable("Away."))
    monkeypatch.setattr("chat.mining.drain.MAX_WAIT", timedelta(0))
    with current.using(chat=unavailable), pytest.raises(CommandError, match="1 part of chats"):
        run_command("mine", "--user", alice.email, "--again", "--wait")
    assert drawers_and_methods(alice) == (2, {"reader"})


WORDS = ("I live in Porto.", "Good.", "My favourite tea is jasmine.", "Noted.")


def stats(*options):
    return run_command("stats --user alice@example.org", *options)


def test_stats_count_stored_rows_unmined_messages_and_dead_letters(alice, bob, embedder):
    assert set(json.loads(stats("--json")).values()) == {0}
    for user in (alice, bob):
        with tenant(user.id):
            file_conversation(user.id, chat("one", *WORDS), NOW)
            drain(user.id, lambda: NOW, lambda left: None)
    with tenant(alice.id):
        file_conversation(alice.id, chat("two", "More.", "Yes."), NOW)
        file_conversation(alice.id, chat("three", "Given up."), NOW)
        dead = Conversation.objects.get(external_id="three")
        MiningProgress.objects.create(
            user_id=alice.id, source_kind="conversation", source_id=dead.id, state="dead"
        )
    counts = json.loads(stats("--json"))
    assert counts.pop("relations") >= 1
    assert counts.pop("facts") >= 1
    assert (counts.pop("closets"), counts.pop("entities")) >= (1, 1)
    assert counts == {
        "conversations": 3, "messages": 7, "drawers": 4, "vectors": 4, "wings": 1, "rooms": 1,
        "unmined_messages": 3, "dead_jobs": 1,
    }  # fmt: skip
    assert "unmined messages: 3\nchats that could not be mined: 1\n" in stats()
    with tenant(alice.id):
        delete(alice.id, "wing", Drawer.objects.first().wing_id, NOW)
        Conversation.objects.update(deleted_at=NOW)
    counts = json.loads(stats("--json"))
    gone = ("drawers", "vectors", "facts", "relations", "conversations", "messages")
    assert {counts[name] for name in gone} == {0}


def run(command, *arguments):
    return run_command(command, *arguments, stderr=io.StringIO())


def test_export_can_be_restored_into_another_account(alice, bob, tmp_path):
    with tenant(alice.id):
        furnish(alice.id)
    file = tmp_path / "mine.zip"
    out = run("export_memory", "--user", alice.email, "--out", str(file))
    assert "drawers: 12\n" in out
    assert "wing names: " in out
    with zipfile.ZipFile(file) as archive:
        assert LIVES in archive.read("data/drawers.jsonl").decode()
    assert list(tmp_path.iterdir()) == [file]
    dry = run("restore_memory", str(file), "--user", bob.email, "--dry-run")
    assert "drawers: 12\n" in dry
    with tenant(bob.id):
        assert not Drawer.objects.exists()
    assert "records of recall: " in dry
    added = run("restore_memory", str(file), "--user", bob.email)
    assert (dry.split("\n", 1)[0], added) == (
        "This would be added:",
        dry.replace("This would be added", "Added"),
    )
    assert run("restore_memory", str(file), "--user", bob.email) == "Everything is already here.\n"
    with tenant(bob.id):
        assert Drawer.objects.count() == 12
    with tenant(alice.id):
        event = ActivityEvent.objects.filter(kind="exported").earliest("at")
        assert event.details["counts"]["drawers"] == 12


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("export_memory", "--user", "nobody@example.org", "--out", "a.zip"), "no account"),
        (("export_memory", "--user", "alice@example.org", "--out", "/nowhere/a.zip"), "cannot be written"),
        (("export_memory", "--user", "alice@example.org", "--out", __file__), "already exists"),
        (("restore_memory", "/nowhere/a.zip", "--user", "alice@example.org"), "cannot be read"),
        (("restore_memory", __file__, "--user", "alice@example.org"), "not a zip"),
    ],
)
def test_export_and_restore_report_errors_in_one_sentence(alice, arguments, reason):
    with pytest.raises(CommandError, match=reason):
        run(*arguments)
