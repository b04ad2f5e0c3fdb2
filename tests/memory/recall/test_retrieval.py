"""Recall with the real local model, where similarity in meaning matters, and its number of statements."""

import re
from dataclasses import replace
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import given
from hypothesis import strategies as st

from llm import current
from llm.embedding_models import BGE_SMALL, E5_SMALL, remote_model
from memory.aaak import Tags
from memory.preferences import change_preferences
from memory.recall.pipeline import ranking
from memory.recall.retrieval import uninformativeness
from memory.recall.types import trust_in_meaning
from memory.search.active_embedding import active_space_of
from tests.cases import cases
from tests.drills.ledger import NOW, converse, mine, remember
from tests.fake_gateway import FakeEmbedder
from tests.memory.palaces import Spot, file
from tests.memory.recall.asking import ask, question, texts

ABOUT_ME = (
    "I adopted a greyhound called Bruno from the shelter.",
    "My cardiologist told me to cut down on salt.",
    "We are repainting the kitchen in sage green.",
    "My train to Vienna leaves at seven on Friday.",
)


@pytest.fixture
def mined(as_alice):
    for number, words in enumerate(ABOUT_ME):
        converse(as_alice.id, words, at=NOW - timedelta(days=30 + number))
    mine(as_alice.id)
    return as_alice


def test_paraphrased_questions_find_the_answer_and_unrelated_ones_find_nothing(mined):
    assert current.embedder().model.name == "bge-small-en-v1.5-int8"
    expected = {
        "Which dog do I have at home?": 0,
        "What did my heart doctor advise me about food?": 1,
        "Which colour did we choose for the walls of our kitchen?": 2,
        "When do I travel to Austria by rail?": 3,
    }
    for message, at in expected.items():
        assert ask(mined, message).hits[0].text == ABOUT_ME[at]
    for message in ("What did I say about the Byzantine tax reform?", "Do I own any cryptocurrency?"):
        assert ask(mined, message).hits == ()
    assert ask(mined, "What kind of pet do I have?").trace.retrievers["vectors"].found == 4


LANGUAGES = {
    heading: [line.split(" | ") for line in lines]
    for heading, lines in cases(__file__, "languages.txt").items()
}


@pytest.mark.parametrize(("old", "new", "question"), LANGUAGES["changed"])
def test_what_replaced_an_earlier_value_comes_first_unless_its_time_is_named(as_alice, old, new, question):
    change_preferences(as_alice.id, {"embedding_model": E5_SMALL.name}, NOW)
    for days, said in ((60, old), (30, new)):
        remember(as_alice.id, said, at=NOW - timedelta(days=days))
    chosen = {"settings": {"embedding_model": E5_SMALL.name}}
    assert texts(ask(as_alice, question, **chosen)) == [new, old]
    if question == LANGUAGES["changed"][0][-1]:
        dated = question.replace("?", " am 4. Januar 2031?")
        assert texts(ask(as_alice, dated, **chosen)) == [old, new]


@pytest.mark.parametrize(("said", "nonsense"), LANGUAGES["nonsense"])
def test_nonsense_in_a_language_the_model_does_not_read_finds_nothing(as_alice, said, nonsense):
    remember(as_alice.id, said)
    assert active_space_of(as_alice.id).space.name == BGE_SMALL.name
    assert texts(ask(as_alice, nonsense)) == []


INFORMATIVE = [
    "My sister Anna is a vet in Porto.",
    "In May I moved to Porto.",
    "I'm vegan now, remember? I told you so on Monday.",
    "I have been to Lisbon with Anna and her two children for a whole week, would you believe that?",
    "Our wedding was such a lovely day by the lake with all of our old friends!",
    *("我上周搬到上海了。", "Я переехал в Казань прошлой весной.", "Wir haben im Mai am See geheiratet."),
    *("Wow, great! We married on the fourth of May.", "[shares a picture: a dog in the snow]"),
]
EMPTY = [
    *("How was the wedding?", "Wow, that is great!", "Thanks! Where did you marry?", "?!", ""),
    *("婚礼怎么样？", "Как прошла свадьба?", "كيف كان حفل الزفاف؟"),
]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *((text, 0.0) for text in INFORMATIVE),
        *((text, 1.0) for text in EMPTY),
        ("I moved to Porto.", 1 / 3),
        ("I'm vegan.", 1 / 2),
        ("Vegan.", 5 / 6),
    ],
)
def test_uninformativeness_of_messages(text, expected):
    assert uninformativeness(text) == pytest.approx(expected)


@given(st.text(max_size=300))
def test_uninformativeness_is_between_zero_and_one_for_any_text(text):
    assert 0.0 <= uninformativeness(text) <= 1.0


