"""Small talk, errands and general knowledge are not searched for; everything else is."""

import pytest

from memory.recall.filters import should_search

GREETING, ERRAND, KNOWLEDGE = "greeting", "contains everything", "general knowledge"
PASSED_OVER = {
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
    ("English", ERRAND): (
        "Translate this: “I love my dog” | translate to French: good night, my love | "
        "Please translate the following into German:\\nWe went home. | Fix this code: ```x=1``` | "
        "write a regex that matches emails | Can you write me a regular expression for phone numbers? | "
        "fix this code\\n```python\\nmy_var = I\\n``` | "
        "Summarize the following text:\\nI was born in 1990. | What is 2+2? | what is 15% of 80 | "
        "12 * 7 | convert 5 km to miles"
    ),
    ("other languages", ERRAND): (
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
    "work on what is remembered": (
        "Translate my last email to German | Please translate this for my mother: good night | "
        "write a regex like the one I used last time | fix this | summarize this | "
        "write a poem about the sea | write a python function that parses dates | "
        "Summarise my notes:\nlong text"
    ),
    "something of the person's own world": (
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


@pytest.mark.parametrize(("kind", "messages"), PASSED_OVER.items(), ids=" ".join)
def test_messages_that_memory_cannot_help_with_are_passed_over(kind, messages):
    decided = {message: should_search(message) for message in messages.split(" | ")}
    assert [message for message, each in decided.items() if each.search or kind[1] not in each.reason] == []


@pytest.mark.parametrize("messages", SEARCHED.values(), ids=SEARCHED)
def test_everything_else_is_searched(messages):
    assert [message for message in messages.split(" | ") if not should_search(message).search] == []


@pytest.mark.parametrize("message", ["", "  \n", "\u3000", "Summarise this for me:\nlong text"])
def test_messages_without_a_question_are_passed_over(message):
    assert not should_search(message).search


@pytest.mark.parametrize("message", ["\u55ef" * 79 + "x", "ok " * 26 + "x", "12 " * 5000 + "x"])
def test_crafted_messages_are_decided_at_once(message):
    assert should_search(message).search


def test_the_reason_never_repeats_the_message():
    assert "Rosebud" not in should_search("Where is my Rosebud?").reason
