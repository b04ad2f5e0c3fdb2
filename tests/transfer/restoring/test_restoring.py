"""Exports are restored into an empty account, into a used one, and twice."""

from datetime import timedelta

import pytest
from django.db import connection

from accounts.models import User
from accounts.tenancy import operator, tenant
from chat.models import Agent, Conversation, Message
from memory.facts.corrections import corrections_of
from memory.forgetting.receipts import receipt_of
from memory.forgetting.trash import delete, purge, undo
from memory.models import (
    ActivityEvent,
    ChangeSet,
    Drawer,
    DrawerWords,
    Entity,
    Fact,
    Lexeme,
    Palace,
    Room,
    Tombstone,
    Wing,
)
from memory.organize import arranging
from memory.organize.notes import Note, save_note
from memory.projections.skills import propose_skills, skills_by_status
from memory.recall.pipeline import recall
from memory.recall.types import RecallRequest
from memory.search.embedding_backfill import backfill
from tests.drills.ledger import NOW, add, converse, mine
from tests.transfer.exporting.furnished import (
    ACTIVE,
    BAKES,
    ERASED,
    LATER,
    LIVES,
    SECRET,
    TRASHED,
    bring,
    contents,
    export,
    furnish,
    live_in,
    state,
)
from tests.transfer.exporting.test_kinds import OWNED
from tests.transfer.restoring.test_archives import changed, each
from transfer.exporting.kinds import KINDS, LEFT_OUT
from transfer.importing.archives import FileRefused

POINTER = ("pointer_wing", "pointer_room", "pointer_drawer")

pytestmark = pytest.mark.usefixtures("embedder")


def rows_by_table(user):
    """The number of rows of a user in each owned table."""
    with tenant(user.id), connection.cursor() as cursor:
        cursor.execute(OWNED)
        counts = {}
        for (table,) in cursor.fetchall():
            cursor.execute(f'SELECT count(*) FROM "{table}" WHERE user_id = %s', [user.id])
            (counts[table],) = cursor.fetchone()
    return counts


def pointers():
    return list(Drawer.objects.values_list(*POINTER))


def test_restoring_gives_the_same_export_and_touches_nobody_else(alice, bob):
    with tenant(alice.id):
        live_in(alice.id)
        whole = export(alice.id)
    assert [kind.name for kind in KINDS if not contents(whole)[f"data/{kind.name}.jsonl"]] == []
    before, theirs = state(alice), rows_by_table(alice)
    assert bring(alice, whole).added == {}
    assert state(alice) == before
    counted = bring(bob, whole, dry_run=True)
    with tenant(bob.id):
        assert not Drawer.objects.exists()
        assert not ActivityEvent.objects.exists()
    restored = bring(bob, whole)
    assert (restored, restored.left_out, restored.for_review) == (counted, {}, {})
    assert state(alice) == before, "nobody else is touched"
    after = state(bob)
    assert {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)} == set()
    ours, exported = rows_by_table(bob), {kind.table for kind in KINDS}
    assert set(theirs) <= exported | set(LEFT_OUT)
    unlike = {table for table in exported if theirs[table] != ours[table]}
    # The restore adds its own event, and incognito chats are not exported.
    assert unlike == {"memory_activityevent", "chat_conversation", "chat_message"}
    with tenant(bob.id):
        event = ActivityEvent.objects.get(kind="restored_export")
        assert event.details["added"]["drawers"] == restored.added["drawers"]
    again = bring(bob, whole)
    assert (again.added, again.left_out) == ({}, {})
    with tenant(bob.id):
        while backfill(bob.id, 100, LATER):
            pass
        assert mine(bob.id).windows == 0
    assert state(bob) == after, "neither vectors nor mining change what was restored"


