"""The query of a message, whatever was pasted around it, and which messages are not searched for."""

import time
from collections.abc import Iterable
from datetime import UTC, date, datetime
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.recall.filters import should_search
from memory.recall.query_extraction import MAX_QUERY_LENGTH, focus
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


def test_a_clear_question_is_not_changed():
    found = query("When did I visit Rome with Anna last month?", HOSTELS)
    assert found.text == "When did I visit Rome with Anna last month?"
    assert found.words[:5] == ("when", "did", "i", "visit", "rome")
    assert found.span is not None
    assert found.span.start == date(2023, 4, 1)
    assert not found.vague
    assert not found.about_assistant


@pytest.mark.parametrize(
    "messages",
    [
        "and the second one? | why? | what about it | What about Berlin? | tell me more | When is it? | "
        "How old is she? | the blue one | go on",
        "und der zweite? | warum? | ¿y el segundo? | ¿por qué? | et le deuxième ? | pourquoi ? | "
        "e il secondo?",
        "а второй? | почему? | 为什么？ | 第二个呢？ | 那个呢 | それは？ | なぜ？ | 그건?",
    ],
    ids=["English", "western Europe", "other scripts"],
)
def test_a_vague_message_gets_terms_from_the_last_turns(messages):
    for message in messages.split(" | "):
        found = query(message, HOSTELS)
        assert found.vague, message
        assert found.text.startswith(message)
        assert all(name in found.text for name in ("Amsterdam", "Flying Pig", "Stayokay Vondelpark"))
        assert {"museum", "hostels", "amsterdam"} <= {word.split("|")[0] for word in found.words}
    assert "东京" in query("第二个呢？", ("我在东京和大阪之间选择旅馆。",)).words


@pytest.mark.parametrize(
    "messages",
    [
        "Where do I live? | my dog? | Sarah? | Who is Anna? | Can you recommend a show? | "
        "dentist appointment | What time does the train to Paris leave? | § W-001/R-01/D-001",
        "Wo wohne ich? | ¿Dónde vivo? | Где я живу? | 我的猫叫什么？ | "
        "有几个人的生日在下半年呢？ | 참고한 한국어 책 제목",
    ],
    ids=["English", "other languages"],
)
def test_a_self_contained_message_gets_no_terms(messages):
    for message in messages.split(" | "):
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


@pytest.mark.parametrize(
    ("messages", "several"),
    [
        (
            "How many weddings have I been to? | Which came first, the gala or the bake sale? | "
            "In what order did I visit them? | How many days passed between the mass and Holi? | "
            "What books has Tim read? | Summarize what I said about my thesis",
            True,
        ),
        (
            "Wie viele Bücher habe ich gelesen? | In welcher Reihenfolge war ich dort? | "
            "¿Cuántas veces fui? | ¿Qué hice primero, el curso o la mudanza? | Combien de fois ? | "
            "Quels livres ai-je lus ? | Quanti corsi ho fatto? | Quais livros eu li?",
            True,
        ),
        (
            "Сколько раз я там был? | В каком порядке? | 我一共去过几次？ | 我先买的是车还是房子？ | "
            "私は何回行きましたか？ | 몇 번 갔지? | كم مرة ذهبت؟",
            True,
        ),
        (
            "What is my dog called? | When did I move to Leeds? | Wie heißt mein Hund? | ¿Dónde vivo? | "
            "Où est-ce que j'habite ? | Как зовут мою собаку? | 我的狗叫什么？ | 私の犬の名前は？ | "
            "أين أسكن؟ | Which bus do I take? | Have I passed the exam? | Ist alles gut?",
            False,
        ),
    ],
    ids=["English", "western Europe", "other scripts", "one answer"],
)
def test_questions_with_several_answers_are_recognised(messages, several):
    assert [each for each in messages.split(" | ") if query(each).several is not several] == []


