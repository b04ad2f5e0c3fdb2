"""Forget requests of every scope: receipt, undo, and the residue of words and names."""

from datetime import timedelta

import pytest

from chat.models import Conversation, Message
from llm import current
from memory.forgetting import requests
from memory.forgetting.erasure import collect_targets
from memory.forgetting.holders import waiting_uploads
from memory.forgetting.requests import empty_trash, erase_now, forget, forget_now, preview
from memory.forgetting.scopes import ForgetRequest
from memory.forgetting.trash import NotInTrash, undo
from memory.forgetting.verification import find_residue
from memory.models import Closet, Drawer, Entity, RecallTrace, Room, Wing
from memory.organize.notes import Note, save_note
from tests.chat.ledger import export_of
from tests.drills.ledger import NOW, converse, mine, remember
from tests.drills.rows import differences, rows_of
from tests.fake_gateway import FakeChat
from tests.memory.mining.answers import answer, placed
from tests.transfer.importing.exports import as_file
from transfer.imports import cancel, process, receive
from transfer.models import ImportRun, RefusedEntry

HOUR = timedelta(hours=1)


pytestmark = pytest.mark.usefixtures("embedder")


@pytest.fixture
def chats(as_alice):
    converse(as_alice.id, "I live in Lima. I like the zither.", at=NOW - timedelta(days=90))
    return remember(as_alice.id, "My sister Olga lives in Kyiv.", "How nice.", title="Family")


def request_for(chat, kind, **changes):
    """A request to forget Olga, in a scope of this kind."""
    if kind == "dates":
        return ForgetRequest(kind, since=NOW - timedelta(days=40), until=NOW)
    drawer = Drawer.objects.get(content__contains="Olga")
    entity = Entity.objects.filter(name__icontains="Olga").first()
    named = {
        "drawer": drawer.id,
        "closet": drawer.closet_id,
        "room": drawer.room_id,
        "wing": drawer.wing_id,
        "source": chat.id,
        "entity": entity and entity.id,
    }
    return ForgetRequest(kind, named.get(kind), **changes)


@pytest.mark.parametrize(
    "kind", ["drawer", "closet", "room", "wing", "source", "entity", "dates", "everything"]
)
def test_every_scope_is_previewed_undone_and_erased_without_residue(as_alice, chats, kind):
    forget_request, before = request_for(chats, kind), rows_of(as_alice.id)
    seen = preview(as_alice.id, forget_request)
    assert seen.examples
    receipt = forget(as_alice.id, forget_request, NOW)
    assert {key: seen.counts[key] for key in receipt.counts} == receipt.counts
    assert receipt.counts["drawers"] >= 1
    assert not Drawer.objects.live().filter(content__contains="Olga").exists()
    undo(as_alice.id, receipt.id, NOW)
    assert differences(before, rows_of(as_alice.id)) == []
    assert Conversation.objects.filter(deleted_at=None).count() == 2
    with pytest.raises(NotInTrash):
        undo(as_alice.id, receipt.id, NOW)

    receipt = forget_now(as_alice.id, forget_request, NOW)
    assert receipt.final_at == NOW
    assert receipt.residue["words"] > 0
    assert receipt.residue["tables"] > 40
    assert receipt.residue["is_clean"], receipt.residue
    assert receipt.residue["found"] == []
    assert not Message.objects.filter(content__contains="Olga").exists()
    with pytest.raises(NotInTrash):
        undo(as_alice.id, receipt.id, NOW)


def test_the_trash_is_erased_and_verified_after_thirty_days_or_at_once(as_alice, chats, monkeypatch):
    monkeypatch.setattr(requests, "BATCH", 1)
    drawers = Drawer.objects.filter(role="user").order_by("id")[:2]
    receipts = [forget(as_alice.id, ForgetRequest("drawer", drawer.id), NOW) for drawer in drawers]
    assert empty_trash(as_alice.id, NOW + timedelta(days=29)) == 0
    later = NOW + timedelta(days=31)
    assert [empty_trash(as_alice.id, later) for _ in range(3)] == [1, 1, 0]
    for receipt in receipts:
        receipt.refresh_from_db()
        assert receipt.residue["is_clean"], receipt.residue
    receipt = forget(as_alice.id, ForgetRequest("everything"), NOW)
    assert erase_now(as_alice.id, receipt.id, NOW).residue["is_clean"]
    with pytest.raises(NotInTrash):
        erase_now(as_alice.id, receipt.id, NOW)


