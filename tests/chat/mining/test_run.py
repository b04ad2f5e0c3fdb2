"""Which chats are mined, in which windows, up to which topic shift, and in which order."""

from datetime import timedelta

import pytest

from accounts.tenancy import tenant
from chat.mining.run import READ_AHEAD, due_conversations, mine_user, request_mining, upcoming_windows
from chat.mining.topic_shift import chats_to_check, detect_topic_shifts
from chat.models import Agent, Conversation
from jobs.sweep import sweep
from llm import current
from llm.embedding_models import BGE_SMALL
from llm.errors import EmbedderUnavailable
from memory.mining.progress import progress_of
from memory.mining.transcripts import CONVERSATION
from memory.models import Drawer, MemoryPreferences, MinedWindow, Usage
from tests.drills.ledger import NOW, Clock, add, converse, mine
from tests.fake_gateway import FakeChat, FakeEmbedder
from tests.memory.mining.chats import DRIFTING, STEADY

pytestmark = pytest.mark.usefixtures("embedder")


def numbered(count):
    return [f"Number {number}." for number in range(count)]


def windows():
    rows = MinedWindow.objects.order_by("first_sequence")
    return list(rows.values_list("first_sequence", "last_sequence"))


def kept():
    return list(Drawer.objects.order_by("created_at", "id").values_list("content", flat=True))


def ticking(clock, milliseconds):
    """A clock that advances at each reading."""

    def tick():
        clock.move(milliseconds=milliseconds)
        return clock.now

    return tick


def test_chats_are_mined_in_the_order_they_began(as_alice):
    for days, word in ((1, "three"), (9, "one"), (5, "two")):
        converse(as_alice.id, f"I like {word}.", at=NOW - timedelta(days=days))
    mine(as_alice.id)
    assert kept() == ["I like one.", "I like two.", "I like three."]


def test_requested_chats_are_mined_first_and_imports_last(as_alice):
    converse(as_alice.id, "Imported.", at=NOW - timedelta(days=9))
    converse(as_alice.id, "Asked for.", at=NOW - timedelta(days=2), mine_requested_at=NOW)
    for word, changes in (("Mine.", {}), ("Requested.", {"mine_requested_at": NOW})):
        converse(as_alice.id, word, source="chat", at=NOW - timedelta(days=1), **changes)
    mine(as_alice.id)
    assert kept() == ["Asked for.", "Requested.", "Mine.", "Imported."]


def test_interrupted_mining_cuts_the_same_windows(alice, bob):
    """Mining stops at its time limit, reports that more is due, and cuts the same windows later."""
    found = {}
    for user, seconds in ((alice, 1), (bob, 10_000)):
        with tenant(user.id):
            converse(user.id, *numbered(43))
            clock, limit = ticking(Clock(), 400), timedelta(seconds=seconds)
            done = mine_user(user.id, clock, limit)
            assert done.more_due == (user == alice)
            while mine_user(user.id, clock, limit).more_due:
                pass
            assert kept() == numbered(43)
            found[user] = windows()
    assert found[alice] == found[bob]


def test_only_chats_of_unmined_agents_are_skipped(as_alice):
    silent = Agent.objects.create(user_id=as_alice.id, name="Silent", mine=False)
    loud = Agent.objects.create(user_id=as_alice.id, name="Loud")
    converse(as_alice.id, "Hush.", agent_id=silent.id)
    converse(as_alice.id, "I live in Porto.", agent_id=loud.id)
    mine(as_alice.id)
    assert kept() == ["I live in Porto."]


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
    ("count", "size", "changes", "cut"),
    [
        (0, 8, {}, []),
        (3, 8, {}, [(1, 3)]),
        (10, 8, {}, [(1, 10)]),
        (11, 8, {}, [(1, 8), (9, 11)]),
        (10, 9, {}, [(1, 10)]),
        (11, 9, {}, [(1, 9), (10, 11)]),
        (11, 10, {}, [(1, 10), (11, 11)]),
        (20, 10, {}, [(1, 10), (11, 20)]),
        (12, 8, {"mined_through": 9}, [(10, 12)]),
        (12, 8, {"mined_through": 12}, []),
        (9, 8, {"topic_shift_after": 6}, [(1, 6)]),
        (20, 8, {"topic_shift_after": 11}, [(1, 8), (9, 11)]),
        (9, 8, {"mined_through": 6, "topic_shift_after": 6}, [(7, 9)]),
    ],
)
def test_windows_are_cut_at_the_chosen_size_and_at_topic_shifts(as_alice, count, size, changes, cut):
    assert spans_of(converse(as_alice.id, *numbered(count)), size, **changes) == cut


def test_only_a_few_windows_are_read_ahead(as_alice):
    assert spans_of(converse(as_alice.id, *numbered(200)), 8)[-1][1] <= READ_AHEAD


def spans_of(conversation, size, **changes):
    progress = progress_of(conversation.user_id, CONVERSATION, conversation.id)
    for name, value in changes.items():
        setattr(progress, name, value)
    found = upcoming_windows(conversation, progress, size)
    return [(span.turns[0].sequence, span.turns[-1].sequence) for span in found]


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


@pytest.mark.parametrize(
    "changes",
    [
        {"source": "import"},
        {"mine": False},
        {"incognito": True},
        {"deleted_at": NOW},
        {"closed_at": NOW},
        {"last_message_at": NOW - timedelta(minutes=5)},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_chats_closed_or_excluded_from_mining_are_not_checked(as_alice, changes):
    conversation = talk(as_alice)
    Conversation.objects.filter(id=conversation.id).update(**changes)
    assert not chats_to_check(as_alice.id, NOW).exists()


def test_short_chats_and_those_of_unmined_agents_or_owners_are_not_checked(as_alice, bob):
    silent = Agent.objects.create(user_id=as_alice.id, name="Silent", mine=False)
    talk(as_alice, agent_id=silent.id)
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
