"""Unmined messages: how pages report them, draining them, and a full palace."""

from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from accounts.tenancy import operator, tenant
from chat.mining.drain import count_dead_jobs, drain, messages_left, retry_dead_jobs
from chat.mining.pending_work import pending_work_of
from chat.mining.run import Round
from chat.models import Agent, Conversation
from jobs.sweep import sweep
from llm import current
from llm.errors import ModelUnavailable
from memory.forgetting.trash import delete
from memory.mining.progress import progress_of
from memory.mining.transcripts import CONVERSATION
from memory.models import Drawer, MemoryPreferences, MinedWindow, MiningProgress
from tests.chat.ledger import chat
from tests.drills.ledger import NOW, Clock, converse, mine
from tests.fake_gateway import FakeChat
from tests.html import check_fragment, check_page
from tests.memory.pages.forms import HTMX
from transfer.choosing import imported_chats
from transfer.filing import file_conversation

pytestmark = pytest.mark.usefixtures("embedder")

URL = "/chat/waiting/"
ONE = "1 message is not in memory yet."


@pytest.fixture
def unavailable_model():
    model = FakeChat()
    model.fail_with(ModelUnavailable("Away."))
    with current.using(chat=model):
        yield model


def words(user):
    return " ".join(pending_work_of(user.id).sentences)


def test_messages_are_pending_until_they_are_mined(as_alice):
    assert words(as_alice) == ""
    converse(as_alice.id, "Oh.")
    assert words(as_alice) == ONE
    converse(as_alice.id, *["Hm."] * 5)
    found = pending_work_of(as_alice.id)
    assert (found.messages, found.chats) == (6, 2)
    assert words(as_alice) == "6 messages are not in memory yet."
    mine(as_alice.id)
    assert words(as_alice) == ""


def test_chats_excluded_from_mining_are_not_pending(as_alice):
    silent = Agent.objects.create(user_id=as_alice.id, name="Silent", mine=False)
    for changes in ({"agent_id": silent.id}, {"mine": False}, {"incognito": True}, {"deleted_at": NOW}):
        converse(as_alice.id, "Hush.", **changes)
    progress_of(as_alice.id, CONVERSATION, converse(as_alice.id, "Hush.").id)
    MiningProgress.objects.update(state=MiningProgress.State.DEAD)
    MemoryPreferences.objects.create(user_id=as_alice.id, auto_mine=False)
    converse(as_alice.id, "Hm.", source="chat")
    assert words(as_alice) == ""
    converse(as_alice.id, "Hm.", source="chat", mine_requested_at=NOW)
    assert words(as_alice) == ONE


def test_unavailable_model_is_reported_with_the_time_of_the_next_retry(as_alice, unavailable_model):
    MemoryPreferences.objects.create(user_id=as_alice.id, time_zone="Asia/Kolkata")
    converse(as_alice.id, "I live in Porto.")
    with current.using(chat=FakeChat()):  # it has no reply, which is a bug and not an outage
        mine(as_alice.id)
    assert words(as_alice) == ONE
    mine(as_alice.id, Clock(NOW + timedelta(minutes=1)))
    assert "is unavailable; Palace tries again at 12:0" in words(as_alice)


@pytest.mark.parametrize(
    ("reason", "why"), [("unavailable", "while the language model was unreachable"), ("budget", "the budget")]
)
def test_messages_read_without_the_model_are_reported(as_alice, alice_client, unavailable_model, reason, why):
    clock, chat = Clock(), converse(as_alice.id, "I live in Porto.", "Lovely.")
    mine(as_alice.id, clock)
    assert "so this chat waits for it" in check_page(alice_client.get(f"/chat/{chat.id}/"))
    for _ in range(4):
        mine(as_alice.id, clock)
        clock.move(minutes=2)
    MinedWindow.objects.update(reason=reason)
    assert words(as_alice).startswith("2 messages were read by the built-in reader")
    assert why in words(as_alice)
    if reason == "unavailable":
        html = check_fragment(alice_client.get(f"/chat/{chat.id}/remembered/", headers=HTMX))
        assert "The built-in reader read this chat while the language model was unreachable" in html
        assert "Save to memory now" not in html


def test_palace_polls_until_nothing_is_pending(as_alice, bob, alice_client):
    palace = reverse("memory:palace")
    with tenant(bob.id):
        converse(bob.id, "Hm.")
    assert pending_work_of(bob.id).messages == 0
    assert ONE not in check_page(alice_client.get(palace))
    converse(as_alice.id, "Hm.")
    html = check_page(alice_client.get(palace))
    assert ONE in html
    assert f'hx-get="{URL}" hx-trigger="every 15s"' in html
    assert ONE in check_fragment(alice_client.get(URL, headers=HTMX))
    mine(as_alice.id)
    assert "hx-get" not in check_fragment(alice_client.get(URL, headers=HTMX))
    assert alice_client.get(URL).url == palace


