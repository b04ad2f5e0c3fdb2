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
        "I play the widow, you play the notary.",
        "You're the barista, I'm the customer. I'm from Milan",
        "Answer as if you were my grandmother.",
        "Monologue in the first person about a fisherman",
        "ты Шерлок, я Ватсон, живу с тобой на Бейкер-стрит",
        "我们来练口语，我是餐厅服务员，你是顾客",
        "跑团建卡，我的角色来自北境",
        "替朋友问一下，对花生过敏怎么点菜",
        "我老板的口头禅，我每天只睡四个小时",
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
        "I play the cello and you can hear it",
        "I'm a nurse, you're a great help",
        "I'm a nurse and you're the best",
        "我是护士，你是怎么看的",
        "我是学生，你是AI，帮我改作业",
        "我是护士，你是不是也觉得累",
        "我替朋友高兴，我住在上海",
        "帮我女儿想个礼物，她叫Mia",
    ],
)
def test_what_only_sounds_like_a_play_is_none(words):
    assert not is_play(words)
