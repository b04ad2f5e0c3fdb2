from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.mining.rules import extract
from memory.mining.types import WingGuess
from tests.memory.mining.chats import SAID_AT, chat, turn


def said(text: str) -> dict[str, str]:
    """Key and value of every fact in a message."""
    return {fact.key: fact.value for fact in extract(chat(text)).facts}


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("hey there! my name's Kofi Mensah and I need a hand", "name", "Kofi Mensah"),
        ("For context: I'm 41, I live in Ghent, and I love my job.", "home_city", "Ghent"),
        (
            "Since we moved to Wellington last spring, the kids have a garden.",
            "home_city",
            "Wellington",
        ),
        ("i live in new york", "home_city", "new york"),
        ("I'm allergic to bees, so be careful", "allergy_bees", "bees"),
        ("My birthday's date? My birthday is 12 June 1990.", "birthday", "12 June 1990"),
        ("Fun fact - I was born in Accra.", "birthplace", "Accra"),
        ("I'm Norwegian and I ski", "nationality_norwegian", "Norwegian"),
        ("I adore rainy mornings", "preference_rainy_mornings", "likes rainy mornings"),
        ("Honestly I can't stand coriander!", "preference_coriander", "dislikes coriander"),
        ("My favorite color is teal.", "favourite_colour", "teal"),
        ("My wife Noor and I want pizza", "spouse", "Noor"),
        ("Ravi is my younger brother.", "brother_ravi", "Ravi"),
        ("Our dog is called Biscuit", "dog_biscuit", "Biscuit"),
        ("I work at Maersk as a planner.", "employer", "Maersk"),
        ("I work at Maersk as a planner.", "occupation", None),
        ("I'm a paediatric nurse.", "occupation", "paediatric nurse"),
        ("I speak fluent Catalan", "speaks_catalan", "Catalan"),
        (
            "I play the accordion at weddings",
            "plays_accordion",
            "accordion",
        ),
        ("My goal is to read forty books this year.", "goal_read_forty_books_this_year", None),
        ("I'm training for the Oslo marathon", "goal_the_oslo_marathon", "the Oslo marathon"),
        ("I don't drink alcohol.", "avoids_alcohol", "alcohol"),
        ("my budget is about 900 euros", "budget", "900 euros"),
        ("I use Fedora with tmux at work", "uses_fedora_with_tmux", None),
        ("I'm building a small weather app", "project_a_small_weather_app", "a small weather app"),
        (
            "Remember that bin day is Thursday.",
            "remember_bin_day_is_thursday",
            "bin day is Thursday",
        ),
        ("Please never use bullet points", "instruction_never_use_bullet_points", None),
        ("Ich heiße Björn und wohne allein.", "name", "Björn"),
        ("Wir wohnen in Köln.", "home_city", "Köln"),
        ("Ich arbeite bei der Deutschen Bahn", "employer", "Deutschen Bahn"),
        ("Me llamo Inés.", "name", "Inés"),
        ("Vivo en Ciudad de México", "home_city", "Ciudad de México"),
        ("J'adore le fromage", "preference_fromage", "likes fromage"),
        ("Mon mari s'appelle Hugo.", "spouse", "Hugo"),
        ("Меня зовут Ольга.", "name", "Ольга"),
        ("Я живу в Самаре", "home_city", "Самаре"),
        ("我叫陈静。", "name", "陈静"),
        ("我喜欢游泳", "preference_游泳", "likes 游泳"),
        ("刘洋是我丈夫", "spouse", "刘洋"),
        ("请记住，周四收垃圾", "remember_周四收垃圾", "周四收垃圾"),
    ],
)
def test_ordinary_sentences_give_the_fact(text, key, value):
    found = said(text)
    assert key in found
    assert value is None or found[key] == value


@pytest.mark.parametrize(
    "text",
    [
        "Do I live in Paris?",
        "what's my name",
        "What if I live in Paris?",
        "Imagine I work at Google.",
        "If I worked at Google I would be rich.",
        "I wish I lived in Rome.",
        "I might like opera.",
        "I wouldn't say I love opera.",
        "He said I work at Google.",
        "Anna thinks I like golf",
        '"I live in Rome," said the cat.',
        "My neighbour lives in a castle.",
        "Tom loves jazz and works at Siemens.",
        "I'm tired.",
        "I'm so happy today!",
        "I am stuck on this error",
        "I want to know the capital of Peru.",
        "I'd like a summary, please.",
        "I like it, thanks!",
        "I love your answer",
        "Thanks, I really like the second version",
        "Can you write a poem about rain?",
        "I have a question.",
        "I'm looking for a hotel",
        "```\nI live in Rome\n```",
        "    > I live in Rome\n> my name is Bob",
        "Translate into German: I live in Rome and my name is Bob.",
        "Please proofread:\n\nMy name is Bob. I work at Google.",
        "2024-04-17 10:00:01 INFO my name is Bob",
        "From: Bob\nSubject: I work at Google",
        "user: I live in Rome",
        "<memory_context>I live in Rome. My name is Bob.</memory_context>",
        "Wohne ich in Rom?",
        "Falls ich in Rom wohne, was dann?",
        "¿Vivo en Roma?",
        "Si j'habite à Rome, que faire ?",
        "Если я живу в Риме",
        "我住在哪里？",
        "他住在罗马。",
        "",
        "🙂🙂🙂",
    ],
)
def test_what_is_no_fact_gives_none(text):
    assert said(text) == {}


