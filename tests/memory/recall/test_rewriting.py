"""What a long message asks, whatever was pasted around it."""

import time
from collections.abc import Iterable
from datetime import UTC, date, datetime
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.recall.query_extraction import LONGEST_QUERY, focus
from memory.recall.rewriting import rewrite
from memory.recall.types import Query, RecallRequest, RecallSettings

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


def query(message: str, history: Iterable[str] = (), timezone: str = "UTC") -> Query:
    settings = RecallSettings(timezone=timezone)
    return rewrite(RecallRequest(uuid4(), message, NOW, tuple(history), settings))


def test_a_clear_question_stays_as_it_is():
    found = query("When did I visit Rome with Anna last month?", HOSTELS)
    assert found.text == "When did I visit Rome with Anna last month?"
    assert found.words[:5] == ("when", "did", "i", "visit", "rome")
    assert found.span is not None
    assert found.span.start == date(2023, 4, 1)
    assert not found.vague
    assert not found.about_assistant


@pytest.mark.parametrize(
    "message",
    [
        "and the second one?",
        "why?",
        "what about it",
        "What about Berlin?",
        "tell me more",
        "When is it?",
        "How old is she?",
        "the blue one",
        "go on",
        "und der zweite?",
        "warum?",
        "¿y el segundo?",
        "¿por qué?",
        "et le deuxième ?",
        "pourquoi ?",
        "e il secondo?",
        "а второй?",
        "почему?",
        "为什么？",
        "第二个呢？",
        "那个呢",
        "それは？",
        "なぜ？",
        "그건?",
    ],
)
def test_a_vague_message_takes_terms_from_the_last_turns(message):
    found = query(message, HOSTELS)
    assert found.vague
    assert found.text.startswith(message)
    assert all(name in found.text for name in ("Amsterdam", "Flying Pig", "Stayokay Vondelpark"))
    assert {"museum", "hostels", "amsterdam"} <= {word.split("|")[0] for word in found.words}


@pytest.mark.parametrize(
    "message",
    [
        "Where do I live?",
        "my dog?",
        "Sarah?",
        "Who is Anna?",
        "Can you recommend a show?",
        "What time does the train to Paris leave?",
        "dentist appointment",
        "Wo wohne ich?",
        "¿Dónde vivo?",
        "Где я живу?",
        "我的猫叫什么？",
        "有几个人的生日在下半年呢？",
        "참고한 한국어 책 제목",
        "§ W-001/R-01/D-001",
    ],
)
def test_a_message_that_stands_alone_takes_nothing(message):
    found = query(message, HOSTELS)
    assert not found.vague
    assert found.text == message


def test_the_newest_turn_comes_first_and_old_ones_are_left_out():
    history = ("I keep bees in Devon", "I bought a kayak", "thanks", "It is red")
    assert query("and why?", history).text == "and why? red bought kayak"


def test_without_history_a_vague_message_is_all_there_is():
    assert query("why?").text == "why?"


def test_chinese_turns_lend_their_words():
    found = query("第二个呢？", ("我在东京和大阪之间选择旅馆。",))
    assert "东京" in found.words


@pytest.mark.parametrize(
    "around",
    [
        "{prompt}\n\n{question}",
        "{question}\n\n{prompt}",
        "{prompt}\n\n{question}\n\n{prompt}",
        "{prompt} {question} {prompt}",
        "{prompt}\nQuestion: {question}",
        "{prompt}\n**User query:** {question}",
    ],
)
@pytest.mark.parametrize("question", ["What was the name of my first dog?", "Wie heißt mein Hund?"])
def test_a_question_is_found_inside_a_system_prompt(around, question):
    assert query(around.format(prompt=SYSTEM_PROMPT, question=question)).text == question


@pytest.mark.parametrize(
    "pasted",
    [
        "2023-05-30 12:00:01 ERROR billing failed for user 12\n" * 60,
        "[12:00:01] INFO all well?\n" * 60,
        "    at com.example.Billing.run(Billing.java:17)\n" * 60,
        "```python\nfor x in y:\n    print(x)\n```\n" + "```\n" + "data " * 300 + "\n```\n",
        '{\n"name": "value?",\n' + '"key": "why?",\n' * 100 + "}\n",
        "<div class='x'>text?</div>\n" * 60,
    ],
)
def test_pasted_logs_and_code_are_cut_away(pasted):
    question = "Why does my billing job fail again?"
    for message in (f"{question}\n{pasted}", f"{pasted}\n{question}"):
        assert query(message).text == question


def test_talk_around_the_question_is_left_out_in_chinese():
    talk = "哎，最近真是太忙了，都没时间好好陪陪家人。" * 40
    question = "表哥的生日是哪天？"
    assert query(f"{talk}我真正想问的问题是：{question}").text == question


def test_a_long_message_without_a_question_keeps_its_end():
    found = query("lorem ipsum dolor " * 500)
    assert 0 < len(found.text) <= LONGEST_QUERY


@pytest.mark.parametrize(
    "message",
    [
        "What did you recommend for Rome?",
        "remind me what you said about tea",
        "Can you remind me of the name of that deli",
        "You mentioned a podcast",
        "I'm looking back at our previous conversation about Rome",
        "which book was it that you had suggested?",
        "Was hast du mir empfohlen?",
        "¿Qué me recomendaste?",
        "Qu'est-ce que tu m'as conseillé ?",
        "Cosa mi hai consigliato?",
        "O que você me recomendou?",
        "Что ты мне советовал почитать?",
        "你上次推荐的餐厅叫什么？",
        "你跟我说过什么？",
        "何を勧めてくれた？",
        "뭘 추천해 줬어?",
        "ماذا اقترحت؟",
    ],
)
def test_notices_questions_about_what_the_assistant_said(message):
    assert query(message).about_assistant


