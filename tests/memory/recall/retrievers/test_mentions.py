"""What a question names, in the languages of the rules and any script."""

import pytest

from memory.recall.retrievers.mentions import mentions_in


@pytest.mark.parametrize(
    ("question", "label"),
    [
        ("What's my sister's job?", "sister"),
        ("Where do my sisters live?", "sister"),
        ("What is my best friend allergic to?", "best friend"),
        ("Wo arbeitet meine Schwester?", "sister"),
        ("¿Dónde vive mi hermana?", "sister"),
        ("Où habite ma sœur ?", "sister"),
        ("Где живёт моя сестра?", "sister"),
        ("我妻子叫什么名字？", "wife"),
        ("我的妹妹住在哪里？", "younger sister"),
    ],
)
def test_people_by_kinship(question, label):
    assert label in {kin.label for kin in mentions_in(question).kin}


@pytest.mark.parametrize(
    "question",
    ["Who was the sister of Goethe?", "What does Anna's brother do?", "王敏的妹妹是谁？"],
)
def test_other_peoples_kin_is_not_the_owners(question):
    assert mentions_in(question).kin == ()


@pytest.mark.parametrize(
    ("question", "key"),
    [
        ("What is my favorite color?", "favourite_colour"),
        ("When is my birthday?", "birthday"),
        ("Where do I live these days?", "home_city"),
        ("What do I do for a living?", "occupation"),
        ("Wo wohne ich eigentlich?", "home_city"),
        ("¿Dónde trabajo?", "employer"),
        ("Où est-ce que j'habite ?", "home_city"),
        ("Где я живу?", "home_city"),
        ("我住在哪里？", "home_city"),
        ("What's my job again?", "occupation"),
    ],
)
def test_values_of_the_profile_that_are_asked_for(question, key):
    assert key in mentions_in(question).keys


@pytest.mark.parametrize(
    "question", ["What's my sister's job?", "What is the name of that place?", "Who wrote Faust?"]
)
def test_what_is_not_asked_of_oneself_is_no_value(question):
    assert mentions_in(question).keys == ()


def test_names_of_any_script_are_among_the_runs_of_words():
    grams = mentions_in("Did Anna-Lena meet 王敏 at C++ Berlin's Größe?").grams
    assert {"Anna-Lena", "王敏", "C++", "Berlin", "C++ Berlin Größe"} <= set(grams)
    assert "at" not in grams


def test_a_long_message_names_no_end_of_things():
    assert len(mentions_in("很长的一段话没有空格" * 300).grams) <= 240
