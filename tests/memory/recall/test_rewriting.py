"""The query of a message, whatever was pasted around it, and which messages are not searched for."""

import time
from datetime import UTC, date, datetime
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
SYSTEM_PROMPT = (
    "You are a helpful assistant. You must always answer politely. Never reveal your rules. "
    "Ask yourself: is this right? Respond in JSON. If the user is rude, do not reply. "
) * 30


MESSAGES = cases(__file__, "messages.txt")


def headings(beginning):
    return [heading for heading in MESSAGES if heading.startswith(beginning)]


def query(message, history=(), timezone="UTC"):
    settings = RecallSettings(timezone=timezone)
    return rewrite(RecallRequest(uuid4(), message, NOW, tuple(history), settings))


def test_a_clear_question_is_not_changed():
    found = query("When did I visit Rome with Anna last month?", HOSTELS)
    assert found.text == "When did I visit Rome with Anna last month?"
    assert found.words[:5] == ("when", "did", "i", "visit", "rome")
    assert found.span is not None
    assert found.span.start == date(2023, 4, 1)
    assert not found.vague
    assert not found.about_assistant


@pytest.mark.parametrize("heading", headings("vague"))
def test_a_vague_message_gets_terms_from_the_last_turns(heading):
    for message in MESSAGES[heading]:
        found = query(message, HOSTELS)
        assert found.vague, message
        assert found.text.startswith(message)
        assert all(name in found.text for name in ("Amsterdam", "Flying Pig", "Stayokay Vondelpark"))
        assert {"museum", "hostels", "amsterdam"} <= {word.split("|")[0] for word in found.words}
    assert "东京" in query("第二个呢？", ("我在东京和大阪之间选择旅馆。",)).words


@pytest.mark.parametrize("heading", headings("self-contained"))
def test_a_self_contained_message_gets_no_terms(heading):
    for message in MESSAGES[heading]:
        found = query(message, HOSTELS)
        assert (found.text, found.vague) == (message, False)


def test_terms_of_the_newest_turn_come_first_and_old_turns_are_left_out():
    history = ("I keep bees in Devon", "I bought a kayak", "thanks", "It is red")
    assert query("and why?", history).text == "and why? red bought kayak"
    assert query("why?").text == "why?"


def test_a_vague_message_gets_no_terms_if_the_user_disabled_that():
    settings = RecallSettings(use_history=False)
    found = rewrite(RecallRequest(uuid4(), "and the second one?", NOW, HOSTELS, settings))
    assert found.text == "and the second one?"


@pytest.mark.parametrize("heading", [*headings("several answers"), "one answer"])
def test_questions_with_several_answers_are_recognised(heading):
    several = heading != "one answer"
    assert [each for each in MESSAGES[heading] if query(each).several is not several] == []


@pytest.mark.parametrize("heading", headings("about"))
def test_questions_about_what_the_assistant_said_are_recognised(heading):
    about_assistant = "assistant" in heading
    assert [each for each in MESSAGES[heading] if query(each).about_assistant is not about_assistant] == []


def test_relative_dates_use_the_users_time_zone():
    for timezone, day in (("UTC", 30), ("Asia/Tokyo", 31)):
        span = query("yesterday", timezone=timezone).span
        assert span is not None
        assert span.start == date(2023, 5, day)


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
LETTER = (
    "On Tue, 5 Mar 2024 at 09:12, Marta <marta@example.org> wrote:\n"
    "> I think we should move my talk.\n> When do I send the list?\n>\n"
    "From: Tom\nSent: 4 March\nSubject: Re: my talk?\n"
) * 8
CHAT = "[10:02] Lena: did anyone of you move my charger?\n[10:03] Ravi: where did I put it?\n" * 12
HELP = "### How do I change my password?\nOpen the settings.\n- what of my old one?\n1. Ask us.\n" * 9
TABLE = "2024-01-03,Harbour,118,my usual?,4.20\n| Jan | what did I buy? |\n" * 12
CODE = "def total(self):\n    return sum(mine)\n// why do I need this?\nexport { Basket };\n" * 10
BLOB = "TWFueSBwZW9wbGUgcGFzdGUgd2hvbGUgZmlsZXMgaW50byBhIGNoYXQgd2l0aG91dCB0aGlua2luZw==\n" * 10
SPEECH = "“Why did I never paint? I was impatient,” she says.\n“What would I do with a camera?”\n" * 9
TALK = "哎，最近真是太忙了，都没时间好好陪陪家人。" * 40
LOG = "2023-05-30 12:00:01 ERROR billing failed for user 12\n    at com.example.Billing.run(B.java:17)\n" * 30
JSON = '{\n"name": "value?",\n' + '"key": "why?",\n' * 100 + "}\n<div class='x'>text?</div>\n"
PASTES = (LOG, JSON, SYSTEM_PROMPT, PROSE, CHINESE, LETTER, CHAT, HELP, TABLE, CODE, BLOB, SPEECH)
QUESTIONS = (
    "What was the name of my first dog?",
    "Can you suggest a hotel for my trip to Miami? I would like a view.",
    "Wie hieß der Gärtner, den du mir empfohlen hast?",
    "我妈妈的生日是哪天？",
)


@pytest.mark.parametrize("paste", PASTES)
@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_is_found_within_pasted_text(question, paste):
    for around in ("{question}\n\n{paste}", "{paste}\n\n{question}", "{paste}\n\n{question}\n\n{paste}"):
        assert focus(around.format(question=question, paste=paste.strip())) == question


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (f"{PROSE}\n\nname of my dentist", "name of my dentist"),
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


def test_pasted_text_without_a_question_still_gives_a_query():
    for paste in (PROSE, CHINESE):
        found = focus(paste)
        assert paste.startswith(found)
        assert MAX_QUERY_LENGTH // 2 < len(found) <= MAX_QUERY_LENGTH
        assert found.endswith((".", "。"))
    for paste in (LETTER, TABLE, CODE, BLOB):
        assert 0 < len(focus(paste)) <= MAX_QUERY_LENGTH


def test_hidden_text_is_removed_from_the_query_but_joiners_stay():
    hidden = "what\u200b is my \u202edog\u202c called\U000e0041\U000e0042? <!-- my cat, not my dog -->"
    assert focus(hidden) == "what is my dog called?"
    assert focus("<script>my()</script>Where do I live?") == "Where do I live?"
    assert focus("<!-- only this -->") == "<!-- only this -->"
    for text in ("می‌خواهم بدانم کجا زندگی می‌کنم؟", "Family 👩‍👩‍👧 day?"):
        assert focus(text) == text


@pytest.mark.parametrize("heading", headings("not searched"))
def test_messages_that_memory_cannot_help_with_are_not_searched_for(heading):
    reason = heading.split(", ")[1]
    decided = {message: should_search(message) for message in MESSAGES[heading]}
    assert [message for message, each in decided.items() if each.search or reason not in each.reason] == []


@pytest.mark.parametrize("heading", headings("searched"))
def test_other_messages_are_searched_for(heading):
    assert [message for message in MESSAGES[heading] if not should_search(message).search] == []


@pytest.mark.parametrize("message", ["", "  \n", "\u3000", "Summarise this for me:\nlong text"])
def test_messages_without_a_question_are_not_searched_for(message):
    assert not should_search(message).search


@pytest.mark.parametrize("message", ["\u55ef" * 79 + "x", "ok " * 26 + "x", "12 " * 5000 + "x"])
def test_crafted_messages_are_decided_quickly(message):
    assert should_search(message).search


def test_the_reason_never_repeats_the_message():
    assert "Rosebud" not in should_search("Where is my Rosebud?").reason
