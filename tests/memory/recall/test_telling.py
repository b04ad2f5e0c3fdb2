import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.recall.pipeline import ranking
from memory.recall.telling import says_little
from memory.recall.types import RecallRequest
from tests.drills.ledger import NOW
from tests.memory.palaces import file

TELLING = [
    "My sister Anna is a vet in Porto.",
    "In May I moved to Porto.",
    "I'm vegan now, remember? I told you so on Monday.",
    "I have been to Lisbon with Anna and her two children for a whole week, would you believe that?",
    "Wow, great! We married on the fourth of May.",
    "Our wedding was such a lovely day by the lake with all of our old friends!",
    "我上周搬到上海了。",
    "Я переехал в Казань прошлой весной.",
    "Wir haben im Mai am See geheiratet.",
    "[shares a picture: a dog in the snow]",
]
EMPTY = [
    "How was the wedding?",
    "Wow, that is great!",
    "Thanks! Where did you marry?",
    "婚礼怎么样？",
    "Как прошла свадьба?",
    "كيف كان حفل الزفاف؟",
    "?!",
    "",
]


@pytest.mark.parametrize("text", TELLING)
def test_what_tells_something_loses_nothing(text):
    assert says_little(text) == 0.0


@pytest.mark.parametrize("text", EMPTY)
def test_what_only_asks_or_cheers_says_little(text):
    assert says_little(text) == 1.0


def test_a_word_or_two_say_something():
    assert says_little("I moved to Porto.") == pytest.approx(1 / 3)
    assert says_little("I'm vegan.") == pytest.approx(1 / 2)
    assert says_little("Vegan.") == pytest.approx(5 / 6)


@given(st.text(max_size=300))
def test_it_is_a_share_for_any_text(text):
    assert 0.0 <= says_little(text) <= 1.0


def test_questions_and_cheers_about_it_stand_back(as_alice):
    question, cheer, answer = file(
        as_alice.id,
        [
            "How was the wedding of your sister?",
            "A wedding of your sister, wow!",
            "The wedding of my sister was by the lake, with forty people.",
        ],
    )
    request = RecallRequest(as_alice.id, "Where was the wedding of my sister?", NOW)
    parts = {each.drawer_id: each.parts for each in ranking(request)}
    assert "little" not in parts[answer.id]
    assert parts[question.id]["little"] == parts[cheer.id]["little"] == pytest.approx(-0.4)


def test_what_the_assistant_or_a_tool_said_is_not_judged_by_its_length(as_alice):
    file(as_alice.id, ["Was the wedding by the lake?"], role="assistant")
    (only,) = ranking(RecallRequest(as_alice.id, "Where was the wedding by the lake?", NOW))
    assert "little" not in only.parts