@pytest.mark.parametrize(
    ("messages", "about_assistant"),
    [
        (
            "What did you recommend for Rome? | remind me what you said about tea | "
            "You mentioned a podcast | "
            "Can you remind me of the name of that deli | which book was it that you had suggested? | "
            "I'm looking back at our previous conversation about Rome | Was hast du mir empfohlen? | "
            "¿Qué me recomendaste? | Qu'est-ce que tu m'as conseillé ? | Cosa mi hai consigliato? | "
            "O que você me recomendou? | Что ты мне советовал почитать? | 你上次推荐的餐厅叫什么？ | "
            "你跟我说过什么？ | 何を勧めてくれた？ | 뭘 추천해 줬어? | ماذا اقترحت؟",
            True,
        ),
        (
            "Can you recommend a show? | What do you suggest? | Remind me what my dog's name is | "
            "remind me to call Mum | What did I tell Anna? | Where did Bob say he lives? | "
            "Was empfiehlst du? | ¿Qué me recomiendas? | Что посоветуешь? | 你推荐什么？ | "
            "我跟你说过我的名字吗？ | 추천 좀 해줘",
            False,
        ),
    ],
    ids=["about what the assistant said", "requests for advice"],
)
def test_questions_about_what_the_assistant_said_are_recognised(messages, about_assistant):
    wrong = [each for each in messages.split(" | ") if query(each).about_assistant is not about_assistant]
    assert wrong == []


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


