"""The tree of a conversation."""

import pytest

from chat.branches import NoSuchMessage, branch, message_at, newest_leaf, versions
from chat.conversations import ROOT, NewMessage, append
from chat.models import Conversation, Message
from tests.chat.conftest import NOW


def grow(conversation: Conversation, *parents: int | None) -> None:
    """Add messages, each after the one given, by turns of the person and the assistant."""
    for parent in parents:
        role = "user" if not conversation.last_sequence % 2 else "assistant"
        append(conversation, NewMessage(role, "…", parent=parent), NOW)


def sequences(messages: list[Message]) -> list[int]:
    return [message.sequence for message in messages]


def test_an_empty_conversation_has_an_empty_branch(conversation: Conversation) -> None:
    assert branch(conversation) == []
    assert versions(conversation, []) == {}


def test_a_branch_ends_where_asked_and_has_no_more_than_asked(conversation: Conversation) -> None:
    grow(conversation, *[None] * 6)
    assert sequences(branch(conversation, most=3)) == [4, 5, 6]
    assert sequences(branch(conversation, upto=4, most=3)) == [2, 3, 4]
    assert sequences(branch(conversation, upto=2)) == [1, 2]


def test_only_forks_have_versions(conversation: Conversation) -> None:
    grow(conversation, None, None, None, 1, 1, 3)
    found = versions(conversation, branch(conversation, upto=5))
    assert set(found) == {5}
    assert found[5].sequences == (2, 4, 5)
    assert (found[5].number, found[5].before, found[5].after) == (3, 4, None)
    assert versions(conversation, [message_at(conversation, 2)])[2].after == 4


def test_first_messages_are_versions_of_one_another(conversation: Conversation) -> None:
    grow(conversation, None, ROOT)
    assert versions(conversation, branch(conversation))[2].sequences == (1, 2)


def test_the_newest_leaf_takes_the_newest_turn_at_each_fork(conversation: Conversation) -> None:
    grow(conversation, None, None, None, 2, 1)
    assert newest_leaf(conversation, 1) == 5
    assert newest_leaf(conversation, 2) == 4
    assert newest_leaf(conversation, 3) == 3


def test_a_message_that_is_not_there_is_not_found(conversation: Conversation) -> None:
    with pytest.raises(NoSuchMessage):
        message_at(conversation, 1)
