"""A question for a value of the profile leads to the words that gave it."""

import pytest

from memory.models import Fact
from memory.recall.arms import profile
from tests.memory.recall.arms.story import ask, bring, tell


@pytest.fixture
def known(as_alice):
    tell(as_alice)
    return as_alice


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("What do I do for a living?", "I work as a nurse."),
        ("Wo wohne ich?", "I live in Porto."),
        ("我妻子叫什么名字？", "我的妻子叫王敏。"),
        ("What is my sister called?", "My sister Anna lives in Graz."),
        ("¿Cómo se llama mi hermana?", "Meine Schwester heißt Lena."),
    ],
)
def test_the_words_that_gave_it_are_brought_in_any_language(known, question, words):
    assert bring(profile.search, known, question)[words].signals == {"value": 0.9}


def test_it_answers_where_meaning_alone_would_not(known):
    found = ask(known, "What do I do for a living?").hits[0]
    assert found.text == "I work as a nurse."
    assert "profile" in found.parts
    assert "value of your profile" in found.reason


def test_a_question_that_asks_for_no_value_asks_the_database_nothing(
    known, django_assert_num_queries
):
    asked = _asked(known, "Which form does the tax office want?")
    with django_assert_num_queries(0):
        assert not list(profile.search(asked, 10))


def test_a_value_that_ended_counts_half(known):
    fact = Fact.objects.get(predicate="works_as")
    Fact.objects.filter(id=fact.id).update(status="superseded", valid_to=fact.valid_from)
    found = bring(profile.search, known, "What is my job?")
    assert found["I work as a nurse."].signals == {"value": 0.45}


def test_names_that_look_like_patterns_are_taken_as_they_stand(known):
    assert bring(profile.search, known, "What is my % _ job?") == {}


def _asked(user, message):
    from_story = []

    def keep(asked, most):
        from_story.append(asked)
        return []

    bring(keep, user, message)
    return from_story[0]
