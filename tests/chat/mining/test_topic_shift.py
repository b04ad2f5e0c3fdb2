"""Open chats are mined up to a topic shift."""

from datetime import timedelta

import pytest

from accounts.tenancy import tenant
from chat.mining.run import due_conversations
from chat.mining.topic_shift import chats_to_check, detect_topic_shifts
from chat.models import Agent, Conversation
from jobs.sweep import sweep
from llm import current
from llm.embedding_models import BGE_SMALL
from llm.errors import EmbedderUnavailable
from memory.models import Drawer, MemoryPreferences, MinedWindow, Usage
from tests.drills.ledger import NOW, Clock, add, converse, mine
from tests.fake_gateway import FakeChat, FakeEmbedder
from tests.memory.mining.chats import DRIFTING, STEADY

BEFORE, CHANGING = DRIFTING[0]
WORDS = [words for exchange in CHANGING for words in exchange][: 2 * BEFORE + 2]
STAYING = [words for exchange in STEADY[0] for words in exchange][: 2 * BEFORE + 2]
JUST_NOW = NOW - timedelta(minutes=len(WORDS))

# Drawers are embedded as bags of words; topic shifts are detected with the local model.
pytestmark = pytest.mark.usefixtures("embedder")


def talk(user, words=WORDS, **changes):
    return converse(user.id, *words, at=JUST_NOW, **({"source": "chat"} | changes))


def windows():
    rows = MinedWindow.objects.order_by("first_sequence")
    return list(rows.values_list("first_sequence", "last_sequence"))


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
