"""What goes out comes back: into an empty account, into a used one, and twice."""

import pytest

from accounts.tenancy import tenant
from chat.models import Agent, Conversation, Message
from llm import current
from llm.fake_gateway import FakeEmbedder
from memory.forgetting.trash import purge, undo
from memory.models import (
    ActivityEvent,
    Drawer,
    DrawerWords,
    Lexeme,
    Palace,
    Tombstone,
    Wing,
)
from memory.recall.pipeline import recall
from memory.recall.types import RecallRequest
from memory.search.embedding_backfill import backfill
from tests.drills.ledger import converse, mine
from tests.transfer.exporting.furnished import BAKES, LATER, LIVES, SECRET, contents, export
from tests.transfer.restoring.bringing import bring, state
from transfer.restoring.archives import RestoreRefused


def test_an_empty_account_has_the_same_export_afterwards(archive, as_bob):
    restored = bring(as_bob, archive)
    assert restored.added["drawers"] == 12
    assert restored.left_out == {}
    before = {name: data for name, data in contents(archive).items() if name != "manifest.json"}
    assert state(as_bob) == before


def test_twice_adds_nothing(archive, as_bob):
    bring(as_bob, archive)
    before = state(as_bob)
    again = bring(as_bob, archive)
    assert again.added == {}
    assert again.left_out == {}
    assert state(as_bob) == before


def test_into_the_account_it_came_from_nothing_is_added(archive, alice):
    before = state(alice)
    assert bring(alice, archive).added == {}
    assert state(alice) == before


def words_of(user):
    with tenant(user.id):
        return (
            set(DrawerWords.objects.values_list("id", "words", "hidden")),
            set(Lexeme.objects.filter(drawers__gt=0).values_list("lexeme", "drawers")),
            set(Palace.objects.values_list("drawers_indexed", "words_indexed")),
        )


def found(user, message):
    with tenant(user.id), current.using(embedder=FakeEmbedder()):
        hits = recall(RecallRequest(user.id, message, LATER, asked=True)).hits
    return [(hit.drawer_id, str(hit.pointer), hit.text) for hit in hits]


def test_recall_finds_the_same_drawers(archive, alice, as_bob):
    bring(as_bob, archive)
    assert words_of(as_bob) == words_of(alice)
    with tenant(as_bob.id), current.using(embedder=FakeEmbedder()):
        while backfill(as_bob.id, 100, LATER):
            pass
    for question in (BAKES, "Which bread do I bake on Sundays?", "Heat the oven.", "One day."):
        assert found(as_bob, question) == found(alice, question)
        assert found(alice, question) != []


def test_vectors_change_nothing_that_was_understood(archive, as_bob):
    bring(as_bob, archive)
    before = state(as_bob)
    with tenant(as_bob.id), current.using(embedder=FakeEmbedder()):
        while backfill(as_bob.id, 100, LATER):
            pass
    assert state(as_bob) == before


def test_a_dry_run_counts_and_keeps_nothing(archive, as_bob):
    before = state(as_bob)
    counted = bring(as_bob, archive, dry_run=True)
    assert state(as_bob) == before
    with tenant(as_bob.id):
        assert not ActivityEvent.objects.exists()
    assert bring(as_bob, archive) == counted


def test_the_trash_can_still_be_undone(archive, as_bob):
    bring(as_bob, archive)
    with tenant(as_bob.id):
        hidden = Drawer.objects.get(content=SECRET)
        assert hidden.deletion_id is not None
        assert undo(as_bob.id, hidden.deletion_id, LATER).drawers == 1
        assert not DrawerWords.objects.get(id=hidden.id).hidden


def test_nothing_is_mined_again(archive, as_bob):
    bring(as_bob, archive)
    before = state(as_bob)
    with tenant(as_bob.id), current.using(embedder=FakeEmbedder()):
        assert mine(as_bob.id).windows == 0
    assert state(as_bob) == before


def test_the_owner_is_told(archive, as_bob):
    bring(as_bob, archive)
    with tenant(as_bob.id):
        event = ActivityEvent.objects.get(kind="restored_export")
        assert event.details["added"]["drawers"] == 12


def test_agents_have_ids_of_their_own(archive, alice, as_bob):
    bring(as_bob, archive)
    with tenant(alice.id):
        theirs = set(Agent.objects.values_list("id", flat=True))
        names = set(Agent.objects.values_list("name", flat=True))
    with tenant(as_bob.id):
        assert set(Agent.objects.values_list("name", flat=True)) == names
        assert not theirs & set(Agent.objects.values_list("id", flat=True))
        chats = Conversation.objects.exclude(agent_id=None)
        assert {chat.agent.name for chat in chats} == names


def test_what_the_file_has_forgotten_is_not_mined_there(archive, as_bob):
    bring(as_bob, archive)
    with tenant(as_bob.id), current.using(embedder=FakeEmbedder()):
        purge(as_bob.id, LATER.replace(year=2035))
        assert Tombstone.objects.exists()
        assert not Drawer.objects.filter(content=SECRET).exists()
        said = Message.objects.get(content=SECRET)
        converse(as_bob.id, SECRET, title="Again", at=said.said_at)
        mine(as_bob.id)
        assert not Drawer.objects.filter(content=SECRET).exists()
    bring(as_bob, archive)
    with tenant(as_bob.id):
        assert not Drawer.objects.filter(content=SECRET).exists()


def test_a_wing_goes_alone_into_an_empty_account(archive, alice, as_bob):
    with tenant(alice.id):
        wing = Drawer.objects.get(content=LIVES).wing_id
        alone = export(alice.id, wing)
    bring(as_bob, alone)
    with tenant(as_bob.id):
        assert Wing.objects.count() == 1
        assert Drawer.objects.get(content=LIVES).annotation == "Since 2019."
        again = export(as_bob.id, wing)
    one, other = contents(alone), contents(again)
    assert {name for name in one if one[name] != other.get(name)} <= {"manifest.json"}


def test_a_full_palace_takes_nothing(archive, as_bob):
    type(as_bob).objects.filter(id=as_bob.id).update(drawer_quota=5)
    with pytest.raises(RestoreRefused, match="room for 5 drawers"):
        bring(as_bob, archive)
    with tenant(as_bob.id):
        assert not Drawer.objects.exists()
        assert not Conversation.objects.exists()


def test_nobody_else_is_touched(archive, alice, as_bob):
    before = state(alice)
    bring(as_bob, archive)
    assert state(alice) == before
