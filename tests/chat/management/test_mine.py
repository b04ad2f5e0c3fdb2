from datetime import timedelta

import pytest
from django.core.management import CommandError

from accounts.tenancy import tenant
from chat.models import Conversation
from llm import current
from llm.errors import ModelUnavailable
from memory.models import Drawer, MinedWindow, MiningProgress
from tests.chat.ledger import NOW, chat
from tests.commands import run_command
from tests.fake_gateway import FakeChat, FakeEmbedder
from tests.memory.mining.answers import answer, placed
from transfer.filing import file_conversation


@pytest.fixture
def chats(alice, bob):
    """A chat each; Alice's is idle, Bob's still open."""
    for user, year in ((alice, 2020), (bob, 2100)):
        with tenant(user.id):
            file_conversation(user.id, chat("boats", "A boat!", "Which?"), NOW)
            last = NOW.replace(year=year)
            Conversation.objects.update(source="chat", mine_requested_at=None, last_message_at=last)


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
    with pytest.raises(CommandError, match=r"^There is no account with the address zoe@x.org.$"):
        run_command("mine", "--user", "zoe@x.org")
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
    with current.using(chat=unavailable), pytest.raises(CommandError, match=r"1 parts? of chats"):
        run_command("mine", "--user", alice.email, "--again", "--wait")
    assert drawers_and_methods(alice) == (2, {"reader"})
