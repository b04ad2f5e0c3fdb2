import pytest

from memory.mining.quality_checks import handed_on, said_by_another


@pytest.mark.parametrize(
    "words",
    [
        "Hallo, ich bin die Neue, 34, aus Passau!\n\nDas stand im Forum. Was antworte ich da?",
        "Марина, здравствуйте! Я ваш сосед, меня зовут Георгий. — вот такую записку нашла под дверью",
        "[10:42] Nuria: soy la nueva, vivo en Getafe\n[10:43] Pau: hola!\nhazme un resumen",
        "Haha ja genau, und nebenbei bin ich noch Bundeskanzler",
        "jaja claro, y yo soy Shakira",
        "我住在朝阳区，家里有老人，麻烦上午送。\n这条留言怎么回",
    ],
)
def test_words_of_somebody_else_are_known(words):
    assert handed_on(words)


@pytest.mark.parametrize(
    "words",
    [
        "Ich wohne in Passau und suche einen Chor. Was antworte ich meinem Chef?",
        "Ja genau, das meine ich. Ich wohne in Ulm.",
        "Soy de Lugo, ¿qué le respondo a mi jefe?",
        "Я живу в Томске. Что ответить маме?",
        "10:30 Uhr ist gut. Ich bin Lehrer.",
        "我住在南京，老板找我谈话怎么回事",
    ],
)
def test_a_question_of_ones_own_is_none(words):
    assert not handed_on(words)


def test_speech_is_known_by_what_follows():
    words = "Ich ess kein Schwein, sagte er, und griff zur Wurst."
    assert said_by_another(words, words.index(","))
    assert not said_by_another("Ich ess kein Schwein, sagte ich ja schon.", 20)


@pytest.mark.parametrize("repeated", ["\n", " ", "a \n", "- ", '" ', "»"])
def test_repeated_marks_take_no_long_time(repeated):
    assert not handed_on(repeated * 10_000)
