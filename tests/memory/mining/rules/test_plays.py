"""What sets up a play, in each language, and what only sounds like it."""

import pytest

from memory.mining.rules.plays import is_play


@pytest.mark.parametrize(
    "words",
    [
        "Stell dir mal vor, ich heiße Napoleon.",
        "Stellen wir uns vor, ich bin 80.",
        "Du bist jetzt mein Fahrlehrer und ich bin 17",
        "Ein Brief aus Sicht eines Hundes, ich wohne im Korb",
        "Imagínate que me llamo Napoleón",
        "Ahora eres mi médico y tengo 45 años",
        "Imagine que je m'appelle Paul",
        "Tu es maintenant mon médecin, j'ai 45 ans",
        "Faisons comme si j'habitais à Lyon",
        "Представьте себе, что меня зовут Пётр",
        "Ты теперь мой врач, мне 45 лет",
        "假设我叫拿破仑",
        "咱们演一段吧，我是诸葛亮，住在卧龙岗",
        "我们来演医生和病人，我45岁",
        "假装你是医生，我45岁",
        "Pretend I live in Rome",
    ],
)
def test_a_frame_of_play_is_known(words):
    assert is_play(words)


@pytest.mark.parametrize(
    "words",
    [
        "Ich stelle dir mein Team vor.",
        "Du bist mein Held, ich wohne in Ulm.",
        "Meine Figur ist mir egal, aber in der Reha spiele ich eine Rolle",
        "Tu es génial, j'habite à Lyon",
        "Eres un sol, vivo en Cádiz",
        "Ты мой спаситель, я живу в Москве",
        "The scenarios and characters of my app",
        "我老是假装开心，我住在上海",
        "我们来演讲比赛当观众",
    ],
)
def test_what_only_sounds_like_a_play_is_none(words):
    assert not is_play(words)