@pytest.mark.parametrize("role", ["assistant", "tool", "system"])
def test_only_the_user_speaks_of_the_user(role):
    found = extract(chat(turn("I live in Rome. Remember that I love Acme Bank.", role)))
    assert found.facts == ()
    assert found.relations == ()


def test_a_role_play_is_doubted():
    text = "Let's role-play: I'm a nurse at Charité. I live in Rome."
    assert {fact.confidence for fact in extract(chat(text)).facts} == {0.45}


def test_a_question_after_a_statement_does_not_hide_it():
    assert said("I live in Zürich, do you know a good bakery?") == {"home_city": "Zürich"}
    assert said("Ich wohne in Bern, kannst du etwas empfehlen?") == {"home_city": "Bern"}


def test_facts_are_grounded_in_the_turn_as_it_was_given():
    words = "<memory_context>x</memory_context> Hi!\n\nWang Min is my wife.  I live in  Zürich now."
    facts = extract(chat(words)).facts
    assert [words[slice(*fact.span)] for fact in facts] == [fact.quote for fact in facts]
    assert [fact.quote for fact in facts] == ["Wang Min is my wife", "I live in  Zürich"]


def test_dated_events_are_placed_in_time():
    text = "I have a dentist appointment tomorrow at 3pm and my flight to Lisbon is on May 3."
    dentist, flight = extract(chat(text)).facts
    assert dentist.event_time == datetime(2024, 4, 18, 15, tzinfo=UTC)
    assert flight.event_time == datetime(2024, 5, 3, tzinfo=UTC)
    assert flight.key == "event_flight_to_lisbon_2024_05_03"
    assert "2024-05-03" in flight.statement


def test_since_when_something_is_true_is_kept():
    [fact] = extract(chat("I have been fine. I work at Maersk since 2019.")).facts
    assert fact.valid_from == datetime(2019, 1, 1, tzinfo=UTC)


def test_relations_and_entities_follow_from_facts():
    found = extract(chat("I live in Zürich. I work at Roche. Wang Min is my wife. I love to swim."))
    assert [(r.relation, r.object, r.single_valued) for r in found.relations] == [
        ("lives_in", "Zürich", True),
        ("works_at", "Roche", True),
        ("married_to", "Wang Min", True),
    ]
    assert {(e.name, e.type) for e in found.entities} == {
        ("Zürich", "place"),
        ("Roche", "organisation"),
        ("Wang Min", "person"),
    }


def test_what_is_over_ends_the_relation():
    found = extract(chat("I no longer work at Acme. I moved from Boston to Denver in January."))
    ended = {r.relation: r for r in found.relations if r.ended}
    assert ended["works_at"].object == "Acme"
    assert ended["works_at"].valid_to == turn("x").said_at
    assert ended["lives_in"].object == "Boston"
    assert [r.object for r in found.relations if not r.ended] == ["Denver"]


def test_liking_and_disliking_the_same_thing_share_a_key():
    liked, disliked = said("I love olives."), said("I don't like olives.")
    assert liked.keys() == disliked.keys()
    assert liked != disliked


def test_a_turn_gives_at_most_ten_facts():
    text = " ".join(f"I love thing{n}." for n in range(40))
    assert len(extract(chat(text)).facts) == 10


def test_only_the_beginning_of_an_endless_turn_is_analysed():
    text = "I live in Rome. " + "lorem ipsum dolor. " * 60_000 + "I work at Acme."
    assert said(text) == {"home_city": "Rome"}


@pytest.mark.parametrize("piece", ["I like ", "(", "我喜欢"])
def test_a_crafted_megabyte_is_read_to_the_end(piece):
    text = (piece * (1_000_000 // len(piece)))[:1_000_000]
    assert len(extract(chat(text, text)).placements) == 2


def test_every_minable_turn_is_placed_and_no_other():
    transcript = chat(
        turn("be kind", "system", 1),
        turn("Hi", sequence=2),
        turn("r", "tool", 3),
        turn(" ", sequence=4),
    )
    placed = [place.message_id for place in extract(transcript).placements]
    assert placed == [t.message_id for t in transcript.turns[1:3]]


def test_an_empty_window_is_understood_as_nothing():
    found = extract(chat())
    assert (found.placements, found.facts) == ((), ())
    assert found.wing == WingGuess("topic", "General")


WORDS = st.lists(
    st.sampled_from(
        [
            "I",
            "my",
            "like",
            "live in",
            "Zürich",
            "sister",
            "Anna",
            "is",
            "?",
            ".",
            ",",
            "not",
            "if",
            "\n",
            "我",
            "喜欢",
            "tomorrow",
            "```",
            '"',
            "remember that",
            "ich",
            "mag",
            "🙂",
            "<memory_context>",
            "</memory_context>",
            "May 3",
            "\u202e",
            "İ",
            "work at",
            "Acme",
            "and",
        ]
    ),
    max_size=40,
).map(" ".join)


@given(st.lists(WORDS, min_size=1, max_size=4))
def test_any_chat_gives_the_same_grounded_extraction_every_time(texts):
    transcript = chat(*texts)
    found = extract(transcript)
    assert found == extract(transcript)
    contents = {t.message_id: t.content for t in transcript.turns}
    for fact in found.facts:
        assert contents[fact.message_id][slice(*fact.span)] == fact.quote
        assert 5 <= len(fact.statement) <= 1_000
        assert fact.key
        assert fact.authority == "user"
    assert SAID_AT.tzinfo is not None
