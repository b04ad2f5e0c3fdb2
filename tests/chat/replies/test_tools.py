"""What the tools of chats do with memory, and what a model is told when they cannot."""

from datetime import timedelta

import pytest
from django.db import DatabaseError

from accounts.models import User
from chat.models import Conversation, ToolRefusal
from chat.replies import recall
from chat.replies.tools import (
    AWAY,
    NOTHING_FITS,
    SPECS,
    UNKNOWN,
    UNREADABLE,
    Desk,
    Result,
    arguments_of,
    note_refusal,
    offered,
    use,
)
from llm.fake_gateway import FakeEmbedder
from llm.types import ToolCall
from memory.models import Drawer, RecallTrace
from memory.recall.types import RecallSettings
from tests.chat.conftest import NOW
from tests.chat.replying import CAT, remembered


@pytest.fixture
def desk(as_alice: User, embedder: FakeEmbedder, conversation: Conversation) -> Desk:
    settings = RecallSettings(time_limit_ms=5_000)
    return Desk(as_alice.id, conversation.id, settings, tuple(SPECS.values()))


def called(desk: Desk, name: str, arguments: str) -> Result:
    return use(desk, ToolCall("1", name, arguments), NOW)


def test_memory_is_looked_into_and_its_trace_kept(desk: Desk) -> None:
    remembered(User.objects.get(), CAT)
    result = called(desk, "recall_memory", '{"query": "the name of my cat"}')
    assert CAT in result.text
    assert result.text.startswith("<memory_context>")
    trace = RecallTrace.objects.get(id=result.trace_id)
    assert [hit["drawer_id"] for hit in trace.hits] == [str(Drawer.objects.get().id)]


def test_nothing_found_is_said(desk: Desk) -> None:
    assert called(desk, "recall_memory", '{"query": "quantum loops"}').text == NOTHING_FITS


@pytest.mark.parametrize("text", ["Buy rye flour on Friday.", "週五買黑麥粉。", "شراء الدقيق 🥖"])
def test_a_note_is_filed_and_its_pointer_told(desk: Desk, text: str) -> None:
    result = called(desk, "save_note", f'{{"text": "{text}", "subject": "Bread"}}')
    note = Drawer.objects.get()
    assert (note.content, note.role, note.wing.name) == (text, "note", "Bread")
    assert note.closet.name == "Saved by an assistant"
    assert result.text == "Saved as § W-001/R-01/D-001."


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("recall_memory", "not json", UNREADABLE),
        ("recall_memory", "[" * 50_000, UNREADABLE),
        ("recall_memory", '["query"]', UNREADABLE),
        ("recall_memory", '{"query": 7}', UNREADABLE),
        ("save_note", '{"text": "  "}', UNREADABLE),
        ("save_note", f'{{"text": "{"a" * 4_001}"}}', "A note can have at most 4,000"),
        ("delete_everything", "{}", UNKNOWN),
    ],
)
def test_what_cannot_be_done_is_told_in_words(desk: Desk, name: str, arguments: str, words: str) -> None:
    assert called(desk, name, arguments).text.startswith(words)
    assert not Drawer.objects.exists()


def test_a_tool_that_was_not_offered_does_nothing(desk: Desk) -> None:
    other = Desk(desk.user_id, desk.conversation_id, desk.settings, (SPECS["recall_memory"],))
    assert called(other, "save_note", '{"text": "A note"}').text == UNKNOWN
    assert not Drawer.objects.exists()


def test_memory_that_fails_is_told_to_the_model(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise DatabaseError

    monkeypatch.setattr(recall, "recall", broken)
    assert "could not be read" in called(desk, "recall_memory", '{"query": "cat"}').text
    monkeypatch.setattr("chat.replies.tools.save_note", broken)
    assert called(desk, "save_note", '{"text": "A note"}').text == AWAY


def test_a_model_that_refused_tools_is_offered_them_again_after_a_week(as_alice: User) -> None:
    def names(model: str, now=NOW, **may) -> list[str]:
        may = {"recalls": True, "learns": True} | may
        return [tool.name for tool in offered(as_alice.id, model, now, **may)]

    assert names("m") == ["recall_memory", "save_note"]
    assert names("m", learns=False) == ["recall_memory"]
    assert names("m", recalls=False, learns=False) == []
    note_refusal(as_alice.id, "m", NOW)
    note_refusal(as_alice.id, "m", NOW)
    assert ToolRefusal.objects.count() == 1
    assert names("m") == []
    assert names("other") != []
    assert names("m", NOW + timedelta(days=8)) != []


def test_arguments_are_texts() -> None:
    assert arguments_of('{"query": "a", "n": 1, "empty": ""}') == {"query": "a"}
