"""What a question mentions, in any language and script."""

import pytest

from memory.recall.retrievers.mentions import mentions_in


@pytest.mark.parametrize(
    ("questions", "label"),
    [
        ("What's my sister's job? | Where do my sisters live? | Wo arbeitet meine Schwester?", "sister"),
        ("¿Dónde vive mi hermana? | Où habite ma sœur ? | Где живёт моя сестра?", "sister"),
        ("What is my best friend allergic to?", "best friend"),
        ("我妻子叫什么名字？", "wife"),
        ("我的妹妹住在哪里？", "younger sister"),
        ("Who was the sister of Goethe? | What does Anna's brother do? | 王敏的妹妹是谁？", None),
    ],
)
def test_the_owners_own_kin_is_recognised(questions, label):
    for question in questions.split(" | "):
        kin = {kin.label for kin in mentions_in(question).kin}
        assert label in kin if label else not kin, question


@pytest.mark.parametrize(
    ("questions", "key"),
    [
        ("What is my favorite color?", "favourite_colour"),
        ("When is my birthday?", "birthday"),
        ("Where do I live these days? | Wo wohne ich eigentlich? | Où est-ce que j'habite ?", "home_city"),
        ("Где я живу? | 我住在哪里？", "home_city"),
        ("What do I do for a living? | What's my job again?", "occupation"),
        ("¿Dónde trabajo?", "employer"),
        ("What's my sister's job? | What is the name of that place? | Who wrote Faust?", None),
    ],
)
def test_questions_for_a_value_of_the_profile_are_recognised(questions, key):
    for question in questions.split(" | "):
        keys = mentions_in(question).keys
        assert key in keys if key else keys == (), question


def test_names_of_any_script_are_among_the_runs_of_words_and_their_number_is_limited():
    grams = mentions_in("Did Anna-Lena meet 王敏 at C++ Berlin's Größe?").grams
    assert {"Anna-Lena", "王敏", "C++", "Berlin", "C++ Berlin Größe"} <= set(grams)
    assert "at" not in grams
    assert len(mentions_in("很长的一段话没有空格" * 300).grams) <= 240
