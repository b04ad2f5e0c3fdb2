"""Lets a chat be remembered at once, by rules alone, whatever model is connected."""

from chat.mining.transcripts import transcript
from chat.models import Conversation
from llm import current
from llm.errors import ModelUnavailable
from llm.fake_gateway import FakeChat
from memory.mining.pipeline import WindowJob, mine_window
from memory.preferences import preferences_of
from tests.chat.conftest import NOW


def mined(conversation: Conversation) -> None:
    """File everything that was said in the chat and is not filed yet."""
    away = FakeChat()
    away.fail_with(ModelUnavailable("away"))
    window = transcript(conversation, 0, 100)
    with current.using(chat=away):
        mine_window(WindowJob(window, preferences_of(conversation.user_id), last_try=True), NOW)
