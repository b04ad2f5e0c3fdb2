from datetime import UTC, datetime
from uuid import UUID

import pytest

from memory.recall.rewriting import rewrite
from memory.recall.types import RecallRequest

NOW = datetime(2024, 9, 1, tzinfo=UTC)

# What was said, what is asked next, and a piece of a word that the question has to take over.
VAGUE = (
    ("I booked the Flying Pig hostel in Amsterdam", "and the other one?", "amsterdam"),
    ("My cousin Farid repairs violins in Cremona", "what about her?", "cremona"),
    ("My cousin Farid repairs violins in Cremona", "and when was that?", "cremona"),
    ("I sold the Volvo to a student", "how much was it?", "volvo"),
    ("I sold the Volvo to a student", "Why?", "volvo"),
    ("I sold the Volvo to a student", "and then?", "volvo"),
    ("Which hostel in Amsterdam had breakfast?", "Where was that again?", "amsterdam"),
    ("Ich habe das Hostel in Amsterdam gebucht", "und das andere?", "amsterdam"),
    ("Ich habe das Hostel in Amsterdam gebucht", "und wann war das?", "amsterdam"),
    ("Mein Vetter Farid repariert Geigen in Cremona", "und was ist mit ihm?", "cremona"),
    ("Mein Vetter Farid repariert Geigen in Cremona", "Warum?", "cremona"),
    ("Ich habe den Volvo verkauft", "Wie viel war das?", "volvo"),
    ("Ich habe den Volvo verkauft", "Und danach?", "volvo"),
    ("Reservé el hostal en Amsterdam", "¿y el otro?", "amsterdam"),
    ("Reservé el hostal en Amsterdam", "¿y cuándo fue eso?", "amsterdam"),
    ("Mi primo Farid repara violines en Cremona", "¿y ella?", "cremona"),
    ("Vendí el Volvo a un estudiante", "¿por qué?", "volvo"),
    ("Vendí el Volvo a un estudiante", "¿y después?", "volvo"),
    ("Vendí el Volvo a un estudiante", "¿Cuánto fue?", "volvo"),
    ("J'ai réservé une auberge à Amsterdam", "et l'autre ?", "amsterdam"),
    ("J'ai réservé une auberge à Amsterdam", "et c'était quand ?", "amsterdam"),
    ("Mon cousin Farid répare des violons à Crémone", "et elle ?", "cremone"),
    ("J'ai vendu la Volvo à un étudiant", "pourquoi ?", "volvo"),
    ("J'ai vendu la Volvo à un étudiant", "et après ?", "volvo"),
    ("Я забронировал хостел в Амстердаме", "а другой?", "амстердам"),
    ("Я забронировал хостел в Амстердаме", "а когда это было?", "амстердам"),
    ("Мой брат Фарид чинит скрипки в Кремоне", "а она?", "кремон"),
    ("Мой брат Фарид чинит скрипки в Кремоне", "Почему?", "кремон"),
    ("Я продал машину студенту", "и что потом?", "машин"),
    ("Я продал машину студенту", "А сколько?", "машин"),
    ("我在阿姆斯特丹订了旅馆", "那另一个呢?", "旅馆"),
    ("我在阿姆斯特丹订了旅馆", "那后来呢?", "旅馆"),
    ("我在阿姆斯特丹订了旅馆", "那是什么时候?", "旅馆"),
    ("表哥在作坊修小提琴", "她呢?", "小提"),
    ("表哥在作坊修小提琴", "为什么?", "小提"),
    ("我把沃尔沃卖给了学生", "然后呢?", "学生"),
    ("我把沃尔沃卖给了学生", "多少钱?", "学生"),
)
CLEAR = (
    ("I booked a hostel in Amsterdam", "When is the birthday of my sister?"),
    ("I booked a hostel in Amsterdam", "And what did my dentist say about the tooth?"),
    ("I booked a hostel in Amsterdam", "my sister?"),
    ("I booked a hostel in Amsterdam", "What is my passport number?"),
    ("Ich habe ein Hostel gebucht", "Wann hat meine Schwester Geburtstag?"),
    ("Ich habe ein Hostel gebucht", "Und was sagte der Zahnarzt zum Weisheitszahn?"),
    ("Ich habe ein Hostel gebucht", "Wie heißt mein Hund?"),
    ("Reservé un hostal", "¿Cuándo es el cumpleaños de mi hermana?"),
    ("Reservé un hostal", "¿Cómo se llama mi perro?"),
    ("J'ai réservé une auberge", "Quand est l'anniversaire de ma sœur ?"),
    ("J'ai réservé une auberge", "Comment s'appelle mon chien ?"),
    ("Я забронировал хостел", "Когда день рождения моей сестры?"),
    ("Я забронировал хостел", "Как зовут мою собаку?"),
    ("我订了旅馆", "我姐姐的生日是哪天?"),
    ("我订了旅馆", "我的狗叫什么名字?"),
)
ABOUT_ASSISTANT = (
    "What did you recommend for my back pain?",
    "You told me about a bakery",
    "which book did you suggest?",
    "Remind me what you said about the tax form",
    "the recipe you gave me",
    "Was hast du mir empfohlen?",
    "Du hast mir doch von einer Bäckerei erzählt",
    "Welches Buch hattest du vorgeschlagen?",
    "Was hast du zum Steuerformular gesagt?",
    "Was war dein Vorschlag?",
    "¿Qué me recomendaste?",
    "Me dijiste algo de una panadería",
    "¿Qué libro me sugeriste?",
    "¿Qué habías dicho del formulario?",
    "¿Cuál fue tu recomendación?",
    "Qu'est-ce que tu m'as recommandé ?",
    "Tu m'avais parlé d'une boulangerie",
    "Quel livre m'as-tu conseillé ?",
    "Que disais-tu du formulaire ?",
    "Quelle était ta suggestion ?",
    "Что ты мне посоветовал?",
    "Ты говорил мне о пекарне",
    "Какую книгу ты рекомендовала?",
    "Что вы сказали о форме?",
    "Какой был твой совет?",
    "你推荐了什么?",
    "你跟我说过一家面包店",
    "你上次建议的是哪本书?",
    "你之前怎么说税表的?",
    "你给我的建议是什么?",
)
ABOUT_OTHERS = (
    "What did I tell you about my back?",
    "What did my doctor recommend?",
    "Can you recommend a book?",
    "Could you tell me the time?",
    "Do you suggest I sell it?",
    "What did she tell me?",
    "I told you about the bakery",
    "Was habe ich dir über meinen Rücken erzählt?",
    "Was hat mein Arzt empfohlen?",
    "Kannst du mir ein Buch empfehlen?",
    "Was hat sie gesagt?",
    "Hast du Zeit?",
    "¿Qué te dije de mi espalda?",
    "¿Qué me recomendó el médico?",
    "¿Puedes recomendarme un libro?",
    "¿Qué dijo ella?",
    "Que t'ai-je dit de mon dos ?",
    "Qu'a recommandé mon médecin ?",
    "Peux-tu me conseiller un livre ?",
    "Qu'a-t-elle dit ?",
    "Что я тебе говорил о спине?",
    "Что посоветовал врач?",
    "Можешь посоветовать книгу?",
    "Что она сказала?",
    "我跟你说过我的背吗?",
    "医生推荐了什么?",
    "你能推荐一本书吗?",
    "她说了什么?",
    "你觉得呢?",
)


def query(message, *history):
    return rewrite(RecallRequest(UUID(int=1), message, NOW, history=history))


@pytest.mark.parametrize(("said", "asked", "piece"), VAGUE)
def test_a_vague_question_takes_words_of_the_last_turn(said, asked, piece):
    found = query(asked, said)
    assert found.vague
    assert any(piece in word for word in found.words)
    assert found.text.startswith(asked)


@pytest.mark.parametrize(("said", "asked"), CLEAR)
def test_a_clear_question_is_left_alone(said, asked):
    found = query(asked, said)
    assert (found.vague, found.text) == (False, asked)


@pytest.mark.parametrize("asked", ABOUT_ASSISTANT)
def test_what_the_assistant_said_is_asked_for(asked):
    assert query(asked).about_assistant


@pytest.mark.parametrize("asked", ABOUT_OTHERS)
def test_what_others_said_is_not_what_the_assistant_said(asked):
    assert not query(asked).about_assistant
