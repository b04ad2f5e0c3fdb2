from datetime import UTC, datetime, timedelta

import pytest

from chat import search
from chat.conversations import Choices, NewMessage, append, start
from chat.retention import remove
from memory.paging import CursorUnreadable

NOW = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)


@pytest.fixture
def chats(as_alice):
    made = [
        start(as_alice.id, Choices(title=f"Chat {number}"), NOW + timedelta(hours=number))
        for number in range(5)
    ]
    append(made[0], NewMessage("user", "The хлеб is ready 🍞", said_at=NOW), NOW)
    return made


def walked(read):
    """Everything of a list, two at a time."""
    found, after = [], ""
    while True:
        page = read(after)
        assert len(page.items) <= 2
        found.extend(page.items)
        after = page.after
        if not after:
            return found


def test_chats_newest_first_to_the_end(as_alice, chats):
    read = walked(lambda after: search.conversations(as_alice.id, "", after, 2))
    assert [chat.title for chat in read] == [f"Chat {number}" for number in (4, 3, 2, 1, 0)]


def test_chats_are_found_by_what_was_said(as_alice, chats):
    page = search.conversations(as_alice.id, "хлеб", "", 2)
    assert [chat.id for chat in page.items] == [chats[0].id]


def test_deleted_chats_the_latest_first(as_alice, chats):
    for number, chat in enumerate(chats[1:4]):
        append(chat, NewMessage("user", "Hello"), NOW)
        remove(chat, NOW + timedelta(days=number), forget_too=False)
    read = walked(lambda after: search.deleted(as_alice.id, after, 2))
    assert [chat.id for chat in read] == [chats[3].id, chats[2].id, chats[1].id]


def test_messages_of_every_branch_in_order(as_alice, chats):
    for parent in (1, 1, 3):
        append(chats[0], NewMessage("user", "Again", parent=parent), NOW)
    read = walked(lambda after: search.messages(chats[0], after, 2))
    assert [(each.sequence, each.parent_sequence) for each in read] == [
        (1, None),
        (2, 1),
        (3, 1),
        (4, 3),
    ]


def test_a_cursor_of_no_list(as_alice, chats):
    with pytest.raises(CursorUnreadable):
        search.conversations(as_alice.id, "", "nonsense", 2)
