"""Memories to be recalled, and a question about them."""

from datetime import UTC, datetime

from accounts.models import User
from chat.conversations import Choices, NewMessage, append, start
from chat.models import Conversation, Message
from chat.replies.generation import answer
from chat.replies.jobs import say
from tests.chat.conftest import NOW
from tests.chat.remembering import mined

CAT = "My cat is called Minka and she sleeps on my cello case."
QUESTION = "What is the name of my cat?"
LONG_AGO = datetime(2025, 5, 2, 9, 0, tzinfo=UTC)


def remembered(user: User, *words: str) -> None:
    """Say this in a chat of its own, and let it be mined."""
    chat = start(user.id, Choices(), LONG_AGO)
    for each in words:
        append(chat, NewMessage("user", each), LONG_AGO)
    mined(chat)


def asked(conversation: Conversation, words: str = QUESTION) -> Message:
    message, generation = say(conversation, words, NOW)
    reply = answer(conversation, generation, NOW)
    assert reply is not None
    assert reply.parent_sequence == message.sequence
    return reply
