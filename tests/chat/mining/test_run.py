"""Which chats are mined, in which windows and order, up to which topic shift, and what is still pending."""

from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from accounts.tenancy import operator, tenant
from chat.mining.drain import count_dead_jobs, drain, messages_left, retry_dead_jobs
from chat.mining.run import (
    READ_AHEAD,
    Round,
    chats_to_check,
    detect_topic_shifts,
    due_conversations,
    request_mining,
    upcoming_windows,
)
from chat.mining.status import pending_work_of
from chat.models import Agent, Conversation
from jobs.sweep import sweep
from llm import current
from llm.embedding_models import BGE_SMALL
from llm.errors import EmbedderUnavailable, ModelUnavailable
from memory.forgetting.trash import delete
from memory.mining.progress import progress_of
from memory.mining.transcripts import CONVERSATION
from memory.models import Drawer, MemoryPreferences, MinedWindow, MiningProgress, Usage
from tests.chat.ledger import chat
from tests.chat.replying import page_of
from tests.drills.ledger import NOW, Clock, add, converse, mine
from tests.fake_gateway import FakeChat, FakeEmbedder
from tests.html import check_fragment, check_page
from tests.memory.mining.chats import DRIFTING, STEADY
from tests.memory.pages.forms import HTMX
from transfer.choosing import imported_chats
from transfer.filing import file_conversation

pytestmark = pytest.mark.usefixtures("embedder")


def numbered(count):
    return [f"Number {number}." for number in range(count)]


def windows():
    rows = MinedWindow.objects.order_by("first_sequence")
    return list(rows.values_list("first_sequence", "last_sequence"))


def kept():
    return list(Drawer.objects.order_by("created_at", "id").values_list("content", flat=True))


def test_requested_chats_are_mined_first_and_imports_last_in_the_order_they_began(as_alice):
    silent = Agent.objects.create(user_id=as_alice.id, name="Silent", mine=False)
    loud = Agent.objects.create(user_id=as_alice.id, name="Loud")
    for days, word, changes in (
        (8, "Imported later.", {}),
        (9, "Imported.", {}),
        (7, "Hush.", {"agent_id": silent.id}),
        (2, "Asked for.", {"mine_requested_at": NOW}),
        (1, "Mine.", {"source": "chat", "agent_id": loud.id}),
        (1, "Requested.", {"source": "chat", "mine_requested_at": NOW}),
    ):
        converse(as_alice.id, word, at=NOW - timedelta(days=days), **changes)
    mine(as_alice.id)
    assert kept() == ["Asked for.", "Requested.", "Mine.", "Imported.", "Imported later."]


def test_without_auto_mining_only_imports_and_requested_chats_are_mined(as_alice):
    MemoryPreferences.objects.create(user_id=as_alice.id, auto_mine=False)
    converse(as_alice.id, "From before.")
    conversation = converse(as_alice.id, "Said here.", source="chat")
    mine(as_alice.id)
    assert kept() == ["From before."]
    request_mining(as_alice.id, NOW)
    mine(as_alice.id)
    assert len(kept()) == 2
    add(conversation, ["More."], NOW + timedelta(minutes=1))
    assert not due_conversations(as_alice.id, NOW + timedelta(days=9)).exists()


@pytest.mark.parametrize(
    ("count", "changes", "mined"),
    [
        (3, {}, []),
        (9, {}, []),
        (10, {}, [(1, 10)]),
        (13, {}, [(1, 8)]),
        (3, {"closed_at": NOW}, [(1, 3)]),
        (3, {"mine_requested_at": NOW}, [(1, 3)]),
        (3, {"last_message_at": NOW - timedelta(minutes=5)}, [(1, 3)]),
    ],
    ids=["open", "nine turns", "ten turns", "more", "closed", "requested", "idle"],
)
def test_open_chat_is_mined_when_long_closed_idle_or_requested(as_alice, count, changes, mined):
    converse(as_alice.id, *numbered(count), at=NOW - timedelta(minutes=count))
    given = {"source": "chat", "last_message_at": NOW - timedelta(seconds=30)} | changes
    Conversation.objects.update(**given)
    mine(as_alice.id)
    assert windows() == mined


@pytest.mark.parametrize(
    ("count", "size", "mined", "shift", "cut"),
    [
        (0, 8, 0, 0, []),
        (3, 8, 0, 0, [(1, 3)]),
        (10, 8, 0, 0, [(1, 10)]),
        (11, 8, 0, 0, [(1, 8), (9, 11)]),
        (10, 9, 0, 0, [(1, 10)]),
        (11, 9, 0, 0, [(1, 9), (10, 11)]),
        (11, 10, 0, 0, [(1, 10), (11, 11)]),
        (20, 10, 0, 0, [(1, 10), (11, 20)]),
        (12, 8, 9, 0, [(10, 12)]),
        (12, 8, 12, 0, []),
        (9, 8, 0, 6, [(1, 6)]),
        (20, 8, 0, 11, [(1, 8), (9, 11)]),
        (9, 8, 6, 6, [(7, 9)]),
        (200, 8, 0, 0, [(1, 8), (9, 16), (17, 24), (25, READ_AHEAD)]),
    ],
)
def test_windows_are_cut_at_the_chosen_size_and_at_topic_shifts(as_alice, count, size, mined, shift, cut):
    conversation = converse(as_alice.id, *numbered(count))
    found = upcoming_windows(conversation, mined, shift, size)
    assert [(span.turns[0].sequence, span.turns[-1].sequence) for span in found] == cut


