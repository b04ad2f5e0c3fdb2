"""Reads conversations and messages a page at a time, for programs."""

from uuid import UUID

from django.db.models import Q

from chat.branches import messages_of
from chat.looking_up import chats_with
from chat.models import Conversation, Message
from chat.removal import removed
from memory.cursors import Page, after_moment, after_number, moment_and_id, number_and_id


def conversations(user_id: UUID, wanted: str, after: str, most: int) -> Page[Conversation]:
    """Conversations, newest first; with `wanted` those in whose title or in one of whose messages
    all its words are. Raises CursorUnreadable."""
    found = chats_with(user_id, wanted)
    if after:
        moment, last_id = moment_and_id(after)
        found = found.filter(
            Q(last_message_at__lt=moment) | Q(last_message_at=moment, id__lt=last_id)
        )
    rows = list(found[: most + 1])
    shown, more = rows[:most], len(rows) > most
    return Page(tuple(shown), after_moment(shown[-1].last_message_at, shown[-1].id) if more else "")


def deleted(user_id: UUID, after: str, most: int) -> Page[Conversation]:
    """Deleted conversations that can be restored, the latest deleted first. Raises
    CursorUnreadable."""
    found = removed(user_id)
    if after:
        moment, last_id = moment_and_id(after)
        found = found.filter(Q(deleted_at__lt=moment) | Q(deleted_at=moment, id__lt=last_id))
    rows = list(found[: most + 1])
    shown, more = rows[:most], len(rows) > most
    last = shown[-1].deleted_at if more else None
    return Page(tuple(shown), after_moment(last, shown[-1].id) if last else "")


def messages(conversation: Conversation, after: str, most: int) -> Page[Message]:
    """The messages of every branch, in the order they came. Raises CursorUnreadable."""
    found = messages_of(conversation).order_by("sequence")
    if after:
        sequence, _ = number_and_id(after)
        found = found.filter(sequence__gt=sequence)
    rows = list(found[: most + 1])
    shown, more = rows[:most], len(rows) > most
    return Page(tuple(shown), after_number(shown[-1].sequence, shown[-1].id) if more else "")
