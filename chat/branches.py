"""The tree of a conversation: messages with the same parent start branches."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Q, QuerySet

from accounts.owned import first_or_raise
from chat.models import Conversation, Message
from memory.sql import fetch

UNLIMITED = 2**31 - 1

# Each step looks up one row by key, so only the length of the branch matters, not that of the chat. LIMIT
# keeps planners from joining all of it at each step.
_ANCESTRY = """
WITH RECURSIVE branch AS (
    SELECT sequence, parent_sequence, 1 AS depth FROM chat_message
    WHERE user_id = %(user)s::uuid AND conversation_id = %(conversation)s::uuid AND sequence = %(from)s
  UNION ALL
    SELECT above.sequence, above.parent_sequence, branch.depth + 1
    FROM branch CROSS JOIN LATERAL (
        SELECT sequence, parent_sequence FROM chat_message
        WHERE user_id = %(user)s::uuid AND conversation_id = %(conversation)s::uuid
          AND sequence = branch.parent_sequence
        LIMIT 1
    ) above
    WHERE branch.depth < %(limit)s
)
SELECT sequence FROM branch
"""
_DESCENT = """
WITH RECURSIVE branch AS (
    SELECT %(from)s::integer AS sequence
  UNION ALL
    SELECT (
        SELECT max(below.sequence) FROM chat_message below
        WHERE below.user_id = %(user)s::uuid AND below.conversation_id = %(conversation)s::uuid
          AND below.parent_sequence = branch.sequence
    ) FROM branch WHERE branch.sequence IS NOT NULL
)
SELECT max(sequence) FROM branch
"""


@dataclass(frozen=True, slots=True)
class Versions:
    """The sequences of all messages with the same parent, and which of them is selected."""

    sequences: tuple[int, ...]
    shown: int

    @property
    def number(self) -> int:
        """The number of the selected version, from 1."""
        return self.sequences.index(self.shown) + 1

    @property
    def before(self) -> int | None:
        return self.sequences[self.number - 2] if self.number > 1 else None

    @property
    def after(self) -> int | None:
        return self.sequences[self.number] if self.number < len(self.sequences) else None


def messages_of(conversation: Conversation) -> QuerySet[Message]:
    """Every message of the conversation, on all branches."""
    return Message.objects.filter(user_id=conversation.user_id, conversation_id=conversation.id)


def message_at(conversation: Conversation, sequence: int) -> Message:
    """The message with this number. Raises NotFound."""
    return first_or_raise(messages_of(conversation).filter(sequence=sequence))


def branch(conversation: Conversation, *, upto: int | None = None, limit: int | None = None) -> list[Message]:
    """The messages of the selected branch, oldest first: all, or the last `limit`.

    `upto` ends the branch at that message instead of the newest one.
    """
    leaf = conversation.head_sequence if upto is None else upto
    sequences = ancestry(conversation, leaf, UNLIMITED if limit is None else limit)
    return list(messages_of(conversation).filter(sequence__in=sequences).order_by("sequence"))


def ancestry(conversation: Conversation, leaf: int, limit: int) -> list[int]:
    """The sequences of the last `limit` messages of the branch that ends at this one, oldest first."""
    return sorted(_query_branch(_ANCESTRY, conversation, leaf, limit))


def is_newest(conversation: Conversation, sequence: int) -> bool:
    """Whether nothing but a reply follows this message on the selected branch; it may be the root, 0."""
    leaf = conversation.head_sequence
    while leaf and leaf != sequence:
        last = message_at(conversation, leaf)
        if last.role == Message.Role.USER:
            return False
        leaf = last.parent_sequence or 0
    return leaf == sequence


def newest_leaf(conversation: Conversation, sequence: int) -> int:
    """The end of the branch through a message, taking the newest turn at each fork."""
    (leaf,) = _query_branch(_DESCENT, conversation, sequence, UNLIMITED)
    return leaf


def versions(conversation: Conversation, messages: Iterable[Message]) -> dict[int, Versions]:
    """The versions of each message that has more than one, by its sequence."""
    shown = list(messages)
    parents = {message.parent_sequence for message in shown}
    same = Q(parent_sequence__in=parents - {None})
    if None in parents:
        same |= Q(parent_sequence=None)
    siblings: dict[int | None, list[int]] = {}
    rows = messages_of(conversation).filter(same).order_by("sequence")
    for parent, sequence in rows.values_list("parent_sequence", "sequence"):
        siblings.setdefault(parent, []).append(sequence)
    return {
        message.sequence: Versions(tuple(siblings[message.parent_sequence]), message.sequence)
        for message in shown
        if len(siblings[message.parent_sequence]) > 1
    }


def _query_branch(sql: str, conversation: Conversation, start: int, limit: int) -> list[int]:
    parameters: dict[str, str | int] = {
        "user": str(conversation.user_id),
        "conversation": str(conversation.id),
        "from": start,
        "limit": limit,
    }
    return [sequence for (sequence,) in fetch(sql, parameters)]