GREETING, SELF_CONTAINED, KNOWLEDGE = "greeting", "contains everything", "general knowledge"
NOT_SEARCHED = {
    ("English", GREETING): (
        "hi | Hello there! | Hey 👋 | good morning | Good evening! | thanks a lot! | Thank you so much 🙏 | "
        "many thanks | cheers | ok | Ok, cool | great, thanks! | 👍 | How are you? | how are you doing today?"
    ),
    ("German", GREETING): (
        "Hallo | Guten Morgen! | Guten Abend! | moin | Vielen Dank | danke schön | alles klar, danke"
    ),
    ("Spanish", GREETING): (
        "¡Hola! | Hola, ¿qué tal? | muchas gracias | buenos días | buenas noches | perfecto, gracias"
    ),
    ("French", GREETING): "Bonjour | bonsoir | merci beaucoup ! | Salut, ça va ? | d'accord, merci",
    ("Italian", GREETING): "ciao | grazie mille | Buongiorno! | buonasera | va bene, grazie",
    ("Portuguese", GREETING): "obrigado | Olá, tudo bem?",
    ("Russian", GREETING): (
        "Привет | Привет! Как дела? | спасибо большое | добрый вечер! | понятно, спасибо"
    ),
    ("Chinese", GREETING): "你好 | 谢谢 | 你好，谢谢你 | 早上好！ | 晚上好 | 好的，谢谢",
    ("Japanese", GREETING): "こんにちは | ありがとうございます！ | おはよう | こんばんは | 了解です",
    ("Korean", GREETING): "안녕하세요 | 감사합니다! | 안녕 | 네, 고마워요",
    ("Arabic", GREETING): "مرحبا | شكراً | السلام عليكم | شكرا جزيلا | مساء الخير | حسناً، شكراً",
    ("English", SELF_CONTAINED): (
        "Translate this: “I love my dog” | translate to French: good night, my love | "
        "Please translate the following into German:\\nWe went home. | Fix this code: ```x=1``` | "
        "write a regex that matches emails | Can you write me a regular expression for phone numbers? | "
        "fix this code\\n```python\\nmy_var = I\\n``` | "
        "Summarize the following text:\\nI was born in 1990. | What is 2+2? | what is 15% of 80 | "
        "12 * 7 | convert 5 km to miles"
    ),
    ("other languages", SELF_CONTAINED): (
        "翻译成英文：我爱我的狗 | 请把下面的句子翻译成英文：我喜欢猫 | "
        "Übersetze diesen Satz: Ich liebe meinen Hund. | Traduce esto: me gusta mi casa | "
        "Traduis ceci : j'aime mon chien | Переведи это: я люблю свою собаку"
    ),
    ("English", KNOWLEDGE): (
        "what is the capital of France | What's the capital of France? | who invented the telephone? | "
        "Can you tell me the capital of Japan? | what is the boiling point of water | "
        "how tall is Mount Everest? | How many ounces in a pound? | define ubiquitous | "
        "what is the population of Germany | what does ubiquitous mean? | Who is the president of France? | "
        "What is the population of the US? | Tell me the capital of Spain"
    ),
    ("other languages", KNOWLEDGE): (
        "Was ist die Hauptstadt von Frankreich? | ¿Cuál es la capital de Francia? | "
        "Quelle est la capitale de la France ? | Какая столица Франции? | 法国的首都是哪里？ | "
        "フランスの首都はどこですか | 프랑스의 수도는 어디야? | ما هي عاصمة فرنسا؟"
    ),
}
SEARCHED = {
    "a question after a greeting": (
        "hi, what did I say about Anna? | Hello! Where do I live? | thanks, but what about my dog? | "
        "thanks § W-1/R-2/D-3 | Guten Morgen, wo wohne ich? | 你好，我的猫叫什么？ | good morning Anna"
    ),
    "tasks that need memory": (
        "Translate my last email to German | Please translate this for my mother: good night | "
        "write a regex like the one I used last time | fix this | summarize this | "
        "write a poem about the sea | write a python function that parses dates | "
        "Summarise my notes:\nlong text"
    ),
    "the user's own world": (
        "what is the capital of my home country | Who is the president of the chess club? | "
        "What is the average response time of the dashboard API? | When does my first sprint end? | "
        "How old is Max? | who wrote the proposal? | what's the population of our village? | "
        "What's Anna's favourite colour? | Can you recommend a show? | what is Palace? | "
        "What is the deadline of the project | how many people in the team? | Which laptop did we choose? | "
        "What is the capital of France?\\nAnd where do I live? | what is the king size bed price | "
        "What is the population of us in the choir? | Tell me about the capital I visited"
    ),
    "short and vague messages": (
        "why? | and the second one? | yes | no | ??? | § W-042/R-11/D-007 | how much? | explain the plan | "
        "okay let's continue | Thanksgiving | remember that I like tea | what does RRF stand for"
    ),
    "other languages": (
        "Was ist meine Hauptstadt? | ¿Dónde vivo? | où est-ce que j'habite ? | где я живу? | 我住在哪里？ | "
        "Quelle est la capitale de mon pays ? | 新兴产业峰会的规模是什么？ | 私の猫の名前は？ | "
        "내 고양이 이름이 뭐야? | أين أسكن؟ | ما اسم قطتي؟"
    ),
}


@pytest.mark.parametrize(("kind", "messages"), NOT_SEARCHED.items(), ids=" ".join)
def test_messages_that_memory_cannot_help_with_are_not_searched_for(kind, messages):
    decided = {message: should_search(message) for message in messages.split(" | ")}
    assert [message for message, each in decided.items() if each.search or kind[1] not in each.reason] == []


@pytest.mark.parametrize("messages", SEARCHED.values(), ids=SEARCHED)
def test_other_messages_are_searched_for(messages):
    assert [message for message in messages.split(" | ") if not should_search(message).search] == []


@pytest.mark.parametrize("message", ["", "  \n", "\u3000", "Summarise this for me:\nlong text"])
def test_messages_without_a_question_are_not_searched_for(message):
    assert not should_search(message).search


@pytest.mark.parametrize("message", ["\u55ef" * 79 + "x", "ok " * 26 + "x", "12 " * 5000 + "x"])
def test_crafted_messages_are_decided_quickly(message):
    assert should_search(message).search


def test_the_reason_never_repeats_the_message():
    assert "Rosebud" not in should_search("Where is my Rosebud?").reason