BEFORE, CHANGING = DRIFTING[0]
WORDS = [words for exchange in CHANGING for words in exchange][: 2 * BEFORE + 2]
STAYING = [words for exchange in STEADY[0] for words in exchange][: 2 * BEFORE + 2]
JUST_NOW = NOW - timedelta(minutes=len(WORDS))

# Drawers are embedded as bags of words; topic shifts are detected with the local model.


def talk(user, words=WORDS, **changes):
    return converse(user.id, *words, at=JUST_NOW, **({"source": "chat"} | changes))


@pytest.mark.parametrize("continues", [False, True])
def test_chat_is_mined_up_to_the_topic_shift(as_alice, continues):
    clock, conversation = Clock(), talk(as_alice)
    assert mine(as_alice.id, clock).windows == 0
    assert detect_topic_shifts(as_alice.id, clock) == 1
    if continues:
        add(conversation, [f"Number {number} of the visa form?" for number in range(9)], NOW)
    mine(as_alice.id, clock)
    assert windows()[0] == (1, 2 * BEFORE)
    if not continues:
        assert Drawer.objects.count() == 2 * BEFORE
        clock.move(minutes=6)
        mine(as_alice.id, clock)
        assert windows() == [(1, 2 * BEFORE), (2 * BEFORE + 1, len(WORDS))]


def test_chat_without_topic_shift_is_checked_once_and_not_mined(as_alice):
    conversation = talk(as_alice, STAYING)
    assert detect_topic_shifts(as_alice.id, Clock()) == 0
    assert mine(as_alice.id).windows == 0
    assert not chats_to_check(as_alice.id, NOW).exists()
    add(conversation, ["Which suitcase should I take?"], NOW)
    assert chats_to_check(as_alice.id, NOW).get() == conversation


def test_short_closed_and_excluded_chats_are_not_checked(as_alice, bob):
    silent = Agent.objects.create(user_id=as_alice.id, name="Silent", mine=False)
    for changes in (
        {"source": "import"},
        {"mine": False},
        {"incognito": True},
        {"deleted_at": NOW},
        {"closed_at": NOW},
        {"last_message_at": NOW - timedelta(minutes=5)},
        {"agent_id": silent.id},
    ):
        conversation = talk(as_alice)
        Conversation.objects.filter(id=conversation.id).update(**changes)
    talk(as_alice, WORDS[:5])
    assert not chats_to_check(as_alice.id, NOW).exists()
    talk(as_alice)
    assert chats_to_check(as_alice.id, NOW).count() == 1
    with tenant(bob.id):
        assert not chats_to_check(as_alice.id, NOW).exists()
    MemoryPreferences.objects.create(user_id=as_alice.id, auto_mine=False)
    assert not chats_to_check(as_alice.id, NOW).exists()


def test_topic_shifts_are_detected_in_the_background_at_no_cost(alice, queued, embedder):
    with tenant(alice.id):
        talk(alice)
    sweep(NOW)
    assert queued() == [("detect_topic_shift", (str(alice.id),))]
    model = FakeChat()
    with tenant(alice.id), current.using(chat=model):
        detect_topic_shifts(alice.id, Clock())
        ((name, cost),) = Usage.objects.values_list("model", "cost_usd")
    assert (name, float(cost)) == (BGE_SMALL.name, 0.0)
    assert (model.requests, embedder.embedded) == ([], []), "configured models may cost something"
    sweep(NOW)
    assert queued() == [("mine", (str(alice.id),))]


