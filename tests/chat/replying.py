"""Create memories, and ask a question about them."""

from datetime import UTC, datetime

from django.test import Client

from accounts.models import User
from chat.conversations import Choices, NewMessage, extend, start
from chat.mining.transcripts import transcript
from chat.models import Conversation, Message
from chat.replies.jobs import send_message
from llm import current
from llm.errors import ModelUnavailable
from memory.mining.pipeline import WindowJob, mine_window
from memory.preferences import preferences_of
from tests.chat.conftest import NOW
from tests.chat.following import write
from tests.fake_gateway import FakeChat
from tests.html import check_page

CAT = "My cat is called Minka and she sleeps on my cello case."
QUESTION = "What is the name of my cat?"
LONG_AGO = datetime(2025, 5, 2, 9, 0, tzinfo=UTC)


def mine_chat(conversation: Conversation) -> None:
    """Mine the whole chat at once without a model, whichever is configured."""
    unavailable = FakeChat()
    unavailable.fail_with(ModelUnavailable("unavailable"))
    window = transcript(conversation, 0, 100)
    with current.using(chat=unavailable):
        mine_window(WindowJob(window, preferences_of(conversation.user_id), is_last_attempt=True), NOW)


def add_chat(user: User, *words: str, at: datetime = NOW, project: str = "") -> Conversation:
    """A new chat with these messages of the user."""
    chat = start(user.id, Choices(project=project), at)
    if words:
        extend(chat, [NewMessage("user", each) for each in words], at)
    return chat


def add_mined_chat(user: User, *words: str, project: str = "") -> Conversation:
    """Add these messages to a new chat, and mine it."""
    chat = add_chat(user, *words, at=LONG_AGO, project=project)
    mine_chat(chat)
    return chat


def long_chat(conversation: Conversation, turns: int, padding: str) -> None:
    """Fill a chat with sentences about aunts, each followed by the padding."""
    said = [
        NewMessage("user" if n % 2 else "assistant", f"My aunt number {n} is called Ottilie-{n}. {padding}")
        for n in range(1, turns + 1)
    ]
    extend(conversation, said, NOW)


def get_reply(conversation: Conversation, words: str = QUESTION, now: datetime = NOW) -> Message:
    """Send a message and return the reply."""
    return write(send_message(conversation, words, now)[1], now)


def page_of(client: Client, conversation: Conversation, query: str = "") -> str:
    """The page of a chat."""
    return check_page(client.get(f"/chat/{conversation.id}/{query}"))
