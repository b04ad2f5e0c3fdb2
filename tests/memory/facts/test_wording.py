import pytest

from memory.facts.wording import tells_apart


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The user keeps three hens.", "The user keeps four hens."),
        ("The user ran 5 km.", "The user ran 10 km."),
        ("The user swims on Tuesdays.", "The user swims on Wednesdays."),
        ("The user works from home.", "The user does not work from home."),
        ("The user smokes.", "The user no longer smokes."),
        ("The user eats meat.", "The user doesn’t eat meat."),
        ("The user prefers tea to coffee.", "The user prefers coffee to tea."),
        ("The user knows Tom.", "The user knows Tim."),
        ("The user's name is 陈静.", "The user's name is 陈明."),
        ("The user lives in Казань.", "The user lives in Москва."),
    ],
)
def test_one_word_can_make_another_fact(one: str, other: str):
    assert tells_apart(one, other)
    assert tells_apart(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The user likes green tea.", "The user loves green tea."),
        ("The user does not eat meat.", "The user never eats meat."),
        ("Tom is the user's brother.", "The user has a brother, Tom."),
        ("The user's budget is 2,000 euros.", "The user has a budget of 2,000 euros."),
        ("The user dislikes 香菜.", "The user hates 香菜."),
    ],
)
def test_other_words_alone_do_not(one: str, other: str):
    assert not tells_apart(one, other)
