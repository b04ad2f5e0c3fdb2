from collections.abc import Iterable
from datetime import UTC, datetime, timedelta, timezone

import pytest

from transfer.demo import DEMO_PREFIX, demo_conversations
from transfer.importing.types import ImportedConversation

NOW = datetime(2031, 3, 5, 6, 30, tzinfo=UTC)


@pytest.fixture(scope="module")
def demo():
    return demo_conversations(NOW)


def words(conversations: Iterable[ImportedConversation], role: str = "user") -> str:
    return "\n".join(
        message.content
        for conversation in conversations
        for message in conversation.messages
        if message.role == role
    )


def test_nine_months_of_chats_lead_up_to_now(demo):
    times = [message.said_at for chat in demo for message in chat.messages]
    assert times == sorted(set(times))
    assert times[-1] < NOW
    assert timedelta(days=240) < times[-1] - times[0] < timedelta(days=300)
    later = demo_conversations(NOW + timedelta(days=7))
    assert [chat.created_at + timedelta(days=7) for chat in demo] == [chat.created_at for chat in later]
    assert [chat.external_id for chat in demo] == [chat.external_id for chat in later]
    assert demo_conversations(NOW.astimezone(timezone(timedelta(hours=9)))) == demo


def test_speakers_take_turns_in_one_chain_of_marked_ids(demo):
    every = [chat.external_id for chat in demo]
    for conversation in demo:
        roles = [message.role for message in conversation.messages]
        assert roles == ["user", "assistant"] * (len(roles) // 2)
        ids = [message.external_id for message in conversation.messages]
        assert [message.parent_external_id for message in conversation.messages] == [None, *ids[:-1]]
        assert conversation.current_leaf == ids[-1]
        every += ids
    assert len(set(every)) == len(every)
    assert all(name.startswith(DEMO_PREFIX) and len(name) < 200 for name in every)


@pytest.mark.parametrize(
    "told",
    [
        "I bought a dark green Órbita touring bike",
        "I am allergic to cashews",
        "I live in Graça",
        "I live in Campo de Ourique now",
        "My favourite tea is jasmine",
        "my favourite tea is genmaicha now",
        "玄米茶",
        "🚲",
    ],
)
def test_what_recall_is_shown_with_was_said_by_the_person(demo, told):
    assert told in words(demo)


def test_no_line_of_the_text_is_lost(demo):
    assert len(words(demo).splitlines()) == sum(len(chat.messages) // 2 for chat in demo)
    assert "Mira:" not in words(demo, "assistant")
    assert "##" not in words(demo, "assistant")
