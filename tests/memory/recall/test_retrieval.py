"""Recall with the real local model, where likeness in meaning matters."""

import re
from dataclasses import replace
from datetime import timedelta

import pytest
from django.db import connection
from hypothesis import given
from hypothesis import strategies as st

from llm import current
from llm.embedding_models import BGE_SMALL, remote_model
from memory.aaak import Tags
from memory.recall.pipeline import ranking, recall
from memory.recall.retrieval import says_little
from memory.recall.retrievers.types import trust_in_meaning
from memory.recall.types import RecallRequest, RecallSettings
from tests.drills.ledger import NOW, converse, mine
from tests.fake_gateway import FakeEmbedder
from tests.memory.palaces import Spot, file

ABOUT_ME = (
    "I adopted a greyhound called Bruno from the shelter.",
    "My cardiologist statements_sent me to cut down on salt.",
    "We are repainting the kitchen in sage green.",
    "My train to Vienna leaves at seven on Friday.",
)


@pytest.fixture
def remembered(as_alice):
    for number, words in enumerate(ABOUT_ME):
        converse(as_alice.id, words, at=NOW - timedelta(days=30 + number))
    mine(as_alice.id)
    return as_alice


def ask(user, message):
    settings = RecallSettings(time_limit_ms=5_000)
    return recall(RecallRequest(user.id, message, NOW, settings=settings))


def test_other_words_for_the_same_thing_find_it_and_what_was_never_said_does_not(remembered):
    assert current.embedder().model.name == "bge-small-en-v1.5-int8"
    wanted = {
        "Which dog do I have at home?": 0,
        "What did my heart doctor advise me about food?": 1,
        "Which colour did we choose for the walls of our kitchen?": 2,
        "When do I travel to Austria by rail?": 3,
    }
    for message, at in wanted.items():
        assert ask(remembered, message).hits[0].text == ABOUT_ME[at]
    for message in ("What did I say about the Byzantine tax reform?", "Do I own any cryptocurrency?"):
        assert ask(remembered, message).hits == ()
    assert ask(remembered, "What kind of pet do I have?").trace.retrievers["vectors"].found == 4


INFORMATIVE = [
    "My sister Anna is a vet in Porto.",
    "In May I moved to Porto.",
    "I'm vegan now, remember? I statements_sent you so on Monday.",
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
    ("text", "little"),
    [
        *((text, 0.0) for text in INFORMATIVE),
        *((text, 1.0) for text in EMPTY),
        ("I moved to Porto.", 1 / 3),
        ("I'm vegan.", 1 / 2),
        ("Vegan.", 5 / 6),
    ],
)
def test_how_uninformative_a_message_is(text, little):
    assert says_little(text) == pytest.approx(little)


@given(st.text(max_size=300))
def test_informativeness_is_a_share_for_any_text(text):
    assert 0.0 <= says_little(text) <= 1.0


def test_questions_and_cheers_rank_lower_unless_the_assistant_said_them(as_alice):
    texts = [
        "How was the wedding of your sister?",
        "A wedding of your sister, wow!",
        "The wedding of my sister was by the lake, with forty people.",
    ]
    question, cheer, answer = file(as_alice.id, texts)
    (asked,) = file(as_alice.id, ["Was the wedding of my sister by the lake?"], role="assistant")
    request = RecallRequest(as_alice.id, "Where was the wedding of my sister?", NOW)
    parts = {each.drawer_id: each.parts for each in ranking(request)}
    assert "little" not in parts[answer.id] | parts[asked.id]
    assert parts[question.id]["little"] == parts[cheer.id]["little"] == pytest.approx(-0.4)


