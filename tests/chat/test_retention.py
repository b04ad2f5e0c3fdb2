"""Chats, and recalls of programs, expire or are forgotten; drawers and facts from chats stay."""

from datetime import timedelta

import pytest
from django.urls import reverse

from accounts.tenancy import tenant
from chat.conversations import NewMessage, append
from chat.forgetting import RECALLS_KEPT_FOR, erase_old_recalls
from chat.models import Agent, Generation, Message
from chat.replies.recall import try_recall
from chat.retention import KEEP_DELETED_FOR, empty_old_chats, expired_chats, remove
from memory.forgetting.requests import forget, forget_now, preview
from memory.forgetting.scopes import ForgetRequest, NothingToForget
from memory.forgetting.trash import undo
from memory.mining.progress import progress_of, record_failure
from memory.models import ActivityEvent, Drawer, Fact, MiningProgress, RecallTrace, Relation
from memory.organize.notes import Note, save_note
from memory.preferences import change_preferences
from memory.recall.feedback import record_not_relevant
from memory.recall.types import RecallRequest
from tests.drills.ledger import NOW, converse, mine
from tests.html import check_page
from transfer.exporting.kinds import BY_NAME, count_of

SECRET = "My sister Ines keeps an unmistakable-lighthouse."
LATER = NOW + timedelta(days=1)
SECOND = timedelta(seconds=1)

pytestmark = pytest.mark.usefixtures("embedder")


@pytest.fixture
def alice_with_limit(as_alice):
    """Alice, whose chats are kept for two weeks."""
    change_preferences(as_alice.id, {"retention_days": 14}, NOW)
    return as_alice


def old(user, **changes):
    return converse(user.id, SECRET, "How nice.", **changes)


def memory_of(user):
    tables = (Drawer, Fact, Relation)
    return [list(table.objects.filter(user_id=user.id).order_by("id").values()) for table in tables]


def test_expired_chat_is_emptied_and_its_memory_stays(alice_with_limit):
    chat = old(alice_with_limit, title="About unmistakable-lighthouse", project="unmistakable-lighthouse")
    trace = RecallTrace.objects.create(user_id=alice_with_limit.id, trace={"q": "x"})
    Message.objects.filter(sequence=2).update(trace_id=trace.id)
    assert not expired_chats(alice_with_limit.id, LATER).exists(), "it is not mined yet"
    mine(alice_with_limit.id)
    before = memory_of(alice_with_limit)
    assert all(before[:2])
    end = chat.last_message_at + timedelta(days=14)
    for now, emptied in ((end, []), (end + SECOND, [2]), (end + 99 * SECOND, [])):
        assert empty_old_chats(alice_with_limit.id, now) == emptied
    assert memory_of(alice_with_limit) == before
    assert not Message.objects.exists()
    assert not RecallTrace.objects.exists()
    chat.refresh_from_db()
    assert (chat.title, chat.project) == ("", "")
    assert chat.expired_at == chat.deleted_at == end + SECOND
    event = ActivityEvent.objects.get(kind=ActivityEvent.Kind.EXPIRED)
    assert event.details == {"conversations": 1, "messages": 2}


def test_without_a_limit_only_deleted_chats_are_emptied_after_thirty_days(as_alice):
    chat = old(as_alice)
    mine(as_alice.id)
    assert empty_old_chats(as_alice.id, NOW + timedelta(days=9999)) == []
    remove(chat, NOW, forget_too=False)
    assert empty_old_chats(as_alice.id, NOW + KEEP_DELETED_FOR) == []
    assert empty_old_chats(as_alice.id, NOW + KEEP_DELETED_FOR + SECOND) == [2]
    assert Drawer.objects.live().count() == 2
    assert not ActivityEvent.objects.filter(kind=ActivityEvent.Kind.EXPIRED).exists()


def test_chats_excluded_from_mining_expire_and_those_that_wait_for_it_do_not(alice_with_limit):
    agent = Agent.objects.create(user_id=alice_with_limit.id, name="Silent", mine=False)
    for changes in ({"mine": False}, {"incognito": True}, {"agent_id": agent.id}):
        old(alice_with_limit, **changes)
    change_preferences(alice_with_limit.id, {"auto_mine": False}, NOW)
    old(alice_with_limit, source="chat")
    asked = old(alice_with_limit, source="chat", mine_requested_at=NOW)
    progress = progress_of(alice_with_limit.id, "conversation", asked.id)
    for _ in range(4):
        record_failure(progress, "Broken", NOW)
    assert empty_old_chats(alice_with_limit.id, LATER) == [2] * 4
    MiningProgress.objects.update(state=MiningProgress.State.DISCARDED)
    assert expired_chats(alice_with_limit.id, LATER).get() == asked


def test_chats_with_a_pending_reply_and_of_other_users_do_not_expire(alice_with_limit, bob):
    chat = old(alice_with_limit, mine=False)
    with tenant(bob.id):
        change_preferences(bob.id, {"retention_days": 1}, NOW)
        for user in (alice_with_limit, bob):
            assert empty_old_chats(user.id, LATER) == []
    Generation.objects.create(user_id=alice_with_limit.id, conversation_id=chat.id, parent_sequence=2)
    assert empty_old_chats(alice_with_limit.id, LATER) == []