def test_restoring_into_a_used_account_adds_without_duplicates(whole, bob):
    with tenant(bob.id):
        for wing in ("Odds", "Home"):
            save_note(bob.id, Note(f"I was here first, in {wing}.", wing=wing), LATER)
        converse(bob.id, "I live in Porto.", "A fine city.", title="Porto")
        mine(bob.id)
        own = set(Drawer.objects.values_list("id", "content", *POINTER))
    first = bring(bob, whole)
    with tenant(bob.id):
        assert own <= set(Drawer.objects.values_list("id", "content", *POINTER))
        assert Drawer.objects.count() == len(own) + first.added["drawers"]
        for name in ("Odds", "Home"):
            assert Wing.objects.filter(name=name, merged_into_id=None).count() <= 1
        assert Entity.objects.filter(type="user").count() <= 1
        said = list(Drawer.objects.values_list("content", "said_at", "role"))
        assert len(said) == len(set(said))
        assert len(pointers()) == len(set(pointers()))
    before = state(bob)
    assert bring(bob, whole).added == {}
    assert state(bob) == before
    with tenant(bob.id):
        for wing in ("Home", "Bread", "Fresh", "Notes"):
            save_note(bob.id, Note("More.", wing=wing, room="Another"), LATER)
        assert len(pointers()) == len(set(pointers()))


def test_recall_finds_the_same_drawers_and_agents_keep_their_ids_after_a_restore(furnished, alice, bob):
    def index_of(user):
        with tenant(user.id):
            return (
                set(DrawerWords.objects.values_list("id", "words", "hidden")),
                set(Lexeme.objects.filter(drawers__gt=0).values_list("lexeme", "drawers")),
                set(Palace.objects.values_list("drawers_indexed", "words_indexed")),
            )

    def found(user, message):
        with tenant(user.id):
            hits = recall(RecallRequest(user.id, message, LATER, explicit=True)).hits
        return [(hit.drawer_id, str(hit.pointer), hit.text) for hit in hits]

    def agents_of(user):
        with tenant(user.id):
            return dict(Agent.objects.values_list("id", "name"))

    bring(bob, furnished)
    assert index_of(bob) == index_of(alice)
    with tenant(bob.id):
        while backfill(bob.id, 100, LATER):
            pass
    for question in (BAKES, "Which bread do I bake on Sundays?", "Heat the oven.", "One day."):
        assert found(bob, question) == found(alice, question) != []
    agents = agents_of(alice)
    assert agents_of(bob) == agents != {}
    with tenant(bob.id):
        chats = Conversation.objects.exclude(agent_id=None)
        assert {chat.agent.name for chat in chats} == set(agents.values())
        Agent.objects.filter(is_default=False).update(name="Bob's")
    assert agents_of(alice) == agents


def test_undo_works_after_a_restore_and_nothing_is_proposed_again(whole, bob):
    bring(bob, whole)
    with tenant(bob.id):
        trashed = Drawer.objects.get(content=TRASHED)
        undo(bob.id, trashed.deletion_id, LATER)
        assert receipt_of(bob.id, trashed.deletion_id).undone_at == LATER
        assert Drawer.objects.live().filter(id=trashed.id).exists()
        hidden = Drawer.objects.get(content=SECRET)
        assert undo(bob.id, hidden.deletion_id, LATER) == 1
        assert not DrawerWords.objects.get(id=hidden.id).hidden
        for kind in ("moved", "merged"):
            arranging.undo(bob.id, ChangeSet.objects.get(kind=kind).batch_id, LATER)
        assert Wing.objects.get(name="Me").merged_into_id is None
        held = Drawer.objects.get(content__startswith=ACTIVE)
        assert corrections_of(bob.id, [held.id])[held.id].facts == 1
        assert propose_skills(bob.id, None, LATER) == 0
        assert skills_by_status(bob.id, "proposed").items[0].text.goal == "Deploy"
        assert Fact.objects.get(statement="The user sings badly.").deleted_by_owner
        assert Tombstone.objects.filter(kind="fact").exists()


def test_words_with_restored_tombstones_are_not_mined(whole, bob):
    assert [name for name, data in contents(whole).items() if b"Quellnymphe" in data] == []
    bring(bob, whole)
    with tenant(bob.id):
        assert Tombstone.objects.exists()
        purge(bob.id, LATER.replace(year=2035))
        said_at = {ERASED: LATER, SECRET: Message.objects.get(content=SECRET).said_at}
        for words, at in said_at.items():
            converse(bob.id, words, title="Told again", at=at)
        mine(bob.id)
        assert not Drawer.objects.filter(content__in=said_at).exists()
    bring(bob, whole)
    with tenant(bob.id):
        assert not Drawer.objects.filter(content__in=said_at).exists()


