"""Restoring an export does not bring back what was deleted or forgotten since."""

from datetime import timedelta

import pytest

from accounts.tenancy import tenant
from chat.agents import create_agent, erase_deleted_agents, remove_agent, undelete_agent
from chat.edits import edit_agent
from chat.models import Agent, Conversation, Message
from memory.forgetting.requests import forget_now
from memory.forgetting.scopes import ForgetRequest
from memory.graph import editing
from memory.graph.resolution import find_entity
from memory.models import Drawer, EntityName, RecallTrace, Tombstone
from memory.text.digests import text_digest
from tests.drills.ledger import NOW, converse, remember
from tests.transfer.exporting.furnished import bring, export, state

MONTH = timedelta(days=31)
HIDDEN = "The key is under the Zanzibarius."
ECHO = "You said it is under the Zanzibarius."


pytestmark = pytest.mark.usefixtures("embedder")


@pytest.fixture
def poet(as_alice):
    """An agent with a chat."""
    agent = create_agent(as_alice.id, {"name": "Poet", "instructions": "Rhyme."})
    remember(as_alice.id, "I like the zither.", "Noted.", agent_id=agent.id)
    return agent


@pytest.mark.parametrize("name", ["Poet", "Bard"])
@pytest.mark.parametrize("later", [timedelta(0), MONTH])
def test_deleted_agent_is_not_restored(as_alice, poet, name, later):
    """Neither under its current nor under its earlier name."""
    old = export(as_alice.id)
    edit_agent(poet, {"name": name}, NOW)
    remove_agent(poet, NOW)
    erase_deleted_agents(as_alice.id, NOW + later)
    before = state(as_alice)
    bring(as_alice, old)
    assert not Agent.objects.filter(deleted_at=None, is_default=False).exists()
    assert state(as_alice) == before


def test_deleted_agent_is_not_restored_in_another_account_with_its_tombstone(as_alice, poet, bob):
    old = export(as_alice.id)
    remove_agent(poet, NOW)
    erase_deleted_agents(as_alice.id, NOW + MONTH)
    new = export(as_alice.id)
    Conversation.objects.all().delete()
    with tenant(bob.id):
        bring(bob, new)
        Conversation.objects.all().delete()
        bring(bob, old)
        assert set(Agent.objects.values_list("name", flat=True)) == {"Palace"}
        assert [chat.agent_id for chat in Conversation.objects.all()] == [None]


def test_undeleted_agent_is_restored_unless_it_has_a_tombstone_of_an_earlier_version(as_alice, poet):
    """Those were digests of the time of creation."""
    old = export(as_alice.id)
    remove_agent(poet, NOW)
    undelete_agent(as_alice.id, poet.id)
    assert not Tombstone.objects.filter(kind="agent").exists()
    bring(as_alice, old)
    assert Agent.objects.get(deleted_at=None, is_default=False).name == "Poet"
    remove_agent(poet, NOW)
    made_at = int(poet.created_at.timestamp() * 1_000_000)
    Tombstone.objects.filter(kind="agent").update(digest=text_digest(f"agent\n{made_at}"))
    erase_deleted_agents(as_alice.id, NOW + MONTH)
    bring(as_alice, old)
    assert set(Agent.objects.values_list("name", flat=True)) == {"Palace"}


def test_recall_without_a_reply_is_not_restored_from_an_earlier_export(as_alice, bob):
    add_quoting_reply(as_alice.id)
    RecallTrace.objects.create(user_id=as_alice.id, trace={"query": {"text": "Where is it?"}}, at=NOW)
    old = export(as_alice.id)  # earlier versions did not mark recalls, so it contains both
    bring(bob, old)
    with tenant(bob.id):
        assert [trace.trace for trace in RecallTrace.objects.all()] == [{}]


def test_removed_name_is_not_restored_but_may_belong_to_another_entity(as_alice, bob):
    def named():
        return find_entity(as_alice.id, "Olechka")

    def remove_name():
        return editing.remove_name(as_alice.id, olga.id, EntityName.objects.get(name="Olechka").id, NOW)

    remember(as_alice.id, "My sister Olga lives in Kyiv.", "How nice.")
    olga = find_entity(as_alice.id, "Olga")
    editing.add_name(as_alice.id, olga.id, "Olechka", NOW)
    old = export(as_alice.id)
    with tenant(bob.id):
        remember(bob.id, "My aunt Olechka lives in Lviv.", "How nice.")
        other = export(bob.id)
    edit = remove_name()
    bring(as_alice, old)
    assert named() is None
    editing.undo(as_alice.id, edit.id, NOW)
    assert named() == olga
    assert not Tombstone.objects.filter(kind="name").exists()
    remove_name()
    bring(as_alice, other)
    assert named() not in {None, olga}


def add_quoting_reply(user_id):
    """Add a reply that repeats a recalled message of another chat."""
    remember(user_id, HIDDEN, "Noted.")
    asking = converse(user_id, "Where is the key?", ECHO, at=NOW)
    hits = [{"drawer_id": str(Drawer.objects.get(content=HIDDEN).id)}]
    trace = RecallTrace.objects.create(user_id=user_id, trace={}, hits=hits, at=NOW)
    Message.objects.filter(conversation_id=asking.id, sequence=2).update(trace_id=trace.id)


@pytest.mark.parametrize("with_chats", [True, False])
def test_tombstones_alone_blank_replies_that_quote_forgotten_drawers(as_alice, bob, with_chats):
    add_quoting_reply(as_alice.id)
    archive, drawer = export(as_alice.id), Drawer.objects.get(content=HIDDEN)
    forget_now(as_alice.id, ForgetRequest("drawer", drawer.id, with_chats=with_chats), NOW)
    stones = list(Tombstone.objects.all())
    if not with_chats:
        archive, stones = export(as_alice.id), []
    with tenant(bob.id):
        for stone in stones:
            stone.user_id = bob.id
        Tombstone.objects.bulk_create(stones)
        bring(bob, archive)
        said = set(Message.objects.values_list("content", flat=True))
    assert said == {"Noted.", "Where is the key?"} | ({""} if with_chats else {HIDDEN, ECHO})
