from collections.abc import Iterable
from datetime import UTC, datetime, timedelta, timezone

import pytest

from chat.demo import DEMO_PREFIX, demo_conversations
from chat.importing.types import ImportedConversation

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


def test_it_is_a_palace_of_some_size(demo):
    assert len(demo) == 14
    assert all(6 <= len(conversation.messages) <= 14 for conversation in demo)
    assert sum(conversation.project == "Sete Colinas" for conversation in demo) == 3


def test_it_spans_nine_months_up_to_now_in_order(demo):
    times = [message.said_at for chat in demo for message in chat.messages]
    assert times == sorted(set(times))
    assert times[-1] < NOW
    assert timedelta(days=240) < times[-1] - times[0] < timedelta(days=300)


def test_it_moves_with_the_day_it_is_loaded(demo):
    week = timedelta(days=7)
    later = demo_conversations(NOW + week)
    assert [chat.created_at + week for chat in demo] == [chat.created_at for chat in later]
    assert [chat.external_id for chat in demo] == [chat.external_id for chat in later]


def test_any_time_zone_gives_the_same_chats(demo):
    assert demo_conversations(NOW.astimezone(timezone(timedelta(hours=9)))) == demo


def test_speakers_take_turns_in_one_chain(demo):
    for conversation in demo:
        roles = [message.role for message in conversation.messages]
        assert roles == ["user", "assistant"] * (len(roles) // 2)
        ids = [message.external_id for message in conversation.messages]
        parents = [message.parent_external_id for message in conversation.messages]
        assert parents == [None, *ids[:-1]]
        assert conversation.current_leaf == ids[-1]


def test_ids_are_unique_and_marked(demo):
    ids = [message.external_id for chat in demo for message in chat.messages]
    ids += [chat.external_id for chat in demo]
    assert len(set(ids)) == len(ids)
    assert all(name.startswith(DEMO_PREFIX) and len(name) < 200 for name in ids)


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
