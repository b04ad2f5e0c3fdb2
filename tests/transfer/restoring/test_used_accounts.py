"""What comes back into an account that has a life of its own."""

import pytest

from accounts.tenancy import tenant
from chat.models import Conversation, Message
from llm import current
from llm.fake_gateway import FakeEmbedder
from memory.forgetting.trash import delete, purge
from memory.models import (
    Drawer,
    Entity,
    Fact,
    Relation,
    RelationSource,
    Room,
    Wing,
)
from memory.organize.notes import Note, save_note
from tests.drills.ledger import NOW, converse, mine
from tests.transfer.exporting.furnished import BAKES, LATER, LIVES, export, furnish
from tests.transfer.restoring.bringing import bring, state


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
        assert {d.wing.name for d in after.filter(content__in=[LIVES, "Mine was here first."])} == {"Home"}
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
