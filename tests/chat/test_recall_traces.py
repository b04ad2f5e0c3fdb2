"""Recall traces of programs are erased with the recalled drawers, with everything, and after a time."""

from datetime import timedelta

import pytest

from chat.conversations import NewMessage, append
from chat.models import Message
from chat.recall_traces import RETENTION, erase_old_recalls
from chat.replies.recall import try_recall
from memory.forgetting.requests import forget, forget_now, preview
from memory.forgetting.scopes import ForgetRequest, NothingToForget
from memory.forgetting.trash import undo
from memory.models import Drawer, RecallTrace
from memory.organize.notes import Note, save_note
from memory.preferences import change_preferences
from memory.recall.feedback import record_not_relevant
from memory.recall.types import RecallRequest
from tests.chat.conftest import NOW
from transfer.exporting.kinds import BY_NAME, count_of

EVERYTHING = ForgetRequest("everything")
DAY = timedelta(days=1)
SECOND = timedelta(seconds=1)

pytestmark = pytest.mark.usefixtures("embedder")


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
    monkeypatch.setattr("chat.forgetting.erase_recalls", lambda *_: 0)
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


@pytest.mark.parametrize(("chats_kept", "kept"), [(0, RETENTION), (14, 14 * DAY), (365, RETENTION)])
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
    erase_old_recalls(as_alice.id, NOW + RETENTION + SECOND)
    assert (is_kept(attached), is_kept(lone)) == (True, False)
