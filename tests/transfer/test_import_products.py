"""Small exports of every product, with the quirks of real ones, against hand-made counts."""

import json
import shutil
from collections import Counter

import pytest
from django.utils import timezone

from chat.models import Conversation, Message
from tests.transfer.importing.exports import FIXTURES, as_zip
from transfer.importing.archives import FileRefused
from transfer.imports import counts_of, import_file, local_run
from transfer.models import ImportRun, RefusedEntry

EXPORTS = FIXTURES.parent
COUNTS = {
    # conversations, empty ones, refused entries, messages, branches, calls, results
    "claude": (2, 1, 1, 14, 1, 2, 3),
    "claude_code": (2, 0, 4, 13, 1, 2, 2),
    "open_webui": (2, 1, 1, 14, 2, 1, 3),
    "librechat": (1, 0, 0, 11, 2, 1, 2),
    "chatgpt/conversations.json": (2, 1, 0, 21, 2, 2, 4),
    "chatgpt/kittiwake.json": (3, 0, 0, 10, 0, 0, 0),
    "chatgpt/linear.json": (2, 0, 0, 5, 0, 0, 0),
    "gemini": (4, 0, 2, 19, 0, 0, 2),
    "gemini_page": (2, 0, 1, 4, 0, 0, 0),
    "grok": (2, 1, 1, 13, 1, 1, 2),
    "ai_studio": (1, 0, 0, 12, 1, 1, 3),
}
REPEATED = {"ai_studio": 5}  # messages that a branched copy shares with its chat
NEVER_SPOKEN = ("thinking", "reasoning", "think", "instructions", "machinery", "summary", "error")


def imported(user_id, path):
    with local_run(user_id, path, timezone.now()) as run:
        return import_file(run, path, timezone.now)


def forks(chat):
    replies = Counter(chat.messages.values_list("parent_sequence", flat=True))
    return sum(count - 1 for count in replies.values())


def ledger():
    rows = Message.objects.order_by("conversation__external_id", "sequence")
    return list(rows.values_list("external_id", "parent_sequence", "role", "content", "tool_name", "call_id"))


@pytest.mark.parametrize("product", COUNTS)
def test_each_product_is_imported_once_with_correct_counts(as_alice, product, tmp_path):
    path = EXPORTS / product
    run, messages, chats = imported(as_alice.id, path), Message.objects.all(), Conversation.objects.all()
    calls = messages.filter(role="assistant").exclude(tool_name="")
    results = messages.filter(role="tool")
    assert (
        run.conversations, run.empty, run.refused, messages.count(), sum(map(forks, chats)), calls.count(),
        results.count(),
    ) == COUNTS[product]  # fmt: skip
    assert RefusedEntry.objects.count() == run.refused
    assert run.messages == messages.count() == run.preview["messages"] - REPEATED.get(product, 0)
    for chat in chats:
        rows = list(chat.messages.order_by("sequence").values_list("sequence", "parent_sequence"))
        assert [sequence for sequence, _ in rows] == list(range(1, chat.last_sequence + 1))
        assert 1 <= chat.head_sequence <= chat.last_sequence
        assert [(sequence, parent) for sequence, parent in rows if not (parent or 0) < sequence] == []
    # Generated text is never a user or assistant message, and each call has a result with its id.
    hidden = messages.filter(tool_name__in=NEVER_SPOKEN)
    assert set(hidden.values_list("role", flat=True)) <= {"system"}
    if "chatgpt" not in product:
        answered = set(results.exclude(call_id="").values_list("call_id", flat=True))
        assert set(calls.values_list("call_id", flat=True)) == answered
        assert [call for call in calls if not json.loads(call.tool_arguments)] == []

    before, members = ledger(), [path] if path.is_file() else sorted(path.iterdir())
    zipped = tmp_path / "export.bin"
    zipped.write_bytes(as_zip({f"x/{member.name}": member.read_bytes() for member in members}).getvalue())
    for source in (path, zipped):
        again = counts_of(imported(as_alice.id, source))
        assert (again["conversations"], again["grown"], again["messages"]) == (0, 0, 0)
        assert ledger() == before


def test_file_without_chats_is_refused(as_alice):
    with pytest.raises(FileRefused, match="not an export of chats"):
        imported(as_alice.id, EXPORTS / "claude/projects.json")
    assert not ImportRun.objects.exists()


def test_visible_branch_has_all_results_of_parallel_calls(as_alice):
    imported(as_alice.id, EXPORTS / "claude_code")
    chat = Conversation.objects.get(mine=True)
    by_sequence = {message.sequence: message for message in chat.messages.all()}
    shown, at = [], chat.head_sequence
    while at:
        shown.append(by_sequence[at].content)
        at = by_sequence[at].parent_sequence
    assert {"no entries", "printer disabled", "It is disabled."} <= set(shown)
    assert "Then enable it." not in shown
    assert (chat.title, chat.project) == ("A printer that prints nothing", "kiosk")


def test_later_export_adds_only_new_messages(as_alice, tmp_path):
    folder = tmp_path / "later"
    shutil.copytree(EXPORTS / "claude", folder)
    imported(as_alice.id, folder)
    chats = json.loads((folder / "conversations.json").read_text("utf-8"))
    chats[2]["chat_messages"].append({"uuid": "o3", "sender": "human", "text": "It is red."})
    (folder / "conversations.json").write_text(json.dumps(chats), "utf-8")
    run = imported(as_alice.id, folder)
    assert (run.conversations, run.grown, run.duplicates, run.messages) == (0, 1, 1, 1)
    newest = Message.objects.get(external_id="o3")
    assert (newest.sequence, newest.parent_sequence) == (3, 2)
    assert Conversation.objects.get(title="Bees on the roof").project == "Beekeeping"
