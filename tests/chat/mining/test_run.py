from datetime import timedelta

import pytest

from accounts.tenancy import tenant
from chat.mining.run import due_conversations, mine_person, request_mining, unmined_messages
from chat.models import Agent, Conversation
from llm import current
from llm.fake_gateway import FakeEmbedder
from memory.models import Drawer, MemoryPreferences, MinedWindow
from tests.drills.ledger import NOW, Clock, add, converse, mine


@pytest.fixture(autouse=True)
def _embedder(embedder):
    return embedder


def test_chats_are_mined_in_the_order_they_began(as_alice):
    for days, word in ((1, "three"), (9, "one"), (5, "two")):
        converse(as_alice.id, f"I like {word}.", at=NOW - timedelta(days=days))
    mine(as_alice.id)
    kept = Drawer.objects.order_by("id").values_list("content", flat=True)
    assert list(kept) == ["I like one.", "I like two.", "I like three."]


def test_only_ones_own_chats_are_mined(alice, bob):
    for user in (alice, bob):
        with tenant(user.id):
            converse(user.id, "I live in Porto.")
    with tenant(alice.id):
        mine(alice.id)
        assert Drawer.objects.count() == 1
        assert mine(bob.id).windows == 0
    with tenant(bob.id):
        assert unmined_messages(bob.id) == 1


def test_it_stops_when_time_is_up_and_says_that_more_is_left(as_alice):
    converse(as_alice.id, *["Hm."] * 30)
    clock = Clock()

    def ticking():
        clock.move(seconds=1)
        return clock.now

    done = mine_person(as_alice.id, ticking, timedelta(seconds=4))
    assert done.unfinished
    assert 1 <= done.windows < 4
    while mine_person(as_alice.id, ticking, timedelta(seconds=4)).unfinished:
        pass
    assert Drawer.objects.count() == 30


def test_the_windows_do_not_depend_on_the_pauses(alice, bob):
    spans = {}
    for user, budget in ((alice, 1), (bob, 10_000)):
        clock = Clock()
        with tenant(user.id):
            converse(user.id, *[f"Number {n}." for n in range(43)])

            def ticking(clock=clock):
                clock.move(milliseconds=400)
                return clock.now

            while mine_person(user.id, ticking, timedelta(seconds=budget)).unfinished:
                pass
            spans[user] = list(
                MinedWindow.objects.order_by("first_sequence").values_list("first_sequence", "last_sequence")
            )
    assert spans[alice] == spans[bob]


def test_an_agent_that_is_not_to_be_mined_is_left_alone_and_no_other(as_alice):
    silent = Agent.objects.create(user_id=as_alice.id, name="Silent", mine=False)
    loud = Agent.objects.create(user_id=as_alice.id, name="Loud")
    converse(as_alice.id, "Hush.", agent_id=silent.id)
    converse(as_alice.id, "I live in Porto.", agent_id=loud.id)
    mine(as_alice.id)
    assert [drawer.content for drawer in Drawer.objects.all()] == ["I live in Porto."]


def test_without_auto_mining_only_what_is_asked_for_and_imports_are_mined(as_alice):
    MemoryPreferences.objects.create(user_id=as_alice.id, auto_mine=False)
    converse(as_alice.id, "From before.")
    conversation = converse(as_alice.id, "Said here.", source="chat")
    mine(as_alice.id)
    assert Drawer.objects.count() == 1
    request_mining(as_alice.id, NOW)
    mine(as_alice.id)
    assert Drawer.objects.count() == 2
    add(conversation, ["More."], NOW + timedelta(minutes=1))
    assert not due_conversations(as_alice.id, NOW + timedelta(days=9)).exists()


def test_what_waits_is_counted(as_alice):
    converse(as_alice.id, *["Hm."] * 5)
    converse(as_alice.id, *["Hm."] * 5, learn=False)
    assert unmined_messages(as_alice.id) == 5
    mine(as_alice.id)
    assert unmined_messages(as_alice.id) == 0
    add(Conversation.objects.get(learn=True), ["Oh."], NOW)
    assert unmined_messages(as_alice.id) == 1


def test_a_person_without_chats_has_nothing_to_mine(as_alice):
    with current.using(embedder=FakeEmbedder()):
        assert mine(as_alice.id) == type(mine(as_alice.id))()


@pytest.mark.parametrize(
    ("count", "changes", "windows"),
    [
        (3, {}, []),
        (9, {}, []),
        (10, {}, [(1, 10)]),
        (13, {}, [(1, 8)]),
        (3, {"closed_at": NOW}, [(1, 3)]),
        (3, {"mine_requested_at": NOW}, [(1, 3)]),
        (3, {"last_message_at": NOW - timedelta(minutes=5)}, [(1, 3)]),
    ],
    ids=["open", "nine turns", "ten turns", "more", "closed", "asked for", "idle"],
)
def test_what_has_a_chat_mined(as_alice, count, changes, windows):
    words = [f"Number {number}." for number in range(count)]
    begun = NOW - timedelta(minutes=count)
    given = {"source": "chat", "last_message_at": NOW - timedelta(seconds=30)} | changes
    converse(as_alice.id, *words, at=begun)
    Conversation.objects.update(**given)
    mine(as_alice.id)
    found = MinedWindow.objects.order_by("first_sequence")
    assert list(found.values_list("first_sequence", "last_sequence")) == windows


def test_the_size_of_a_window_is_chosen(as_alice):
    MemoryPreferences.objects.create(user_id=as_alice.id, window_size=10)
    converse(as_alice.id, *[f"Number {number}." for number in range(24)])
    mine(as_alice.id)
    found = MinedWindow.objects.order_by("first_sequence")
    assert list(found.values_list("first_sequence", "last_sequence")) == [
        (1, 10),
        (11, 20),
        (21, 24),
    ]
