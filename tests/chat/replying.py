"""Memories to be recalled, and a question about them."""

from datetime import UTC, datetime

from accounts.models import User
from chat.conversations import Choices, NewMessage, append, extend, start
from chat.mining.transcripts import transcript
from chat.models import Conversation, Message
from chat.replies.generation import answer
from chat.replies.jobs import send_message
from llm import current
from llm.errors import ModelUnavailable
from memory.mining.pipeline import WindowJob, mine_window
from memory.preferences import preferences_of
from tests.chat.conftest import NOW
from tests.fake_gateway import FakeChat

CAT = "My cat is called Minka and she sleeps on my cello case."
QUESTION = "What is the name of my cat?"
LONG_AGO = datetime(2025, 5, 2, 9, 0, tzinfo=UTC)


def mined(conversation: Conversation) -> None:
    """Mine the whole chat at once without a model, whichever model is connected."""
    away = FakeChat()
    away.fail_with(ModelUnavailable("away"))
    window = transcript(conversation, 0, 100)
    with current.using(chat=away):
        mine_window(WindowJob(window, preferences_of(conversation.user_id), is_last_attempt=True), NOW)


def said(user: User, *words: str) -> Conversation:
    """A new chat in which the person says this."""
    chat = start(user.id, Choices(), NOW)
    for each in words:
        append(chat, NewMessage("user", each), NOW)
    return chat


def long_chat(conversation: Conversation, turns: int, padding: str) -> None:
    """Fill a chat with sentences about aunts, each with this behind it."""
    said = [
        NewMessage("user" if n % 2 else "assistant", f"My aunt number {n} is called Ottilie-{n}. {padding}")
        for n in range(1, turns + 1)
    ]
    extend(conversation, said, NOW)


def remembered(user: User, *words: str) -> None:
    """Say this in a chat of its own, and mine it."""
    chat = start(user.id, Choices(), LONG_AGO)
    for each in words:
        append(chat, NewMessage("user", each), LONG_AGO)
    mined(chat)


def asked(conversation: Conversation, words: str = QUESTION, now: datetime = NOW) -> Message:
    """The reply to this message."""
    _, generation = send_message(conversation, words, now)
    reply = answer(conversation, generation, now)
    assert reply is not None
    return reply
