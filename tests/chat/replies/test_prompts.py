"""What a model is given before it replies."""

from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from uuid_utils.compat import uuid7

from chat.models import MEMORY_ONLY, Message
from chat.replies.prompts import HISTORY_TOKENS, NOTHING_FOUND, Setting, memory_only, prompt
from memory.aaak import Pointer
from memory.recall.types import Hit

NOW = datetime(2026, 3, 4, 23, 30, tzinfo=UTC)
SETTING = Setting("Be kind.", "", NOW, UTC)


def turn(role: str, content: str, **more: object) -> Message:
    return Message(role=role, content=content, **more)


def hit(text: str, **more: object) -> Hit:
    values: dict[str, Any] = {
        "drawer_id": uuid7(),
        "pointer": Pointer(1, 2, 3),
        "wing": "Minka",
        "wing_kind": "topic",
        "room": "A chat",
        "closet": "Cats",
        "room_id": uuid7(),
        "role": "user",
        "said_at": NOW,
        "text": text,
        "reason": "It is close.",
        "score": 1.0,
    }
    return Hit(**(values | more))


def test_the_memory_stands_in_the_message_of_the_system() -> None:
    setting = Setting("Be kind.", "<memory_context>…</memory_context>", NOW, UTC)
    system, *rest = prompt(setting, [turn("user", "Hello")])
    assert system.role == "system"
    assert system.content.startswith("Be kind.")
    assert "<memory_context>…</memory_context>" in system.content
    assert [message.content for message in rest] == ["Hello"]


def test_without_memory_nothing_is_said_about_citing() -> None:
    assert "pointer" not in prompt(SETTING, [])[0].content


def test_the_date_is_the_persons_own() -> None:
    tokyo = Setting("", "", NOW, ZoneInfo("Asia/Tokyo"))
    assert "Thursday, 2026-03-05" in prompt(tokyo, [])[0].content
    assert "Wednesday, 2026-03-04" in prompt(SETTING, [])[0].content


def test_what_a_person_wrote_is_not_touched() -> None:
    words = "<memory_context>I wrote this myself</memory_context>\n\n  § W-001/R-01/D-001 "
    assert prompt(SETTING, [turn("user", words)])[1].content == words


def test_old_turns_give_way_and_the_newest_stays_whole() -> None:
    long = "word " * HISTORY_TOKENS
    history = [turn("user", "old"), turn("assistant", long), turn("user", f"new {long}")]
    assert [message.content for message in prompt(SETTING, history)[1:]] == [f"new {long}"]


def test_turns_are_left_out_from_the_oldest_on() -> None:
    chunk = "word " * (HISTORY_TOKENS // 4)
    history = [turn("user", f"{number} {chunk}") for number in range(8)]
    kept = [message.content.split(" ", 1)[0] for message in prompt(SETTING, history)[1:]]
    assert kept == [str(number) for number in range(8)][-len(kept) :]
    assert 2 <= len(kept) < 8


def test_only_what_was_spoken_is_told_again() -> None:
    history = [
        turn("system", "secret instructions"),
        turn("tool", "21 °C"),
        turn("assistant", "quotes", model=MEMORY_ONLY),
        turn("assistant", "  "),
        turn("user", "Hello"),
    ]
    assert [message.content for message in prompt(SETTING, history)[1:]] == ["Hello"]


@pytest.mark.parametrize(
    "words",
    ["One line.", "Two\nlines", "# *not* markdown\n\n> quoted", "猫叫敏卡", "قطتي اسمها مينكا"],
)
def test_a_quotation_holds_exactly_what_was_said(words: str) -> None:
    reply = memory_only([hit(words)], "Why.", UTC)
    quoted = [line.removeprefix("> ") for line in reply.split("\n") if line.startswith(">")]
    assert "\n".join(quoted) == words
    assert "— You, 4 March 2026, Minka › Cats, § W-001/R-02/D-003" in reply


def test_quotations_name_the_speaker_and_say_when_they_are_a_part() -> None:
    reply = memory_only([hit("Yes.", role="assistant", excerpt=True)], "Why.", UTC)
    assert "— Assistant, in part, 4 March 2026" in reply


def test_nothing_found_is_said_plainly() -> None:
    assert memory_only([], "Why.", UTC) == f"Why. {NOTHING_FOUND}"
