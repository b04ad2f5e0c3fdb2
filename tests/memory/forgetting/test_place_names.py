"""Names made of forgotten words go; the same word stays where other chats gave it to a place."""

from datetime import timedelta

from chat.models import Message
from llm import current
from memory.forgetting.erasure import collect_targets
from memory.forgetting.requests import forget_now
from memory.forgetting.scopes import ForgetRequest
from memory.forgetting.verification import find_residue
from memory.models import Closet, Drawer, RecallTrace, Room, Wing
from memory.organize.notes import Note, save_note
from tests.drills.ledger import NOW, converse, mine
from tests.fake_gateway import FakeChat, FakeEmbedder
from tests.memory.mining.answers import answer, placed

FED = "I feed the starter every morning."


def told(user_id, *said, wing="Bread", topics=("Starter", "Starter"), **choices):
    """A chat that a model files under these names."""
    turns = [placed(f"t{at}", topic=topic) for at, topic in enumerate(topics, 1)]
    found = answer(wing={"kind": "project", "name": wing}, turns=turns[: len(said)])
    with current.using(embedder=FakeEmbedder(), chat=FakeChat([found])):
        chat = converse(user_id, *said, **choices)
        mine(user_id)
    return chat


def forget_fed(user_id):
    drawer = Drawer.objects.get(content=FED)
    with current.using(embedder=FakeEmbedder()):
        return forget_now(user_id, ForgetRequest("drawer", drawer.id), NOW)


def names():
    closets = Closet.objects.filter(drawers_held__gt=0)
    return {*closets.values_list("name", flat=True), *Wing.objects.values_list("name", flat=True)}


def test_a_name_that_another_chat_made_of_the_word_is_left_and_reported(as_alice):
    told(as_alice.id, FED, "How nice.")
    told(as_alice.id, "It will not turn over in the cold.", "Try the battery.", wing="Car")
    fed = Drawer.objects.get(content=FED)
    searched = find_residue(collect_targets(as_alice.id, [fed.id])).found
    columns = ("name", "slug")
    assert {(each.column, each.rows, each.why) for each in searched if each.table == "memory_closet"} == {
        (column, 1, why) for column in columns for why in ("", "named_elsewhere")
    }
    receipt = forget_fed(as_alice.id)
    assert names() == {"Bread", "Car", "Topic", "Starter"}, "that of the car stays"
    assert Closet.objects.get(name="Starter").room.wing.name == "Car"
    assert receipt.residue["is_clean"]
    found = {(each["table"], each["column"], each["why"]) for each in receipt.residue["found"]}
    assert found == {("memory_closet", column, "named_elsewhere") for column in columns}


def test_places_named_by_the_forgotten_chat_lose_the_name(as_alice):
    told(as_alice.id, FED, "Every day?", topics=("Baking", "Starter"), title="My starter")
    receipt = forget_fed(as_alice.id)
    assert names() == {"Bread", "Topic"}
    assert Room.objects.get().title == ""
    assert receipt.residue["found"] == []


def test_places_named_by_a_chat_that_recalled_the_words_lose_the_name(as_alice):
    told(as_alice.id, FED, "How nice.", topics=("Baking", "Baking"))
    fed = Drawer.objects.get(content=FED)
    later = told(as_alice.id, "What did I do daily?", "You fed it.", wing="Starter", at=NOW)
    hits = [{"drawer_id": str(fed.id)}]
    trace = RecallTrace.objects.create(user_id=as_alice.id, trace={}, hits=hits, at=NOW)
    Message.objects.filter(conversation_id=later.id, sequence=2).update(trace_id=trace.id)
    receipt = forget_fed(as_alice.id)
    assert "Starter" not in names()
    assert [each for each in receipt.residue["found"] if not each["why"]] == []


def test_a_wing_that_another_chat_began_keeps_its_name(as_alice):
    told(as_alice.id, "It hums.", "Good.", wing="Starter", at=NOW - timedelta(days=50))
    fed = told(as_alice.id, FED, "How nice.", wing="Starter")
    assert Room.objects.filter(source_id=fed.id).get().wing.name == "Starter"
    told(as_alice.id, "Hm.", "Hm?", wing="Car", topics=("Noise", "Noise"), at=NOW)
    receipt = forget_fed(as_alice.id)
    assert receipt.residue["is_clean"], receipt.residue


def test_a_closet_of_notes_keeps_the_name_it_was_given(as_alice):
    with current.using(embedder=FakeEmbedder()):
        save_note(as_alice.id, Note(FED, wing="Kitchen", closet="Baking"), NOW)
        kept = Note("It lives in the cellar.", wing="Kitchen", closet="Starter")
        save_note(as_alice.id, kept, NOW)
    receipt = forget_fed(as_alice.id)
    assert "Starter" in names()
    assert {each["why"] for each in receipt.residue["found"]} == {"named_elsewhere"}
