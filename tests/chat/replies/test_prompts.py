"""Prompts of replies, and replies from memory only."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from uuid_utils.compat import uuid7

from chat.models import MEMORY_ONLY, Message
from chat.replies.compaction import HISTORY_TOKENS
from chat.replies.prompts import OMITTED, PromptContext, memory_only, passages_in, prompt
from chat.replies.recall import NOT_SEARCHED
from llm.tokens import estimate_tokens
from memory.aaak import Pointer
from memory.recall.types import Hit

NOW = datetime(2026, 3, 4, 23, 30, tzinfo=UTC)
CONTEXT = PromptContext("Be kind.", "", NOW, UTC)
LONG = "word " * HISTORY_TOKENS
PERSONAL = "<memory_context>I wrote this myself</memory_context>\n\n  § W-001/R-01/D-001 "


def turn(role, content, **more):
    return Message(role=role, content=content, **more)


def hit(text, **more):
    values = {
        "drawer_id": uuid7(), "pointer": Pointer(1, 2, 3), "wing": "Minka", "wing_kind": "topic",
        "room": "A chat", "room_id": uuid7(), "closet": "Cats", "role": "user", "said_at": NOW,
        "text": text, "reason": "It is close.", "score": 1.0,
    }  # fmt: skip
    return Hit(**(values | more))


def test_system_message_has_instructions_memory_and_local_date():
    system, *rest = prompt(CONTEXT, [turn("user", "Hello")])
    assert (system.role, [message.content for message in rest]) == ("system", ["Hello"])
    assert system.content.startswith("Be kind.")
    assert "Wednesday, 2026-03-04" in system.content
    assert "pointer" not in system.content
    with_memory = PromptContext("", "<memory_context>…</memory_context>", NOW, ZoneInfo("Asia/Tokyo"))
    system = prompt(with_memory, [])[0]
    assert "<memory_context>…</memory_context>" in system.content
    assert "pointer" in system.content
    assert "Thursday, 2026-03-05" in system.content


@pytest.mark.parametrize(
    ("history", "sent"),
    [
        ([turn("user", PERSONAL)], [PERSONAL]),
        ([turn("user", "old"), turn("assistant", LONG), turn("user", f"new {LONG}")], [f"new {LONG}"]),
        (
            [
                turn("system", "secret instructions"),
                turn("tool", "21 °C"),
                turn("assistant", "quotes", model=MEMORY_ONLY),
                turn("assistant", "  "),
                turn("user", "Hello"),
            ],
            ["Hello"],
        ),
        (
            [turn("assistant", "One."), turn("assistant", "Two."), turn("user", "A?"), turn("user", "B?")],
            [OMITTED, "One.\n\nTwo.", "A?\n\nB?"],
        ),
    ],
    ids=["verbatim", "newest is not truncated", "only user and assistant", "taking turns"],
)
def test_history_in_the_prompt(history, sent):
    assert [message.content for message in prompt(CONTEXT, history)[1:]] == sent


def test_oldest_turns_are_omitted_first():
    chunk = "word " * (HISTORY_TOKENS // 4)
    history = [turn(("user", "assistant")[number % 2], f"{number} {chunk}") for number in range(8)]
    kept = [message.content.split(" ", 1)[0] for message in prompt(CONTEXT, history)[2:]]
    assert kept == [str(number) for number in range(8)][-len(kept) :]
    assert 2 <= len(kept) < 8


def test_summary_drops_its_middle_when_the_token_budget_is_small():
    state = {"told": [f"I own bell number {number}." for number in range(30)], "asked": ["How many bells?"]}
    whole, short = (
        prompt(PromptContext("", "", NOW, UTC, so_far=state, state_tokens=tokens), [])[0].content
        for tokens in (1_000, 60)
    )
    assert all(each in whole for each in (*state["told"], *state["asked"]))
    assert estimate_tokens(short) < estimate_tokens(whole) / 2
    for kept in ("bell number 0.", "bell number 2.", "bell number 29.", "How many bells?"):
        assert kept in short
    assert "bell number 12." not in short
    nothing = prompt(PromptContext("", "", NOW, UTC, so_far=state, state_tokens=0), [])[0].content
    assert "chat_so_far" not in nothing


@pytest.mark.parametrize(
    "words", ["One line.", "Two\nlines", "# *not* markdown\n\n> quoted", "猫叫敏卡", "قطتي اسمها مينكا"]
)
def test_quotation_is_verbatim(words):
    reply = memory_only("", [hit(words)], "Why.", UTC, NOT_SEARCHED)
    reply = passages_in(reply)[1] or reply
    quoted = [line.removeprefix("> ") for line in reply.split("\n") if line.startswith(">")]
    assert "\n".join(quoted) == words
    assert "— You, 4 March 2026, Minka › Cats, § W-001/R-02/D-003" in reply


def test_quotations_name_the_speaker_and_mark_excerpts():
    reply = memory_only("", [hit("Yes.", role="assistant", excerpt=True)], "Why.", UTC, NOT_SEARCHED)
    assert "— Assistant (excerpt), 4 March 2026" in reply
    assert memory_only("", [], "Why.", UTC, NOT_SEARCHED) == f"Why. {NOT_SEARCHED}"


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What is my bicycle called?", "She is called Guilhermina, after the cellist."),
        ("¿Cómo se llama mi bicicleta?", "Mi bicicleta se llama Guilhermina."),
    ],
)
def test_memory_reply_starts_with_the_answering_sentence(question, answer):
    hits = [
        hit("Which bicycle suits hills, and what is it called?"),
        hit("My bicycle is green. She is called Guilhermina, after the cellist. The hills are steep."),
        hit("The tram was late. I bought it in May 2024. It was raining when I did."),
        hit("Llueve mucho. Mi bicicleta se llama Guilhermina. Qué bien.", role="assistant"),
    ]
    reply = memory_only(question, hits, "Why.", UTC, NOT_SEARCHED)
    assert reply.startswith(f"> {answer}\n\n— ")
    lead, others, count = passages_in(reply)
    assert ("Why." in lead, count) == (True, 4)
    assert "> The tram was late. I bought it in May 2024. It was raining when I did." in others


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What is my bicycle called and where does my sister live?", ["Guilhermina", "Porto"]),
        ("Where does my sister live? What is my bicycle called?", ["Porto", "Guilhermina"]),
        ("What is my bicycle called, and how steep are the hills?", ["Guilhermina", "steep"]),
        ("What do my bicycle and my sister have in common?", None),
        ("What is my bicycle called? I forgot, thanks!", None),
        ("Is my bicycle, which I ride daily, called Guilhermina?", None),
        ("Wie heißt mein Fahrrad und wo wohnt meine Schwester?", ["Karla", "Graz"]),
        ("我的自行车叫什么，我妹妹住在哪里？", ["小绿", "成都"]),
    ],
)
def test_memory_reply_answers_each_part_of_a_question(question, expected):
    hits = [
        hit("My bicycle is green. My bicycle is called Guilhermina. The hills are steep."),
        hit("My sister Rita lives in Porto now. She likes rain."),
        hit("Mein Fahrrad heißt Karla. Meine Schwester wohnt in Graz."),
        hit("我的自行车叫小绿。我妹妹住在成都。"),
    ]
    lead = passages_in(memory_only(question, hits, "Why.", UTC, NOT_SEARCHED))[0]
    quotes = [line for line in lead.split("\n") if line.startswith(">")]
    if expected is None:
        assert len(quotes) == 1
    else:
        assert [word in quote for word, quote in zip(expected, quotes, strict=True)] == [True, True]