@pytest.mark.parametrize(
    "message",
    [
        "Can you recommend a show?",
        "What do you suggest?",
        "Remind me what my dog's name is",
        "remind me to call Mum",
        "What did I tell Anna?",
        "Where did Bob say he lives?",
        "Was empfiehlst du?",
        "¿Qué me recomiendas?",
        "Что посоветуешь?",
        "你推荐什么？",
        "我跟你说过我的名字吗？",
        "추천 좀 해줘",
    ],
)
def test_requests_for_advice_are_not_about_what_was_said(message):
    assert not query(message).about_assistant


def test_dates_are_read_on_the_users_own_day():
    for timezone, day in (("UTC", 30), ("Asia/Tokyo", 31)):
        span = query("yesterday", timezone=timezone).span
        assert span is not None
        assert span.start == date(2023, 5, day)


@given(st.text(max_size=3000), st.lists(st.text(max_size=50), max_size=4))
def test_any_message_gives_a_bounded_query(message, history):
    found = query(message, history)
    assert bool(found.text) == bool(message.strip())
    assert len(found.text) <= LONGEST_QUERY + 600


@pytest.mark.parametrize("unit", ["a; ", "why? ", "\n", "{ ", "x", "你好吗", '"a": ', "``` "])
def test_a_megabyte_is_cut_to_size_at_once(unit):
    started = time.process_time()
    assert len(query(unit * (1_000_000 // len(unit)) + "?").text) <= LONGEST_QUERY
    assert time.process_time() - started < 2


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
PASTES = (PROSE, CHINESE, LETTER, CHAT, HELP, TABLE, CODE, BLOB, SPEECH)
QUESTIONS = (
    "What was the name of my first dog?",
    "Can you suggest a hotel for my trip to Miami? I would like a view.",
    "Wie hieß der Gärtner, den du mir empfohlen hast?",
    "我妈妈的生日是哪天？",
)


@pytest.mark.parametrize("paste", PASTES)
@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize(
    "around", ["{question}\n\n{paste}", "{paste}\n\n{question}", "{paste}\n\n{question}\n\n{paste}"]
)
def test_a_question_comes_through_what_is_pasted_around_it(around, question, paste):
    assert focus(around.format(question=question, paste=paste.strip())) == question


@pytest.mark.parametrize(
    ("message", "asked"),
    [
        (f"{PROSE}\n\nname of my dentist", "name of my dentist"),
        (f"{PROSE}\nwhat did the dentist say", "what did the dentist say"),
        (f"请问我妈妈的生日是哪天\n\n{CHINESE}", "请问我妈妈的生日是哪天"),
        (f"{'I had a long day. ' * 50}Where is my passport? {PROSE}", "Where is my passport?"),
        (f"Context:\n{PROSE}\n\nQuestion: where do I live?\n\nAnswer:", "where do I live?"),
        (f"Dear all,\n\n{PROSE}\n\nKind regards,\nTom\n\nPS: what was my PIN?", "PS: what was my PIN?"),
    ],
)  # fmt: skip
def test_a_question_needs_no_mark_and_no_place_of_its_own(message, asked):
    assert focus(message) == asked


def test_two_questions_before_and_after_a_paste_are_both_asked():
    message = f"What did I say about Anna?\n\n{PROSE}\n\nAnd when did I meet her?"
    assert focus(message) == "What did I say about Anna? And when did I meet her?"


@pytest.mark.parametrize("paste", [PROSE, CHINESE])
def test_a_paste_without_a_question_is_looked_for_by_its_beginning(paste):
    found = focus(paste)
    assert paste.startswith(found)
    assert LONGEST_QUERY // 2 < len(found) <= LONGEST_QUERY
    assert found.endswith((".", "。"))


@pytest.mark.parametrize("paste", [LETTER, TABLE, CODE, BLOB])
def test_nothing_but_machine_lines_still_gives_something_to_look_for(paste):
    assert 0 < len(focus(paste)) <= LONGEST_QUERY


def test_what_cannot_be_seen_is_not_looked_for():
    hidden = "what\u200b is my \u202edog\u202c called\U000e0041\U000e0042? <!-- my cat, not my dog -->"
    assert focus(hidden) == "what is my dog called?"
    assert focus("<script>my()</script>Where do I live?") == "Where do I live?"
    assert focus("<!-- only this -->") == "<!-- only this -->"


@pytest.mark.parametrize("text", ["می‌خواهم بدانم کجا زندگی می‌کنم؟", "Family 👩‍👩‍👧 day?"])
def test_joiners_that_are_spelling_stay(text):
    assert focus(text) == text


@given(st.text(max_size=3000))
def test_any_message_gives_something_of_it(message):
    found = focus(message)
    assert bool(found) == bool(message.strip())
    assert len(found) <= LONGEST_QUERY


@pytest.mark.parametrize(
    "unit", ["a, ", "why? ", "> ", "<!-", "<script>", "a: ", "On a wrote", "1. \n", "\n\nx", "-- -"]
)
def test_a_megabyte_takes_no_time(unit):
    started = time.process_time()
    focus(unit * (1_000_000 // len(unit)) + "?")
    assert time.process_time() - started < 2