def add_dead_letter(external_id):
    conversation = Conversation.objects.get(external_id=external_id)
    return MiningProgress.objects.create(
        user_id=conversation.user_id,
        source_kind="conversation",
        source_id=conversation.id,
        state=MiningProgress.State.DEAD,
    )


def run_drain(user, **options):
    """The number of dead letters, and the reported numbers of messages left."""
    left = []
    return drain(user.id, timezone.now, left.append, **options), left


def test_drain_mines_everything_and_reports_remaining_messages(as_alice):
    file_conversation(as_alice.id, chat("boats", *["Words."] * 20), NOW)
    file_conversation(as_alice.id, chat("tea", "Jasmine."), NOW)
    dead, left = run_drain(as_alice)
    assert (dead, left[0], left[-1]) == (0, 21, 0)
    assert Drawer.objects.count() == 21


def test_drain_counts_dead_letters_without_waiting_for_them(as_alice):
    for name in ("boats", "tea", "open"):
        file_conversation(as_alice.id, chat(name, "Words."), NOW)
    add_dead_letter("boats")
    add_dead_letter("open")
    Conversation.objects.filter(external_id="open").update(
        source="chat", closed_at=None, last_message_at=timezone.now()
    )
    assert run_drain(as_alice, within=imported_chats(as_alice.id))[0] == 1
    assert Drawer.objects.count() == 1
    assert (
        count_dead_jobs(as_alice.id),
        count_dead_jobs(as_alice.id, within=imported_chats(as_alice.id)),
    ) == (2, 1)
    assert retry_dead_jobs(as_alice.id, NOW) == 2
    assert run_drain(as_alice, within=imported_chats(as_alice.id))[0] == 0
    assert Drawer.objects.count() == 2


def test_drain_waits_for_retries_and_other_workers(as_alice, monkeypatch):
    file_conversation(as_alice.id, chat("boats", "A boat!"), NOW)
    waiting, rounds = add_dead_letter("boats"), []
    MiningProgress.objects.filter(id=waiting.id).update(
        state=MiningProgress.State.RETRYING, next_attempt_at=NOW + timedelta(seconds=60)
    )
    assert messages_left(as_alice.id, NOW) == 1
    waiting.delete()

    def worker(user_id, clock, slice_):
        rounds.append(user_id)
        if len(rounds) == 3:
            Conversation.objects.update(mine=False)
        return Round(more_due=False)

    monkeypatch.setattr("chat.mining.drain.mine_user", worker)
    monkeypatch.setattr("chat.mining.drain.PAUSE_S", 0)
    run_drain(as_alice)
    assert len(rounds) == 3


def allow(user, drawers):
    with operator():
        User.objects.filter(id=user.id).update(drawer_quota=drawers)


@pytest.fixture
def full(as_alice):
    """Alice, whose palace is full: her quota is ten drawers, and she wrote forty messages."""
    allow(as_alice, 10)
    converse(as_alice.id, *[f"Number {n}." for n in range(40)])
    mine(as_alice.id)
    return as_alice


def test_mining_stops_at_the_quota_and_continues_when_it_is_lifted(full, queued):
    kept = Drawer.objects.count()
    assert 10 <= kept < 20  # a window that begins below the quota is filed as a whole
    (job,) = MiningProgress.objects.all()
    assert (job.state, job.attempts, job.claims, job.mined_through) == ("ready", 0, 0, kept)
    assert mine(full.id).windows == 0
    sweep(NOW)
    assert not any(name == "mine" for name, _ in queued())
    assert pending_work_of(full.id).messages == 40 - kept
    with pytest.raises(CommandError, match=r"The palace is full: \d+ messages are not"):
        call_command("mine", user=full.email, wait=True)
    allow(full, None)
    sweep(NOW)
    assert any(name == "mine" for name, _ in queued())
    mine(full.id)
    said = Drawer.objects.order_by("id").values_list("content", flat=True)
    assert list(said) == [f"Number {n}." for n in range(40)]


def test_deleting_drawers_makes_room(full):
    for drawer in Drawer.objects.all():
        delete(full.id, "drawer", drawer.id, NOW)
    assert mine(full.id).windows > 0


def test_pages_show_used_and_allowed_drawers(full, alice_client):
    kept, settings = Drawer.objects.count(), reverse("memory:settings")
    words = f"Your palace is full: it has {kept} of 10 drawers."
    for page in (reverse("memory:palace"), settings):
        assert words in check_page(alice_client.get(page))
    note = {"text": "A note.", "wing": "", "wing_kind": "topic", "room": "", "closet": ""}
    assert words in check_page(alice_client.post(reverse("memory:note"), note), status=422)
    chat = converse(full.id, "More.", source="chat")
    progress_of(full.id, CONVERSATION, chat.id)
    page = check_page(alice_client.get(f"/chat/{chat.id}/"))
    assert "Your palace is full, so this chat is not in memory yet" in page
    allow(full, 1200)
    assert f"holds {kept} of 1,200 drawers allowed" in check_page(alice_client.get(settings))
    allow(full, None)
    assert "drawers allowed" not in check_page(alice_client.get(settings))
