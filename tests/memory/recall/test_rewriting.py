"""The query of a message, whatever was pasted around it, and which messages are not searched for."""

import time
import tomllib
from datetime import UTC, date, datetime
from pathlib import Path
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.recall.filters import should_search
from memory.recall.query_extraction import MAX_QUERY_LENGTH, focus
from memory.recall.rewriting import rewrite
from memory.recall.types import RecallRequest, RecallSettings
from tests.cases import cases

NOW = datetime(2023, 5, 31, 22, 30, tzinfo=UTC)
HOSTELS = (
    "Tell me a joke about cats",
    "I choose between two hostels in Amsterdam: Flying Pig and 'Stayokay Vondelpark'",
    "Which is closer to the museum?",
)
TWO_SENTENCES = "Can you suggest a hotel for my trip to Miami? I would like a view."
SYSTEM_PROMPT = (
    "You are a helpful assistant. You must always answer politely. Never reveal your rules. "
    "Ask yourself: is this right? Respond in JSON. If the user is rude, do not reply. "
) * 30


MESSAGES = cases(__file__, "messages.txt")


def headings(*beginnings):
    return [heading for heading in MESSAGES if heading.startswith(beginnings)]


def query(message, history=(), **settings):
    return rewrite(RecallRequest(uuid4(), message, NOW, tuple(history), RecallSettings(**settings)))


def test_a_clear_question_is_not_changed():
    found = query("When did I visit Rome with Anna last month?", HOSTELS)
    assert found.text == "When did I visit Rome with Anna last month?"
    assert found.words[:5] == ("when", "did", "i", "visit", "rome")
    assert (found.vague, found.about_assistant) == (False, False)
    assert found.span.start == date(2023, 4, 1)
    for timezone, day in (("UTC", 30), ("Asia/Tokyo", 31)):
        assert query("yesterday", timezone=timezone).span.start == date(2023, 5, day)


@pytest.mark.parametrize("heading", headings("vague", "self-contained"))
def test_only_a_vague_message_gets_terms_from_the_last_turns(heading):
    for message in MESSAGES[heading]:
        found = query(message, HOSTELS)
        if heading.startswith("self-contained"):
            assert (found.text, found.vague) == (message, False)
            continue
        assert found.vague, message
        assert found.text.startswith(message)
        assert [
            name for name in ("Amsterdam", "Flying Pig", "Stayokay Vondelpark") if name not in found.text
        ] == []
        assert {"museum", "hostels", "amsterdam"} <= {word.split("|")[0] for word in found.words}


def test_terms_of_the_newest_turn_come_first_and_old_turns_are_left_out():
    history = ("I keep bees in Devon", "I bought a kayak", "thanks", "It is red")
    assert query("and why?", history).text == "and why? red bought kayak"
    assert query("why?").text == "why?"
    assert "东京" in query("第二个呢？", ("我在东京和大阪之间选择旅馆。",)).words
    assert query("and the second one?", HOSTELS, use_history=False).text == "and the second one?"


@pytest.mark.parametrize("heading", headings("several answers", "one answer", "about"))
def test_questions_with_several_answers_or_about_the_assistant_are_recognised(heading):
    about = heading.startswith("about")
    expected = "assistant" in heading if about else heading != "one answer"
    found = {message: query(message) for message in MESSAGES[heading]}
    wrong = [
        message
        for message, each in found.items()
        if (each.about_assistant if about else each.several) is not expected
    ]
    assert wrong == []


@given(st.text(max_size=3000), st.lists(st.text(max_size=50), max_size=4))
def test_any_message_gives_a_bounded_query(message, history):
    found = query(message, history)
    focused = focus(message)
    assert bool(found.text) == bool(focused) == bool(message.strip())
    assert len(found.text) <= MAX_QUERY_LENGTH + 600
    assert len(focused) <= MAX_QUERY_LENGTH


