import io
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command

from accounts.tenancy import tenant
from chat.models import Conversation
from llm import current
from llm.errors import ModelUnavailable
from llm.fake_gateway import FakeChat, FakeEmbedder
from memory.mining.progress import record_failure
from memory.models import Drawer, MinedWindow, MiningProgress
from tests.chat.ledger import NOW, chat
from tests.memory.mining.answers import answer, placed
from transfer.filing import file_conversation


def mine(*options):
    out = io.StringIO()
    call_command("mine", *options, stdout=out)
    return out.getvalue()


@pytest.fixture
def chats(alice, bob):
    """A chat each, which nobody has asked to be mined yet and where more may be said."""
    for user in (alice, bob):
        with tenant(user.id):
            file_conversation(user.id, chat("boats", "A boat!", "Which?"), NOW)
            Conversation.objects.update(
                source="chat", mine_requested_at=None, last_message_at=NOW.replace(year=2100)
            )


def drawers(user):
    with tenant(user.id):
        return Drawer.objects.count()


def test_it_asks_the_worker_for_everybody(alice, bob, chats, queued):
    assert mine() == "The worker was asked to mine.\n"
    assert sorted(queued()) == sorted([("mine", (str(u.id),)) for u in (alice, bob)])
    assert drawers(alice) == 0


def test_waiting_it_mines_here(alice, bob, chats, embedder):
    with tenant(alice.id):
        Conversation.objects.update(last_message_at=NOW.replace(year=2020))
    assert mine("--user", alice.email, "--wait") == "Everything is mined.\n"
    assert (drawers(alice), drawers(bob)) == (2, 0)


def test_what_was_given_up_gets_another_chance(alice, chats, embedder):
    with tenant(alice.id):
        Conversation.objects.update(last_message_at=NOW.replace(year=2020))
        conversation = Conversation.objects.get()
        progress = MiningProgress.objects.create(
            user_id=alice.id, source_kind="conversation", source_id=conversation.id, attempts=3
        )
        record_failure(progress, "ModelDown", NOW)
        progress.refresh_from_db()
        assert progress.state == "dead"
    mine("--user", alice.email, "--wait")
    assert drawers(alice) == 2


def test_what_is_given_up_again_makes_it_fail(alice, chats, monkeypatch):
    monkeypatch.setattr("chat.management.commands.mine.catch_up", lambda *_, **__: 3)
    with current.using(embedder=FakeEmbedder()), pytest.raises(CommandError, match=r"^3 chats"):
        mine("--user", alice.email, "--wait")


def test_an_unknown_person_is_told_in_a_sentence(db):
    with pytest.raises(CommandError, match=r"^There is no account with the address zoe@x.org.$"):
        mine("--user", "zoe@x.org")


@pytest.fixture
def by_rules(alice, chats, embedder):
    """Alice's chat, read by rules."""
    with tenant(alice.id):
        Conversation.objects.update(last_message_at=NOW.replace(year=2020))
    mine("--user", alice.email, "--wait")


def methods(user):
    with tenant(user.id):
        return list(MinedWindow.objects.values_list("method", flat=True))


def test_again_without_a_model_is_refused(alice, by_rules):
    with pytest.raises(CommandError, match=r"^No model is set up to read with"):
        mine("--user", alice.email, "--again", "--wait")


def test_again_a_model_reads_what_rules_have_read(alice, by_rules):
    assert methods(alice) == ["rules"]
    model = FakeChat([answer(turns=[placed("t1"), placed("t2")])])
    with current.using(chat=model):
        assert mine("--user", alice.email, "--again", "--wait") == "Everything is mined.\n"
    assert methods(alice) == ["model"]
    assert drawers(alice) == 2


def test_again_asks_the_worker(alice, by_rules, queued):
    with current.using(chat=FakeChat()):
        mine("--user", alice.email, "--again")
    assert queued() == [("mine", (str(alice.id),)), ("reextract", (str(alice.id),))]
    with tenant(alice.id):
        assert MinedWindow.objects.get().requested_at is not None


def test_again_with_a_model_that_stays_away_fails_and_loses_nothing(alice, by_rules, monkeypatch):
    away = FakeChat(answer=lambda request: ModelUnavailable("Away."))
    monkeypatch.setattr("chat.mining.drain.LONGEST_WAIT", timedelta(0))
    with current.using(chat=away), pytest.raises(CommandError, match=r"1 parts? of chats"):
        mine("--user", alice.email, "--again", "--wait")
    assert methods(alice) == ["rules"]
    assert drawers(alice) == 2
