import pytest

from memory.recall.filters import should_search

SMALL_TALK = [
    "hi",
    "Hello there!",
    "Hey 👋",
    "good morning",
    "thanks a lot!",
    "Thank you so much 🙏",
    "ok",
    "Ok, cool",
    "great, thanks!",
    "👍",
    "How are you?",
    "how are you doing today?",
    "Hallo",
    "Guten Morgen!",
    "Vielen Dank",
    "danke schön",
    "¡Hola!",
    "Hola, ¿qué tal?",
    "muchas gracias",
    "buenos días",
    "Bonjour",
    "merci beaucoup !",
    "Salut, ça va ?",
    "ciao",
    "grazie mille",
    "Buongiorno!",
    "obrigado",
    "Olá, tudo bem?",
    "Привет",
    "Привет! Как дела?",
    "спасибо большое",
    "你好",
    "谢谢",
    "你好，谢谢你",
    "早上好！",
    "こんにちは",
    "ありがとうございます！",
    "おはよう",
    "안녕하세요",
    "감사합니다!",
    "مرحبا",
    "شكراً",
    "السلام عليكم",
    "شكرا جزيلا",
]
ERRANDS = [
    "Translate this: “I love my dog”",
    "translate to French: good night, my love",
    "Please translate the following into German:\\nWe went home.",
    "write a regex that matches emails",
    "Can you write me a regular expression for phone numbers?",
    "fix this code\\n```python\\nmy_var = I\\n```",
    "Fix this code: ```x=1```",
    "Summarize the following text:\\nI was born in 1990.",
    "What is 2+2?",
    "what is 15% of 80",
    "12 * 7",
    "convert 5 km to miles",
    "翻译成英文：我爱我的狗",
    "请把下面的句子翻译成英文：我喜欢猫",
    "Übersetze diesen Satz: Ich liebe meinen Hund.",
    "Traduce esto: me gusta mi casa",
    "Traduis ceci : j'aime mon chien",
    "Переведи это: я люблю свою собаку",
]
GENERAL_KNOWLEDGE = [
    "what is the capital of France",
    "What's the capital of France?",
    "Can you tell me the capital of Japan?",
    "who invented the telephone?",
    "what is the boiling point of water",
    "how tall is Mount Everest?",
    "How many ounces in a pound?",
    "define ubiquitous",
    "Was ist die Hauptstadt von Frankreich?",
    "¿Cuál es la capital de Francia?",
    "Quelle est la capitale de la France ?",
    "Какая столица Франции?",
    "法国的首都是哪里？",
    "フランスの首都はどこですか",
    "프랑스의 수도는 어디야?",
    "ما هي عاصمة فرنسا؟",
    "what is the population of Germany",
    "what does ubiquitous mean?",
    "Who is the president of France?",
]
SEARCHED = [
    "hi, what did I say about Anna?",
    "Hello! Where do I live?",
    "thanks, but what about my dog?",
    "Translate my last email to German",
    "Please translate this for my mother: good night",
    "write a regex like the one I used last time",
    "fix this",
    "what is the capital of my home country",
    "What is the average response time of the dashboard API?",
    "When does my first sprint end?",
    "why?",
    "and the second one?",
    "yes",
    "no",
    "???",
    "§ W-042/R-11/D-007",
    "thanks § W-1/R-2/D-3",
    "how much?",
    "How old is Max?",
    "who wrote the proposal?",
    "Who is the president of the chess club?",
    "what's the population of our village?",
    "What's Anna's favourite colour?",
    "Can you recommend a show?",
    "Guten Morgen, wo wohne ich?",
    "Was ist meine Hauptstadt?",
    "¿Dónde vivo?",
    "où est-ce que j'habite ?",
    "Quelle est la capitale de mon pays ?",
    "где я живу?",
    "我住在哪里？",
    "你好，我的猫叫什么？",
    "新兴产业峰会的规模是什么？",
    "私の猫の名前は？",
    "내 고양이 이름이 뭐야?",
    "أين أسكن؟",
    "ما اسم قطتي؟",
    "What is the capital of France?\\nAnd where do I live?",
    "what is Palace?",
    "remember that I like tea",
    "good morning Anna",
    "write a poem about the sea",
    "write a python function that parses dates",
    "what does RRF stand for",
    "What is the deadline of the project",
    "summarize this",
    "how many people in the team?",
    "explain the plan",
    "okay let's continue",
    "Thanksgiving",
    "Which laptop did we choose?",
    "what is the king size bed price",
]


@pytest.mark.parametrize("message", SMALL_TALK)
def test_greetings_and_thanks_are_passed_over(message):
    decision = should_search(message)
    assert not decision.search
    assert "greeting" in decision.reason


@pytest.mark.parametrize("message", ERRANDS)
def test_work_on_what_is_brought_along_is_passed_over(message):
    decision = should_search(message)
    assert not decision.search
    assert "brings along" in decision.reason


@pytest.mark.parametrize("message", GENERAL_KNOWLEDGE)
def test_general_knowledge_is_passed_over(message):
    decision = should_search(message)
    assert not decision.search
    assert "general knowledge" in decision.reason


@pytest.mark.parametrize("message", SEARCHED)
def test_everything_else_is_searched(message):
    assert should_search(message).search


@pytest.mark.parametrize("message", ["", "  \n", "\u3000"])
def test_an_empty_message_is_passed_over(message):
    assert not should_search(message).search


@pytest.mark.parametrize(
    ("message", "search"),
    [
        ("What is the population of the US?", False),
        ("What is the population of us in the choir?", True),
        ("Tell me the capital of Spain", False),
        ("Tell me about the capital I visited", True),
        ("Summarise this for me:\nlong text", False),
        ("Summarise my notes:\nlong text", True),
    ],
)
def test_personal_words_count_only_where_they_are_about_somebody(message, search):
    assert should_search(message).search is search


@pytest.mark.parametrize("message", ["\u55ef" * 79 + "x", "ok " * 26 + "x", "12 " * 5000 + "x"])
def test_crafted_messages_are_decided_at_once(message):
    assert should_search(message).search


def test_the_reason_never_repeats_the_message():
    assert "Rosebud" not in should_search("Where is my Rosebud?").reason


@pytest.mark.parametrize(
    "message",
    [
        *("Good evening!", "many thanks", "cheers", "Guten Abend!", "alles klar, danke", "moin"),
        *("buenas noches", "perfecto, gracias", "bonsoir", "d'accord, merci", "buonasera"),
        *(
            "va bene, grazie",
            "добрый вечер!",
            "понятно, спасибо",
            "晚上好",
            "好的，谢谢",
            "こんばんは",
        ),
        *("了解です", "안녕", "네, 고마워요", "مساء الخير", "حسناً، شكراً"),
    ],
)
def test_more_ways_of_greeting_and_thanking_are_passed_over(message):
    assert not should_search(message).search
