"""Small exports of every product, with the traps of real ones, against counts made by hand."""

import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from chat.models import Conversation, Message
from tests.transfer.importing.exports import as_zip
from transfer.imports import counts_of, import_file, run_of_file
from transfer.models import RefusedEntry

FIXTURES = Path(__file__).parents[1] / "fixtures"
COUNTS = {
    # conversations, empty ones, refused entries, messages, branches, calls, results
    "claude": (2, 1, 1, 14, 1, 2, 3),
    "claude_code": (2, 0, 4, 13, 1, 2, 2),
    "open_webui": (2, 1, 1, 14, 2, 1, 3),
    "librechat": (1, 0, 0, 11, 2, 1, 2),
}
NEVER_SPOKEN = ("thinking", "reasoning", "think", "instructions", "machinery", "summary", "error")


def imported(user_id, path):
    with run_of_file(user_id, path, timezone.now()) as run:
        return import_file(run, path, timezone.now)


def forks(chat):
    replies = Counter(chat.messages.values_list("parent_sequence", flat=True))
    return sum(count - 1 for count in replies.values())


def ledger(user_id):
    return list(
        Message.objects.filter(user_id=user_id)
        .order_by("conversation__external_id", "sequence")
        .values_list("external_id", "parent_sequence", "role", "content", "tool_name", "call_id")
    )


@pytest.mark.parametrize("product", COUNTS)
def test_everything_comes_in_once_and_is_counted(as_alice, product, tmp_path):
    run = imported(as_alice.id, FIXTURES / product)
    messages = Message.objects.filter(user_id=as_alice.id)
    assert (
        run.conversations,
        run.empty,
        run.refused,
        messages.count(),
        sum(map(forks, Conversation.objects.all())),
        messages.filter(role="assistant").exclude(tool_name="").count(),
        messages.filter(role="tool").count(),
    ) == COUNTS[product]
    assert RefusedEntry.objects.count() == run.refused
    assert run.messages == run.preview["messages"] == messages.count()
    before = ledger(as_alice.id)
    for source in (FIXTURES / product, _zipped(product, tmp_path)):
        again = counts_of(imported(as_alice.id, source))
        assert (again["conversations"], again["grown"], again["messages"]) == (0, 0, 0)
        assert ledger(as_alice.id) == before
    _check_machinery_and_calls(messages)


def _zipped(product, folder):
    members = {f"x/{path.name}": path.read_bytes() for path in (FIXTURES / product).iterdir()}
    zipped = folder / "export.bin"
    zipped.write_bytes(as_zip(members).getvalue())
    return zipped


def _check_machinery_and_calls(messages):
    """What nobody said is never speech, and every call is answered under its id."""
    hidden = messages.filter(tool_name__in=NEVER_SPOKEN)
    assert set(hidden.values_list("role", flat=True)) == {"system"}
    calls = messages.filter(role="assistant").exclude(tool_name="")
    results = messages.filter(role="tool").exclude(call_id="")
    assert set(calls.values_list("call_id", flat=True)) == set(results.values_list("call_id", flat=True))
    assert all(json.loads(call.tool_arguments) for call in calls)


def test_the_branch_on_show_has_every_result_of_calls_made_at_once(as_alice):
    imported(as_alice.id, FIXTURES / "claude_code")
    chat = Conversation.objects.get(learn=True)
    by_sequence = {message.sequence: message for message in chat.messages.all()}
    shown, at = [], chat.head_sequence
    while at:
        shown.append(by_sequence[at].content)
        at = by_sequence[at].parent_sequence
    assert {"no entries", "printer disabled", "It is disabled."} <= set(shown)
    assert "Then enable it." not in shown
    assert (chat.title, chat.project) == ("A printer that prints nothing", "kiosk")


def test_a_later_export_adds_only_what_is_new(as_alice, tmp_path):
    folder = tmp_path / "later"
    shutil.copytree(FIXTURES / "claude", folder)
    imported(as_alice.id, folder)
    chats: list[Any] = json.loads((folder / "conversations.json").read_text("utf-8"))
    chats[2]["chat_messages"].append({"uuid": "o3", "sender": "human", "text": "It is red."})
    (folder / "conversations.json").write_text(json.dumps(chats), "utf-8")
    run = imported(as_alice.id, folder)
    assert (run.conversations, run.grown, run.duplicates, run.messages) == (0, 1, 1, 1)
    newest = Message.objects.get(external_id="o3")
    assert (newest.sequence, newest.parent_sequence) == (3, 2)
    assert Conversation.objects.get(title="Bees on the roof").project == "Beekeeping"