def test_a_chat_that_was_not_forgotten_is_listed_in_the_receipt(as_alice, chats):
    receipt = forget_now(as_alice.id, request_for(chats, "room", with_chats=False), NOW)
    assert Message.objects.filter(content__contains="Olga").exists()
    assert {each["table"] for each in receipt.residue["found"]} == {"chat_message"}
    assert receipt.residue["is_clean"]


def test_a_forgotten_unmined_chat_is_never_mined(as_alice):
    chat = converse(as_alice.id, "The safe is behind the Zurbaran.")
    receipt = forget_now(as_alice.id, ForgetRequest("source", chat.id), NOW)
    assert receipt.residue["is_clean"], receipt.residue
    mine(as_alice.id)
    again = remember(as_alice.id, "The safe is behind the Zurbaran.")
    assert not Drawer.objects.filter(source_id__in=[chat.id, again.id]).exists()


@pytest.fixture
def upload(as_alice, uploads):
    """An analysed upload that waits for its import; its chat is not in the ledger."""
    value = export_of({"boats": ["My sister Olga lives in Kyiv."]}, [{"id": "x", "title": "Olga"}])
    run = receive(as_alice.id, [as_file(value).getvalue()], NOW)
    process(as_alice.id, run.id, lambda: NOW)
    assert RefusedEntry.objects.get().where == "entry 2 (“Olga”)"
    return run


@pytest.fixture
def committing(django_capture_on_commit_callbacks):
    """A context that runs on-commit callbacks when it ends."""
    return lambda: django_capture_on_commit_callbacks(execute=True)


EVERYTHING = ForgetRequest("everything")


@pytest.mark.parametrize("with_chats", [True, False])
def test_forgetting_everything_deletes_uploads_that_wait_for_import(
    as_alice, upload, committing, request, with_chats
):
    if with_chats:
        request.getfixturevalue("chats")
    assert preview(as_alice.id, EVERYTHING).counts["uploads"] == 1
    with committing():
        receipt = forget_now(as_alice.id, EVERYTHING, NOW)
    assert receipt.erased["uploads"] == 1
    assert receipt.residue["found"] == []
    assert not upload.file.exists()
    assert not ImportRun.objects.exists()
    assert waiting_uploads(receipt) == []


def test_erasing_everything_from_the_trash_deletes_only_earlier_uploads(as_alice, chats, upload, committing):
    receipt = forget(as_alice.id, EVERYTHING, NOW)
    assert upload.file.exists(), "forgetting can be undone"
    later = receive(as_alice.id, [as_file(export_of({"tea": ["Hm."]})).getvalue()], NOW + HOUR)
    with committing():
        erase_now(as_alice.id, receipt.id, NOW + 2 * HOUR)
    assert [upload.file.exists(), later.file.exists()] == [False, True]


def test_forgetting_everything_cancels_a_running_import(as_alice, chats, upload, committing):
    upload.begin(NOW)
    with committing():
        forget_now(as_alice.id, EVERYTHING, NOW)
    process(as_alice.id, upload.id, lambda: NOW)
    assert ImportRun.objects.get().state == "cancelled"
    assert not upload.file.exists()
    assert not Message.objects.exists()


@pytest.mark.parametrize("kind", ["source", "entity"])
def test_narrower_requests_report_uploads_that_may_contain_the_words(as_alice, chats, upload, kind):
    receipt = forget_now(as_alice.id, request_for(chats, kind), NOW)
    assert [each.id for each in waiting_uploads(receipt)] == [upload.id]
    assert receipt.residue["found"] == []
    assert RefusedEntry.objects.get().where == "entry 2"
    cancel(upload, NOW)
    assert waiting_uploads(receipt) == []