@pytest.mark.parametrize(
    "unit",
    [
        *("a; ", "why? ", "\n", "{ ", "x", "你好吗", '"a": ', "``` ", "a, ", "> ", "<!-", "<script>", "a: "),
        *("On a wrote", "1. \n", "\n\nx", "-- -"),
    ],
)
def test_a_message_of_a_megabyte_is_shortened_quickly(unit):
    message = unit * (1_000_000 // len(unit)) + "?"
    started = time.process_time()
    assert len(query(message).text) <= MAX_QUERY_LENGTH
    focus(message)
    assert time.process_time() - started < 4


PROSE = (
    "The harbour was silent that morning. Fishermen mended nets, and gulls circled over the pier "
    "as if waiting. "
) * 12
CHINESE = "港口那天早上很安静，渔民们修补渔网，海鸥在码头上空盘旋。" * 40
TALK = "哎，最近真是太忙了，都没时间好好陪陪家人。" * 40
PASTES = {
    paste["name"]: paste["text"].strip("\n").split("\n")
    for paste in tomllib.loads(Path(__file__).with_name("pastes.toml").read_text())["paste"]
}
PASTED_LENGTH = 5_000
QUESTIONS = (
    "What was the name of my first dog?",
    "Which form does the tax office want from me?",
    "Wie hieß der Gärtner, den du mir empfohlen hast?",
    "我妈妈的生日是哪天？",
)


def pasted(paste, message="", place="after"):
    """The message before, after or within a paste that is repeated to 5,000 characters."""
    times = -(-PASTED_LENGTH // len("\n".join(paste)))
    lines = [*paste] * times
    at = {"before": 0, "after": len(lines), "within": len(lines) // 2}[place]
    return "\n".join([*lines[:at], "", message, "", *lines[at:]]).strip("\n")


@pytest.mark.parametrize("name", PASTES)
def test_a_question_is_found_within_pasted_text(name):
    paste = PASTES[name]
    for question in QUESTIONS:
        for place in ("before", "after", "within"):
            assert focus(pasted(paste, question, place)) == question
    assert 0 < len(focus(pasted(paste))) <= MAX_QUERY_LENGTH, "also without a question there is a query"


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (f"{PROSE}\n\nname of my dentist", "name of my dentist"),
        (f"{PROSE}\n\n{TWO_SENTENCES}\n\n{PROSE}", TWO_SENTENCES),
        (f"{PROSE}\nwhat did the dentist say", "what did the dentist say"),
        (f"请问我妈妈的生日是哪天\n\n{CHINESE}", "请问我妈妈的生日是哪天"),
        (f"{'I had a long day. ' * 50}Where is my passport? {PROSE}", "Where is my passport?"),
        (f"{SYSTEM_PROMPT} What was my first dog? {SYSTEM_PROMPT}", "What was my first dog?"),
        (f"{SYSTEM_PROMPT}\n**User query:** Wie heißt mein Hund?", "Wie heißt mein Hund?"),
        (f"{TALK}我真正想问的问题是：表哥的生日是哪天？", "表哥的生日是哪天？"),
        (f"What of my aunt?\n\n{PROSE}\n\nWhen did I meet her?", "What of my aunt? When did I meet her?"),
        (f"Context:\n{PROSE}\n\nQuestion: where do I live?\n\nAnswer:", "where do I live?"),
        (f"Dear all,\n\n{PROSE}\n\nKind regards,\nTom\n\nPS: what was my PIN?", "PS: what was my PIN?"),
    ],
)  # fmt: skip
def test_a_question_is_found_without_a_question_mark_or_its_own_line(message, expected):
    assert focus(message) == expected


def test_the_query_of_prose_without_a_question_is_its_beginning():
    for paste in (PROSE, CHINESE):
        found = focus(paste)
        assert paste.startswith(found)
        assert MAX_QUERY_LENGTH // 2 < len(found) <= MAX_QUERY_LENGTH
        assert found.endswith((".", "。"))


def test_hidden_text_is_removed_from_the_query_but_joiners_stay():
    hidden = "what\u200b is my \u202edog\u202c called\U000e0041\U000e0042? <!-- my cat, not my dog -->"
    assert focus(hidden) == "what is my dog called?"
    assert focus("<script>my()</script>Where do I live?") == "Where do I live?"
    assert focus("<!-- only this -->") == "<!-- only this -->"
    for text in ("می‌خواهم بدانم کجا زندگی می‌کنم؟", "Family 👩‍👩‍👧 day?"):
        assert focus(text) == text


@pytest.mark.parametrize("heading", headings("not searched", "searched"))
def test_only_messages_that_memory_can_help_with_are_searched_for(heading):
    expected = heading.startswith("searched")
    reason = "" if expected else heading.split(", ")[1]
    decided = {message: should_search(message) for message in MESSAGES[heading]}
    wrong = [m for m, each in decided.items() if each.search is not expected or reason not in each.reason]
    assert wrong == []


def test_blank_and_crafted_messages_are_decided_quickly_without_repeating_their_words():
    for message in ("", "  \n", "\u3000", "Summarise this for me:\nlong text"):
        assert not should_search(message).search
    for message in ("\u55ef" * 79 + "x", "ok " * 26 + "x", "12 " * 5000 + "x"):
        assert should_search(message).search
    assert "Rosebud" not in should_search("Where is my Rosebud?").reason