@pytest.mark.parametrize("erase", [False, True])
def test_rows_deleted_after_the_export_are_not_restored(furnished, alice, erase):
    def known():
        with tenant(alice.id):
            rooms, facts = Room.objects.values_list("id", "title"), Fact.objects.filter(deleted_at=None)
            drawers = Drawer.objects.values_list("id", "deletion_id")
            entities = set(Entity.objects.values_list("id", "name"))
            return set(drawers), set(facts.values_list("id", "statement")), entities, set(rooms)

    with tenant(alice.id):
        delete(alice.id, "wing", Drawer.objects.get(content=LIVES).wing_id, NOW)
        if erase:
            purge(alice.id, LATER)
    before = known()
    assert [statement for _, statement in before[1] if "Lisbon" in statement] == []
    restored = bring(alice, furnished)
    assert restored.left_out.get("drawers", 0) >= 2 * erase
    if not erase:
        assert restored.added == {}
    assert known() == before
    assert bring(alice, furnished).added == {}


@pytest.mark.parametrize("diverged", [False, True])
def test_longer_chat_is_extended_unless_it_diverged(furnished, alice, bob, diverged):
    bring(bob, furnished)
    for user in (alice, bob)[: 1 + diverged]:
        with tenant(user.id):
            chat = Conversation.objects.get(external_id="bread-1")
            Message.objects.create(
                user_id=user.id, conversation_id=chat.id, sequence=8, parent_sequence=7,
                role="user", content=f"{user.name} also bakes cakes.", said_at=LATER,
            )  # fmt: skip
            Conversation.objects.filter(id=chat.id).update(last_sequence=8, head_sequence=8)
    with tenant(alice.id):
        mine(alice.id)
        later = export(alice.id)
    restored = bring(bob, later)
    assert restored.diverged == int(diverged)
    if diverged:
        with tenant(bob.id):
            new = Message.objects.filter(content__contains="cakes").values_list("content", flat=True)
            assert list(new) == ["Bob also bakes cakes."]
    else:
        assert (restored.added["messages"], restored.added["drawers"]) == (1, 1)
        assert state(bob) == state(alice)


def test_new_and_extended_chats_are_not_active_in_the_future(furnished, alice, bob):
    future = LATER + timedelta(days=9)
    bring(bob, changed(furnished, "conversations", each(last_message_at=future.isoformat())))
    with tenant(bob.id):
        assert set(Conversation.objects.values_list("last_message_at", flat=True)) == {LATER}
        Conversation.objects.update(last_message_at=NOW)
    with tenant(alice.id):
        chat = Conversation.objects.get(external_id="bread-1")
        add(chat, ["I also bake cakes."], future)
        longer = export(alice.id)
    bring(bob, longer)
    with tenant(bob.id):
        assert Conversation.objects.get(external_id="bread-1").last_message_at == LATER


def test_chat_imported_in_both_accounts_is_not_duplicated(archive, bob):
    with tenant(bob.id):
        furnish(bob.id)
        drawers, messages = Drawer.objects.count(), Message.objects.count()
    bring(bob, archive)
    with tenant(bob.id):
        assert Drawer.objects.count() == drawers
        assert Conversation.objects.filter(external_id="bread-1").count() == 1
        assert Message.objects.count() == messages + 4  # chats that were not imported have no external id
    assert bring(bob, archive).added == {}


def test_restore_beyond_the_quota_is_refused(archive, bob):
    with operator():
        User.objects.filter(id=bob.id).update(drawer_quota=5)
    with pytest.raises(FileRefused, match="room for 5 drawers"):
        bring(bob, archive)
    with tenant(bob.id):
        assert not Drawer.objects.exists()
        assert not Conversation.objects.exists()