@pytest.mark.parametrize("way", ["expired", "deleted"])
def test_drawers_of_removed_chats_show_their_date_instead_of_a_link(
    alice_with_limit, alice_client, bob_client, client, way
):
    chat = old(alice_with_limit)
    mine(alice_with_limit.id)
    drawer = Drawer.objects.get(role="user")
    room = reverse("memory:room", args=[drawer.wing_id, drawer.room_id])
    pages = [reverse("memory:drawer", args=[drawer.id]), room]
    link = reverse("chat:conversation", args=[chat.id])
    for page in pages:
        assert link in check_page(alice_client.get(page))
    if way == "deleted":
        remove(chat, NOW, forget_too=False)
        assert "From a chat on 3 Feb 2031" in check_page(alice_client.get(pages[0]))
        return
    empty_old_chats(alice_with_limit.id, LATER)
    for page in pages:
        html = check_page(alice_client.get(page))
        assert link not in html
        assert "From a chat on 3 Feb 2031. The chat itself was removed on 6 Mar 2031" in html
    assert "no longer kept" in check_page(alice_client.get(link), 410)
    assert (bob_client.get(link).status_code, client.get(link).status_code) == (404, 302)


EVERYTHING = ForgetRequest("everything")
DAY = timedelta(days=1)


@pytest.fixture
def note(as_alice):
    return save_note(as_alice.id, Note("The key lies under the Mandragora."), NOW)


def recall_by_program(user_id, question="Where is the key?"):
    """The trace of a recall as MCP makes it."""
    found = try_recall(RecallRequest(user_id, question, NOW + 999 * DAY, explicit=True, called_at=NOW))
    trace = RecallTrace.objects.get(id=found.trace_id)
    assert (trace.without_reply, trace.at) == (True, NOW)
    return trace


def is_kept(trace):
    return RecallTrace.objects.filter(id=trace.id).exists()


def test_erasing_a_drawer_erases_traces_that_recalled_it(as_alice, note):
    trace = recall_by_program(as_alice.id)
    assert [hit["drawer_id"] for hit in trace.hits] == [str(note.id)]
    other = recall_by_program(as_alice.id, "How long do eggs boil?")
    receipt = forget(as_alice.id, ForgetRequest("drawer", note.id), NOW)
    assert is_kept(trace), "it can be undone"
    undo(as_alice.id, receipt.id, NOW)
    receipt = forget_now(as_alice.id, ForgetRequest("drawer", note.id, with_chats=False), NOW)
    assert (is_kept(trace), is_kept(other)) == (False, True)
    assert (receipt.erased["recalls"], receipt.residue["found"]) == (1, [])


def test_trace_with_forgotten_words_is_erased_although_it_found_nothing(as_alice, note):
    Drawer.objects.filter(id=note.id).update(sensitive=True)
    trace = recall_by_program(as_alice.id, "What is the Mandragora?")
    assert trace.hits == []
    receipt = forget_now(as_alice.id, ForgetRequest("drawer", note.id), NOW)
    assert (is_kept(trace), receipt.residue["found"]) == (False, [])


def test_residue_check_reports_traces_that_were_not_erased(as_alice, note, monkeypatch):
    recall_by_program(as_alice.id, "What is the Mandragora?")
    RecallTrace.objects.create(user_id=as_alice.id, trace={"of_a_reply": "The Mandragora?"}, at=NOW)
    monkeypatch.setattr("chat.forgetting._erase_recalls", lambda *_: 0)
    receipt = forget_now(as_alice.id, ForgetRequest("drawer", note.id), NOW)
    found = {(each["column"], each["rows"], each["why"]) for each in receipt.residue["found"]}
    assert found == {("trace", 1, ""), ("trace", 1, "in_chats")}
    assert not receipt.residue["is_clean"]


@pytest.mark.parametrize("with_chats", [True, False])
def test_forgetting_everything_erases_all_traces(as_alice, with_chats):
    recall_by_program(as_alice.id, "How long do eggs boil?")
    assert preview(as_alice.id, EVERYTHING).counts["recalls"] == 1
    if with_chats:
        save_note(as_alice.id, Note("The key lies under the Mandragora."), NOW)
        forget(as_alice.id, EVERYTHING, NOW)
        assert RecallTrace.objects.exists()
        with pytest.raises(NothingToForget):
            forget(as_alice.id, EVERYTHING, NOW)
    receipt = forget_now(as_alice.id, ForgetRequest("everything", with_chats=with_chats), NOW + DAY)
    assert not RecallTrace.objects.exists()
    assert (receipt.erased["recalls"], receipt.residue["is_clean"]) == (int(not with_chats), True)
    with pytest.raises(NothingToForget):
        forget_now(as_alice.id, EVERYTHING, NOW + DAY)


@pytest.mark.parametrize(
    ("chats_kept", "kept"), [(0, RECALLS_KEPT_FOR), (14, 14 * DAY), (365, RECALLS_KEPT_FOR)]
)
def test_trace_is_erased_after_ninety_days_or_the_retention_of_chats(as_alice, chats_kept, kept):
    change_preferences(as_alice.id, {"retention_days": chats_kept}, NOW)
    trace = recall_by_program(as_alice.id)
    erase_old_recalls(as_alice.id, NOW + kept)
    assert is_kept(trace)
    erase_old_recalls(as_alice.id, NOW + kept + SECOND)
    assert not is_kept(trace)


def test_trace_of_a_reply_does_not_expire_and_is_exported(as_alice, note, conversation):
    attached, lone = recall_by_program(as_alice.id), recall_by_program(as_alice.id)
    append(conversation, NewMessage(Message.Role.ASSISTANT, "Below.", trace_id=attached.id), NOW)
    for trace in (attached, lone):
        record_not_relevant(as_alice.id, trace.id, note.id, NOW)
    assert [count_of(BY_NAME[kind], as_alice.id) for kind in ("traces", "negative_feedback")] == [1, 1]
    erase_old_recalls(as_alice.id, NOW + RECALLS_KEPT_FOR + SECOND)
    assert (is_kept(attached), is_kept(lone)) == (True, False)