def test_chats_wait_until_idle_if_the_local_model_is_unavailable(as_alice):
    talk(as_alice)
    unavailable = FakeEmbedder(name=BGE_SMALL.name)
    unavailable.fail_with(EmbedderUnavailable("Away."))
    with current.using(other_embedders=[unavailable]), pytest.raises(EmbedderUnavailable):
        detect_topic_shifts(as_alice.id, Clock())
    assert not due_conversations(as_alice.id, NOW).exists()
    assert due_conversations(as_alice.id, NOW + timedelta(minutes=5)).exists()


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
    silent = Agent.objects.create(user_id=as_alice.id, name="Silent", mine=False)
    for changes in ({"agent_id": silent.id}, {"mine": False}, {"incognito": True}, {"deleted_at": NOW}):
        converse(as_alice.id, "Hush.", **changes)
    add_dead_letter(converse(as_alice.id, "Hush."))
    MemoryPreferences.objects.create(user_id=as_alice.id, auto_mine=False)
    converse(as_alice.id, "Hm.", source="chat")
    assert words(as_alice) == ""
    converse(as_alice.id, "Hm.", source="chat", mine_requested_at=NOW)
    assert words(as_alice) == ONE
    converse(as_alice.id, *["Hm."] * 5)
    found = pending_work_of(as_alice.id)
    assert (found.messages, found.chats) == (6, 2)
    assert words(as_alice) == "6 messages are not in memory yet."
    mine(as_alice.id)
    assert words(as_alice) == ""


@pytest.mark.parametrize(
    ("reason", "why"), [("unavailable", "while the language model was unreachable"), ("budget", "the budget")]
)
def test_unavailable_model_and_messages_read_without_it_are_reported(
    as_alice, alice_client, unavailable_model, reason, why
):
    MemoryPreferences.objects.create(user_id=as_alice.id, time_zone="Asia/Kolkata")
    clock, chat = Clock(), converse(as_alice.id, "I live in Porto.", "Lovely.")
    with current.using(chat=FakeChat()):  # it has no reply, which is a bug and not an outage
        mine(as_alice.id, clock)
    assert "unavailable" not in words(as_alice)
    clock.move(minutes=1)
    mine(as_alice.id, clock)
    assert "is unavailable; Palace tries again at 12:0" in words(as_alice)
    assert "so this chat waits for it" in page_of(alice_client, chat)
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


def add_dead_letter(conversation, **changes):
    given = {"source_kind": CONVERSATION, "source_id": conversation.id, "state": "dead"}
    return MiningProgress.objects.create(user_id=conversation.user_id, **given | changes)


def run_drain(user, **options):
    """The number of dead letters, and the reported numbers of messages left."""
    left = []
    return drain(user.id, timezone.now, left.append, **options), left


def test_drain_counts_dead_letters_without_waiting_for_them(as_alice):
    for name in ("boats", "tea"):
        file_conversation(as_alice.id, chat(name, "Words."), NOW)
    add_dead_letter(Conversation.objects.get(external_id="boats"))
    add_dead_letter(converse(as_alice.id, "Words.", source="chat", at=timezone.now()))
    imported = imported_chats(as_alice.id)
    assert run_drain(as_alice, within=imported) == (1, [1, 0])
    assert Drawer.objects.count() == 1
    assert (count_dead_jobs(as_alice.id), count_dead_jobs(as_alice.id, within=imported)) == (2, 1)
    assert retry_dead_jobs(as_alice.id, NOW) == 2
    assert run_drain(as_alice, within=imported)[0] == 0
    assert Drawer.objects.count() == 2


def test_drain_waits_for_retries_and_other_workers(as_alice, monkeypatch):
    conversation, rounds = converse(as_alice.id, "A boat!"), []
    waits = {"state": MiningProgress.State.RETRYING, "next_attempt_at": NOW + timedelta(seconds=60)}
    waiting = add_dead_letter(conversation, **waits)
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
    assert [name for name, _ in queued() if name == "mine"] == []
    assert pending_work_of(full.id).messages == 40 - kept
    with pytest.raises(CommandError, match=r"The palace is full: \d+ messages are not"):
        call_command("mine", user=full.email, wait=True)
    allow(full, None)
    sweep(NOW)
    assert any(name == "mine" for name, _ in queued())
    mine(full.id)
    said = Drawer.objects.order_by("id").values_list("content", flat=True)
    assert list(said) == [f"Number {n}." for n in range(40)]
    allow(full, 40)
    converse(full.id, "One more.")
    assert mine(full.id).windows == 0
    delete(full.id, "wing", Drawer.objects.first().wing_id, NOW)
    assert mine(full.id).windows == 1, "the trash makes room"


def test_pages_show_used_and_allowed_drawers(full, alice_client):
    kept, settings = Drawer.objects.count(), reverse("memory:settings")
    words = f"Your palace is full: it has {kept} of 10 drawers."
    for page in (reverse("memory:palace"), settings):
        assert words in check_page(alice_client.get(page))
    note = {"text": "A note.", "wing": "", "wing_kind": "topic", "room": "", "closet": ""}
    assert words in check_page(alice_client.post(reverse("memory:note"), note), status=422)
    chat = converse(full.id, "More.", source="chat")
    progress_of(full.id, CONVERSATION, chat.id)
    assert "Your palace is full, so this chat is not in memory yet" in page_of(alice_client, chat)
    allow(full, 1200)
    assert f"holds {kept} of 1,200 drawers allowed" in check_page(alice_client.get(settings))
    allow(full, None)
    assert "drawers allowed" not in check_page(alice_client.get(settings))
