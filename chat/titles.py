"""Titles of chats."""

from datetime import datetime

from chat.branches import messages_of
from chat.edits import rename_chat
from chat.models import Conversation, Message
from memory.models import ChangeSet
from memory.text.sanitizing import storable
from memory.text.secrets import hide_secrets

TITLE_LENGTH = 60
LONGEST_TITLE = 300


def rename(conversation: Conversation, title: str, now: datetime) -> ChangeSet | None:
    """Rename the conversation; an empty title restores the words of the first message.

    Returns what undoes it, or None if the title is the same.
    """
    wanted = kept_title(title)
    first = messages_of(conversation).filter(role=Message.Role.USER).order_by("sequence").first()
    return rename_chat(conversation, wanted or title_of(first.content if first else ""), now)


def kept_title(title: str) -> str:
    """A title in its stored form: one line of at most 300 characters."""
    return " ".join(storable(title).text.split())[:LONGEST_TITLE]


def title_of(content: str) -> str:
    """A title from the first words of a message, secrets masked, at most 60 characters, cut between words."""
    words = " ".join(hide_secrets(content[: 20 * TITLE_LENGTH]).split())
    if len(words) <= TITLE_LENGTH:
        return words
    start, space, _ = words[: TITLE_LENGTH - 1].rpartition(" ")
    cut = start if space and len(start) > TITLE_LENGTH // 2 else words[: TITLE_LENGTH - 1]
    return f"{cut}…"
