from dataclasses import replace
from datetime import UTC, datetime

from tests.chat.ledger import chat
from tests.transfer.importing.exports import FIXTURES, as_file, conversation
from transfer.importing.reading import read_entries, summarise
from transfer.importing.threads import BrokenEntry


def test_preview_counts_conversations_and_messages():
    preview = summarise(read_entries(FIXTURES / "conversations.json"))
    assert (preview.conversations, preview.empty_conversations, preview.duplicates) == (3, 1, 0)
    assert preview.messages == 21
    assert preview.by_role == {"user": 5, "assistant": 8, "tool": 4, "system": 4}
    assert (preview.tool_calls, preview.branches) == (2, 2)
    assert (preview.broken_entries, preview.broken, preview.repairs) == (0, [], {})
    assert preview.first_said_at == datetime.fromtimestamp(1_745_000_001, UTC)
    assert preview.last_said_at == datetime.fromtimestamp(1_745_000_102, UTC)


def test_broken_entries_are_listed_and_repairs_counted():
    preview = summarise(read_entries(FIXTURES / "damaged.json"))
    assert preview.conversations == 5
    assert preview.broken_entries == len(preview.broken) == 6
    assert sum(preview.repairs.values()) == 4


def test_only_the_first_hundred_broken_entries_are_listed():
    preview = summarise(BrokenEntry(f"entry {n}", "Broken.") for n in range(250))
    assert preview.broken_entries == 250
    assert [entry.where for entry in preview.broken] == [f"entry {n}" for n in range(100)]


def test_duplicates_and_further_parts_are_not_counted_as_conversations():
    assert summarise(read_entries(as_file([conversation()] * 3))).duplicates == 2
    first = chat("long", "One.", "Two.")
    preview = summarise([first, replace(first, continues=True)])
    assert (preview.entries, preview.conversations, preview.duplicates) == (2, 1, 0)
    assert preview.messages == 4
    assert preview.plain()["entries"] == 2
    nothing = summarise([])
    assert (nothing.conversations, nothing.messages, nothing.first_said_at) == (0, 0, None)
