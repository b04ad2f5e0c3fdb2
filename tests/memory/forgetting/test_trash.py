"""Deleting to the trash, restoring, purging, and not mining again what was deleted."""

from datetime import timedelta

import pytest

from chat.models import Conversation
from memory.forgetting.scopes import NothingToForget
from memory.forgetting.trash import NotInTrash, delete, purge, undo, undo_mining
from memory.graph.relations import add_source, relation_source
from memory.models import (
    ActivityEvent,
    Drawer,
    DrawerVector,
    DrawerWords,
    Entity,
    Fact,
    FactSource,
    Lexeme,
    MinedWindow,
    MiningProgress,
    Relation,
    RelationSource,
    Room,
)
from tests.drills.ledger import NOW, add, converse, mine, remember
from tests.drills.rows import differences, rows_of
from tests.memory.palaces import file, relate
from tests.memory.recall.asking import ask

WORDS = (
    "My sister Olga lives in Kyiv.",
    "How nice.",
    "I moved to Porto and I am allergic to cashews.",
    "Noted.",
)


pytestmark = pytest.mark.usefixtures("embedder")


@pytest.fixture
def mined(as_alice):
    converse(as_alice.id, "I live in Lima. I like the zither.", at=NOW - timedelta(days=90))
    return remember(as_alice.id, *WORDS)


def search(user, text):
    return [(hit.pointer, hit.text, round(hit.score, 6)) for hit in ask(user, text).hits]


def delete_room(user, conversation):
    return delete(user.id, "room", Room.objects.get(source_id=conversation.id).id, NOW)


def live_texts(conversation):
    """The texts of a chat's drawers that are not in the trash."""
    drawers = Drawer.objects.live().filter(source_id=conversation.id).order_by("source_sequence")
    return [drawer.content for drawer in drawers]


def test_undo_restores_all_rows_and_search_results(as_alice, mined):
    drawer = Drawer.objects.get(content=WORDS[2])
    before, found = rows_of(as_alice.id), search(as_alice, "Which nuts am I allergic to?")
    assert found
    deletion = delete(as_alice.id, "closet", drawer.closet_id, NOW)
    assert deletion.counts["drawers"] >= 1
    assert deletion.counts["facts"] >= 1
    assert [text for _, text, _ in search(as_alice, "allergic to cashews") if "cashews" in text] == []
    assert DrawerWords.objects.get(id=drawer.id).hidden, "deleted words have no weight in search"
    assert not DrawerVector.objects.filter(drawer_id=drawer.id, hidden=False).exists()
    assert differences(before, rows_of(as_alice.id))
    assert undo(as_alice.id, deletion.id, NOW) == deletion.counts["drawers"]
    assert differences(before, rows_of(as_alice.id)) == []
    assert search(as_alice, "Which nuts am I allergic to?") == found
    with pytest.raises(NotInTrash):
        undo(as_alice.id, deletion.id, NOW)

    drawers = Drawer.objects.filter(source_id=mined.id).order_by("source_sequence")
    first, second = (delete(as_alice.id, "drawer", drawer.id, NOW) for drawer in drawers[1:3])
    with pytest.raises(NothingToForget):
        delete(as_alice.id, "drawer", drawers[1].id, NOW)
    undo(as_alice.id, first.id, NOW)
    undo(as_alice.id, second.id, NOW)
    assert differences(before, rows_of(as_alice.id)) == []


def test_undoing_a_mining_can_itself_be_undone(as_alice, mined):
    before = rows_of(as_alice.id)
    event = ActivityEvent.objects.get(kind="memory_mined", subject_id=mined.id)
    deletion = undo_mining(as_alice.id, event.id, NOW)
    assert live_texts(mined) == []
    event.refresh_from_db()
    assert event.undone_at == NOW
    undo(as_alice.id, deletion.id, NOW)
    event.refresh_from_db()
    assert event.undone_at is None
    before.pop("events")
    assert differences(before, rows_of(as_alice.id)) == []


def test_deleted_words_are_neither_mined_again_nor_reimported(as_alice, mined):
    delete_room(as_alice, mined)
    again = remember(as_alice.id, *WORDS, title="Imported again")
    MinedWindow.objects.all().delete()  # as after a restored ledger
    MiningProgress.objects.filter(source_id=mined.id).update(mined_through=0)
    Conversation.objects.filter(id=mined.id).update(last_sequence=4)
    mine(as_alice.id)
    for conversation in (mined, again):
        assert live_texts(conversation) == []
        events = ActivityEvent.objects.filter(kind="memory_mined", subject_id=conversation.id)
        assert events.order_by("id").last().details["buried"] == len(WORDS)
    assert not Fact.objects.filter(deleted_at=None, statement__icontains="allergic").exists()