def test_a_date_in_the_question_finds_what_was_said_about_that_day(as_alice):
    told, planned, other = (
        file(as_alice.id, [words], Spot(room=words, start=NOW - timedelta(days=5)), tags=Tags(times=times))[0]
        for words, *times in (
            ("Two weeks ago I saw a kestrel.", "Two weeks ago"),
            ("I will see a kestrel next month.", "next month"),
            ("I saw a kestrel.",),
        )
    )
    day = (NOW - timedelta(days=19)).date()
    request = RecallRequest(as_alice.id, f"Which bird did I see on {day:%d %B %Y}, a kestrel?", NOW)
    scores = {each.drawer_id: each.scores for each in ranking(request)}
    assert scores[told.id]["about"] == 1.0
    assert scores[planned.id]["about"] == 0.0
    assert "about" not in scores[other.id]
    assert scores[told.id]["time"] > scores[planned.id].get("time", 0.0)
    undated = ranking(replace(request, message="Which bird did I see, a kestrel?"))
    assert not any("about" in each.scores for each in undated)


def test_similarity_is_trusted_in_languages_the_model_reads():
    questions = ("Bruno?", "Where is my bicycle?", "Wo ist mein Fahrrad?", "我的自行车在哪里?")
    name, english, german, chinese = (trust_in_meaning(question, BGE_SMALL) for question in questions)
    assert name == english == 1.0 > german > chinese > 0.0
    for model in (remote_model("bge-m3"), replace(BGE_SMALL, languages=("en", "zh"))):
        assert trust_in_meaning("我的自行车在哪里?", model) == 1.0


MAX_ITEMS = 16
"""Statements of one recall: model, endpoint and budget, full text twice, vectors three ways, known facts,
candidates, hits, profile."""
PAPERWORK = re.compile("SAVEPOINT|statement_timeout")


@pytest.fixture
def statements_sent():
    statements = []

    def note(execute, sql, params, many, context):
        statements.append(sql)
        return execute(sql, params, many, context)

    with current.using(embedder=FakeEmbedder()), connection.execute_wrapper(note):
        yield statements


def ask_for(user, message, top_k):
    settings = RecallSettings(time_limit_ms=60_000, top_k=top_k)
    return recall(RecallRequest(user.id, message, NOW, settings=settings))


@pytest.mark.parametrize("chats", [3, 30])
def test_the_number_of_statements_does_not_depend_on_what_is_found(as_alice, statements_sent, chats):
    for number in range(chats):
        converse(
            as_alice.id,
            f"When Vera was in Oslo I sold canoe number {number}. I like jazz and I live in Porto.",
            "Well done.",
        )
    mine(as_alice.id)
    statements_sent.clear()
    found = ask_for(as_alice, "What did I do with the canoe when Vera was in Oslo?", 3)
    assert len(found.hits) == 3
    assert found.profile
    asked = [sql for sql in statements_sent if not PAPERWORK.search(sql)]
    assert len(asked) <= MAX_ITEMS, "\n".join(asked)


DOG = "My dog Bruno is a greyhound and hates thunder."
MEALS = (
    "Can you help me to plan the meals of the coming week, with many vegetables and little meat? "
    "By the way, I replaced the old kitchen tap on Sunday. "
    "Something quick for the evenings would be best, since both of us come home late from work."
)


@pytest.fixture
def mined(as_alice):
    with current.using(embedder=FakeEmbedder()):
        converse(as_alice.id, DOG, "Splendid beasts.")
        mine(as_alice.id)
        yield as_alice


def texts(found):
    return [hit.text for hit in found.hits]


def test_one_sentence_of_a_message_about_something_else_is_found(as_alice):
    with current.using(embedder=FakeEmbedder(sentences=True)):
        converse(as_alice.id, MEALS)
        mine(as_alice.id)
        (candidate,) = recall(
            RecallRequest(as_alice.id, "When did I replace the kitchen tap?", NOW)
        ).trace.considered
    start, end = candidate.span
    assert candidate.scores["sentence"] == 1.0
    assert MEALS[start:end].strip() == "By the way, I replaced the old kitchen tap on Sunday."


def test_recall_as_of_a_past_day_sees_nothing_said_later(mined):
    def dogs(asked_at, called_at):
        return texts(recall(RecallRequest(mined.id, "What is my dog called?", asked_at, called_at=called_at)))

    earlier = NOW - timedelta(days=400)
    assert dogs(earlier, NOW) == []
    assert DOG in dogs(NOW - timedelta(hours=1), NOW)
    assert DOG in dogs(earlier, earlier), "today nothing is hidden, whatever the clock of an import said"