def test_forgotten_chats_stay_forgotten_when_the_file_is_imported_again(as_alice, upload):
    pending = receive(as_alice.id, [upload.file.read_bytes()], NOW)
    upload.begin(NOW)
    process(as_alice.id, upload.id, lambda: NOW)
    receipt = forget_now(as_alice.id, ForgetRequest("source", Conversation.objects.get().id), NOW)
    assert [each.id for each in waiting_uploads(receipt)] == [pending.id]
    process(as_alice.id, pending.id, lambda: NOW)
    assert pending.begin(NOW)
    process(as_alice.id, pending.id, lambda: NOW)
    mine(as_alice.id)
    assert not Message.objects.exclude(content="").exists()
    assert not Drawer.objects.exists()


FED = "I feed the starter every morning."


def mine_as(user_id, *said, wing="Bread", topics=("Starter", "Starter"), **choices):
    """Mine a chat that a model files under these names."""
    turns = [placed(f"t{at}", topic=topic) for at, topic in enumerate(topics, 1)]
    found = answer(wing={"kind": "project", "name": wing}, turns=turns[: len(said)])
    with current.using(chat=FakeChat([found])):
        return remember(user_id, *said, **choices)


def forget_fed(user_id):
    drawer = Drawer.objects.get(content=FED)
    return forget_now(user_id, ForgetRequest("drawer", drawer.id), NOW)


def names():
    closets = Closet.objects.filter(drawers_held__gt=0)
    return {*closets.values_list("name", flat=True), *Wing.objects.values_list("name", flat=True)}


def test_a_place_named_by_another_chat_keeps_its_name_and_is_reported(as_alice):
    mine_as(as_alice.id, FED, "How nice.")
    mine_as(as_alice.id, "It will not turn over in the cold.", "Try the battery.", wing="Car")
    fed = Drawer.objects.get(content=FED)
    searched = find_residue(collect_targets(as_alice.id, [fed.id]))["found"]
    columns = ("name", "slug")
    closets = [each for each in searched if each["table"] == "memory_closet"]
    assert {(each["column"], each["rows"], each["why"]) for each in closets} == {
        (column, 1, why) for column in columns for why in ("", "named_elsewhere")
    }
    receipt = forget_fed(as_alice.id)
    assert names() == {"Bread", "Car", "Topic", "Starter"}, "the closet of the other chat keeps its name"
    assert Closet.objects.get(name="Starter").room.wing.name == "Car"
    assert receipt.residue["is_clean"]
    found = {(each["table"], each["column"], each["why"]) for each in receipt.residue["found"]}
    assert found == {("memory_closet", column, "named_elsewhere") for column in columns}


def test_places_named_by_the_forgotten_chat_or_one_that_recalled_it_lose_their_names(as_alice):
    mine_as(as_alice.id, FED, "Every day?", topics=("Baking", "Starter"), title="My starter")
    fed = Drawer.objects.get(content=FED)
    later = mine_as(as_alice.id, "What did I do daily?", "You fed it.", wing="Starter", at=NOW)
    hits = [{"drawer_id": str(fed.id)}]
    trace = RecallTrace.objects.create(user_id=as_alice.id, trace={}, hits=hits, at=NOW)
    Message.objects.filter(conversation_id=later.id, sequence=2).update(trace_id=trace.id)
    receipt = forget_fed(as_alice.id)
    assert names() == {"Bread", "Topic"}
    assert Room.objects.get(wing__name="Bread").title == ""
    assert [each for each in receipt.residue["found"] if not each["why"]] == []


def test_a_wing_created_by_another_chat_keeps_its_name(as_alice):
    mine_as(as_alice.id, "It hums.", "Good.", wing="Starter", at=NOW - timedelta(days=50))
    fed = mine_as(as_alice.id, FED, "How nice.", wing="Starter")
    assert Room.objects.filter(source_id=fed.id).get().wing.name == "Starter"
    mine_as(as_alice.id, "Hm.", "Hm?", wing="Car", topics=("Noise", "Noise"), at=NOW)
    receipt = forget_fed(as_alice.id)
    assert receipt.residue["is_clean"], receipt.residue


def test_a_closet_named_in_a_note_keeps_its_name(as_alice):
    save_note(as_alice.id, Note(FED, wing="Kitchen", closet="Baking"), NOW)
    save_note(as_alice.id, Note("It lives in the cellar.", wing="Kitchen", closet="Starter"), NOW)
    receipt = forget_fed(as_alice.id)
    assert "Starter" in names()
    assert {each["why"] for each in receipt.residue["found"]} == {"named_elsewhere"}