def test_questions_and_exclamations_rank_lower_unless_the_assistant_said_them(as_alice):
    said = [
        "How was the wedding of your sister?",
        "A wedding of your sister, wow!",
        "The wedding of my sister was by the lake, with forty people.",
    ]
    asking, exclamation, answer = file(as_alice.id, said)
    (queries,) = file(as_alice.id, ["Was the wedding of my sister by the lake?"], role="assistant")
    found = ranking(question(as_alice, "Where was the wedding of my sister?"))
    parts = {each.drawer_id: each.parts for each in found}
    assert "uninformative" not in parts[answer.id] | parts[queries.id]
    assert parts[asking.id]["uninformative"] == parts[exclamation.id]["uninformative"] == pytest.approx(-0.4)


def test_a_date_in_the_question_finds_what_was_said_about_that_day(as_alice):
    past, planned, other = (
        file(as_alice.id, [words], Spot(room=words, start=NOW - timedelta(days=5)), tags=Tags(times=times))[0]
        for words, *times in (
            ("Two weeks ago I saw a kestrel.", "Two weeks ago"),
            ("I will see a kestrel next month.", "next month"),
            ("I saw a kestrel.",),
        )
    )
    day = (NOW - timedelta(days=19)).date()
    request = question(as_alice, f"Which bird did I see on {day:%d %B %Y}, a kestrel?")
    scores = {each.drawer_id: each.scores for each in ranking(request)}
    assert scores[past.id]["about"] == 1.0
    assert scores[planned.id]["about"] == 0.0
    assert "about" not in scores[other.id]
    assert scores[past.id]["time"] > scores[planned.id].get("time", 0.0)
    undated = ranking(replace(request, message="Which bird did I see, a kestrel?"))
    assert [each for each in undated if "about" in each.scores] == []


def test_similarity_is_trusted_in_languages_the_model_reads():
    questions = ("Bruno?", "Where is my bicycle?", "Wo ist mein Fahrrad?", "我的自行车在哪里?")
    name, english, german, chinese = (trust_in_meaning(each, BGE_SMALL) for each in questions)
    assert name == english == 1.0 > german > chinese > 0.0
    for model in (remote_model("bge-m3"), replace(BGE_SMALL, languages=("en", "zh"))):
        assert trust_in_meaning("我的自行车在哪里?", model) == 1.0


MAX_STATEMENTS = 16
"""Statements of one recall: model, endpoint and budget, full text twice, vectors three ways, known facts,
candidates, hits, profile."""
TRANSACTION_CONTROL = re.compile("SAVEPOINT|statement_timeout")


@pytest.mark.parametrize("chats", [3, 12])
def test_the_number_of_statements_does_not_depend_on_what_is_found(as_alice, embedder, chats):
    said = "When Vera was in Oslo I sold canoe number {}. I like jazz and I live in Porto."
    for number in range(chats):
        converse(as_alice.id, said.format(number), "Well done.")
    mine(as_alice.id)
    message = "What did I do with the canoe when Vera was in Oslo?"
    settings = {"time_limit_ms": 60_000, "top_k": 3}
    ask(as_alice, message, settings=settings)  # prepares the queries
    with CaptureQueriesContext(connection) as statements:
        found = ask(as_alice, message, settings=settings)
    assert len(found.hits) == 3
    assert found.profile
    queries = [each["sql"] for each in statements if not TRANSACTION_CONTROL.search(each["sql"])]
    assert len(queries) <= MAX_STATEMENTS, "\n".join(queries)


DOG = "My dog Bruno is a greyhound and hates thunder."
MEALS = (
    "Can you help me to plan the meals of the coming week, with many vegetables and little meat? "
    "By the way, I replaced the old kitchen tap on Sunday. "
    "Something quick for the evenings would be best, since both of us come home late from work."
)


def test_a_single_sentence_of_a_message_about_something_else_is_found(as_alice):
    with current.using(embedder=FakeEmbedder(sentences=True)):
        remember(as_alice.id, MEALS)
        (candidate,) = ask(as_alice, "When did I replace the kitchen tap?").trace.considered
    start, end = candidate.span
    assert candidate.scores["sentence"] == 1.0
    assert MEALS[start:end].strip() == "By the way, I replaced the old kitchen tap on Sunday."


def test_recall_as_of_a_past_day_sees_nothing_said_later(as_alice, embedder):
    def found(asked_at, called_at):
        return DOG in texts(ask(as_alice, "What is my dog called?", now=asked_at, called_at=called_at))

    remember(as_alice.id, DOG, "Splendid beasts.")
    earlier = NOW - timedelta(days=400)
    assert not found(earlier, NOW)
    assert found(NOW - timedelta(hours=1), NOW)
    assert found(earlier, earlier), "today nothing is hidden, whatever the clock of an import said"