def test_a_reimport_skips_only_the_deleted_drawer(as_alice, mined):
    drawer = Drawer.objects.get(content=WORDS[2])
    delete(as_alice.id, "drawer", drawer.id, NOW)
    left = [WORDS[0], WORDS[1], WORDS[3]]
    assert live_texts(remember(as_alice.id, *WORDS)) == left

    assert purge(as_alice.id, NOW) == 0
    assert purge(as_alice.id, NOW + timedelta(seconds=1)) == 1
    assert not Drawer.objects.filter(id=drawer.id).exists()
    for table in (DrawerVector, FactSource, Relation, RelationSource):
        assert not table.objects.filter(drawer_id=drawer.id).exists()
    assert not DrawerWords.objects.filter(id=drawer.id).exists()
    assert not Fact.objects.filter(statement__icontains="cashew").exists()
    assert not Lexeme.objects.filter(lexeme__startswith="cashew").exists()
    assert not Lexeme.objects.filter(drawers=0).exists()
    assert live_texts(remember(as_alice.id, *WORDS)) == left


def test_deleted_words_are_mined_again_if_said_on_another_day_or_restored(as_alice, mined):
    deletion = delete_room(as_alice, mined)
    later = remember(as_alice.id, *WORDS, at=NOW - timedelta(days=2))
    assert live_texts(later) == [*WORDS]
    assert Fact.objects.filter(deleted_at=None, statement__icontains="allergic").exists()
    undo(as_alice.id, deletion.id, NOW)
    assert live_texts(remember(as_alice.id, *WORDS)) == [*WORDS]


def test_later_messages_of_a_deleted_chat_are_not_mined(as_alice):
    words = [f"I have a friend called Maya{n}." for n in range(24)]
    conversation = remember(as_alice.id, *words[:8])
    delete(as_alice.id, "source", conversation.id, NOW)
    add(conversation, words[8:], NOW - timedelta(days=1))
    mine(as_alice.id)
    assert live_texts(conversation) == []


def say_again(drawer, target, **given):
    """Repeat that Rui works at Acme, or knows somebody."""
    relation = "works_at" if target == "Acme" else "knows"
    fields = {"at": drawer.said_at, "single_valued": target == "Acme", "confidence": 0.9} | given
    add_source(relation_source(drawer, ("Rui", "person"), relation, (target, "person"), **fields))


def relations(user):
    return list(Relation.objects.filter(user_id=user.id, deleted_at=None).order_by("id").values())


def test_a_relation_is_deleted_with_its_last_source_and_restored(as_alice):
    first, second = file(as_alice.id, ["Rui knows Ines.", "Ines? Rui knows her."])
    relate(first, "Rui", "knows", "Ines")
    say_again(second, "Ines")
    before = relations(as_alice)
    assert len(before) == 1
    first_deletion = delete(as_alice.id, "drawer", first.id, NOW)
    (left,) = relations(as_alice)
    assert (left["drawer_id"], left["valid_from"]) == (second.id, second.said_at)
    last = delete(as_alice.id, "drawer", second.id, NOW)
    assert relations(as_alice) == []
    undo(as_alice.id, first_deletion.id, NOW)
    undo(as_alice.id, last.id, NOW)
    assert relations(as_alice) == before

    for drawer, count in ((first, 1), (second, 0)):
        delete(as_alice.id, "drawer", drawer.id, NOW)
        assert purge(as_alice.id, NOW + timedelta(seconds=1)) == 1
        assert Relation.objects.count() == RelationSource.objects.count() == count
        assert Entity.objects.count() == 2 * count


def test_deleting_the_source_of_a_relations_end_reopens_it(as_alice):
    worked, left = file(as_alice.id, ["Rui works at Acme.", "Rui left Acme."])
    relate(worked, "Rui", "works_at", "Acme", single_valued=True)
    say_again(left, "Acme", ends=True)
    ended = relations(as_alice)
    assert ended[0]["valid_to"] == left.said_at
    deletion = delete(as_alice.id, "drawer", left.id, NOW)
    assert relations(as_alice)[0]["valid_to"] is None
    undo(as_alice.id, deletion.id, NOW)
    assert relations(as_alice) == ended
