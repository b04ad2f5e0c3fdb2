"""What goes out comes back: into an empty account, into a used one, and twice."""

import io

import pytest

from accounts.tenancy import tenant
from chat.models import Agent, Conversation, Message
from chat.restoring.restoring import restore
from chat.restoring.types import RestoreRefused, Wanted
from llm import current
from llm.fake_gateway import FakeEmbedder
from memory.backfill import backfill
from memory.erasure import delete, purge, undo
from memory.models import (
    ActivityEvent,
    Drawer,
    DrawerWords,
    Entity,
    Fact,
    Lexeme,
    Palace,
    Relation,
    RelationSource,
    Room,
    Tombstone,
    Wing,
)
from memory.notes import Note, save_note
from memory.recall.pipeline import recall
from memory.recall.types import RecallRequest
from tests.chat.exporting.furnished import BAKES, LATER, LIVES, SECRET, contents, export, furnish
from tests.drills.ledger import NOW, converse, mine


def bring(user, archive, **changes):
    with tenant(user.id):
        return restore(Wanted(user.id, LATER, **changes), io.BytesIO(archive))


def state(user):
    """Every file of an export but the manifest."""
    with tenant(user.id):
        files = contents(export(user.id))
    return {name: data for name, data in files.items() if name != "manifest.json"}


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


def settled(user):
    """What the account knows, told without ids."""
    with tenant(user.id):
        return (
            sorted(Drawer.objects.values_list("content", "said_at", "role")),
            sorted(Message.objects.values_list("content", "said_at", "sequence")),
            sorted(Fact.objects.values_list("statement", "status", "valid_from")),
            sorted(Entity.objects.values_list("name", "type")),
            sorted(Relation.objects.values_list("relation", "object__name", "valid_from")),
            sorted(RelationSource.objects.values_list("relation", "object__name", "at")),
            sorted(Wing.objects.values_list("name", "kind")),
        )


@pytest.fixture
def used(bob, archive):
    """Bob has a palace of his own, with a wing of the same name."""
    with tenant(bob.id), current.using(embedder=FakeEmbedder()):
        save_note(bob.id, Note("Mine was here first.", wing="Home"), NOW)
        converse(bob.id, "I live in Porto.", "A fine city.", title="Porto")
        mine(bob.id)
    return bob


def test_a_used_account_keeps_what_it_has_and_gains_the_rest(archive, alice, used):
    with tenant(used.id):
        before = {d.id: (d.content, d.pointer_wing, d.pointer_room, d.pointer_drawer)
                  for d in Drawer.objects.all()}  # fmt: skip
    restored = bring(used, archive)
    assert restored.added["drawers"] == 12
    with tenant(used.id):
        after = Drawer.objects.all()
        assert after.count() == len(before) + 12
        for drawer in after.filter(id__in=before):
            parts = (
                drawer.content,
                drawer.pointer_wing,
                drawer.pointer_room,
                drawer.pointer_drawer,
            )
            assert parts == before[drawer.id]
        assert Wing.objects.filter(name__iexact="home").count() == 1
        assert {d.wing.name for d in after.filter(content__in=[LIVES, "Mine was here first."])} == {
            "Home"
        }
        assert Entity.objects.filter(type="user").count() <= 1


def test_into_a_used_account_twice_adds_nothing(archive, used):
    bring(used, archive)
    before, kept = state(used), settled(used)
    again = bring(used, archive)
    assert again.added == {}
    assert (state(used), settled(used)) == (before, kept)


def test_new_notes_go_on_behind_every_pointer(archive, used):
    bring(used, archive)
    with tenant(used.id), current.using(embedder=FakeEmbedder()):
        known = set(Drawer.objects.values_list("pointer_wing", "pointer_room", "pointer_drawer"))
        for wing in ("Home", "Bread", "Fresh", "Notes"):
            drawer = save_note(used.id, Note("More.", wing=wing, room="Another"), LATER)
            known.add((drawer.pointer_wing, drawer.pointer_room, drawer.pointer_drawer))
        assert len(known) == Drawer.objects.count()


def test_what_is_forgotten_here_stays_forgotten(archive, alice):
    with tenant(alice.id):
        wing = Drawer.objects.get(content=LIVES).wing_id
        delete(alice.id, "wing", wing, NOW)
        purge(alice.id, LATER)
        assert not Fact.objects.filter(statement__contains="Lisbon").exists()
        entities = set(Entity.objects.values_list("id", "name"))
        rooms = set(Room.objects.values_list("id", "title"))
    restored = bring(alice, archive)
    assert restored.left_out["drawers"] >= 2
    with tenant(alice.id):
        assert not Drawer.objects.filter(content=LIVES).exists()
        assert not Fact.objects.filter(statement__contains="Lisbon").exists()
        assert set(Entity.objects.values_list("id", "name")) == entities
        assert set(Room.objects.values_list("id", "title")) == rooms
        assert Drawer.objects.filter(content=BAKES).exists()
    assert bring(alice, archive).added == {}


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


def test_a_chat_that_went_on_in_the_file_grows(archive, alice, as_bob):
    bring(as_bob, archive)
    with tenant(alice.id), current.using(embedder=FakeEmbedder()):
        chat = Conversation.objects.get(external_id="bread-1")
        Message.objects.create(
            user_id=alice.id, conversation_id=chat.id, sequence=8, parent_sequence=7,
            role="user", content="I also bake cakes.", said_at=LATER,
        )  # fmt: skip
        Conversation.objects.filter(id=chat.id).update(last_sequence=8, head_sequence=8)
        mine(alice.id)
        later = export(alice.id)
    restored = bring(as_bob, later)
    assert restored.added["messages"] == 1
    assert restored.added["drawers"] == 1
    assert state(as_bob) == state(alice)


def test_a_chat_that_went_on_in_both_stays_as_it_is_here(archive, alice, as_bob):
    bring(as_bob, archive)
    for user in (alice, as_bob):
        with tenant(user.id):
            chat = Conversation.objects.get(external_id="bread-1")
            Message.objects.create(
                user_id=user.id, conversation_id=chat.id, sequence=8, role="user",
                content=f"{user.name} goes on.", said_at=LATER,
            )  # fmt: skip
            Conversation.objects.filter(id=chat.id).update(last_sequence=8)
    with tenant(alice.id):
        later = export(alice.id)
    assert bring(as_bob, later).diverged == 1
    with tenant(as_bob.id):
        assert not Message.objects.filter(content="Alice goes on.").exists()
        assert Message.objects.filter(content="Bob goes on.").exists()


def test_the_same_import_in_both_accounts_is_one(archive, bob):
    with tenant(bob.id), current.using(embedder=FakeEmbedder()):
        furnish(bob.id)
        drawers, messages = Drawer.objects.count(), Message.objects.count()
    bring(bob, archive)
    with tenant(bob.id):
        assert Drawer.objects.count() == drawers
        assert Conversation.objects.filter(external_id="bread-1").count() == 1
        assert Message.objects.count() == messages + 4  # chats that were not imported have no name
    assert bring(bob, archive).added == {}


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
