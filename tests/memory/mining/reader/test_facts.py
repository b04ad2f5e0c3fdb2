"""Facts from the predictions of a scripted network."""

from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest

from memory.mining.reader import facts, mentions
from memory.mining.reader.decoding import whole_words
from memory.mining.reader.network import Prediction
from memory.mining.reader.predicates import KINDS, NAMES, PREDICATES
from memory.mining.reader.sentences import sentence_numbers, sentences
from tests.memory.mining.chats import turn

SURE, LIKELY, HARDLY = 3.0, 0.5, -3.0


class Scripted:
    """A network that sees the given values, one token a word; calibrated on the first feature alone."""

    calibration = 2 * np.eye(33 + len(KINDS))[0]

    def __init__(self, *seen: tuple[str, str], logit: float = SURE, ended: bool = False) -> None:
        self.seen, self.logit, self.ended = seen, logit, ended

    def predict(self, texts):
        return [[self._beliefs(text)] if text else [] for text in texts]

    def _beliefs(self, text):
        spans = list(_words(text))
        count, outside = len(spans), 1 / (1 + np.exp(self.logit))
        tags = np.tile(np.array([0.99, 0.005, 0.005]), (count, 1))
        predicates = np.full((count, len(NAMES)), 1e-3)
        for value, predicate in self.seen:
            start = text.find(value)
            inside = [
                i for i, (a, b) in enumerate(spans) if start >= 0 and a < start + len(value) and b > start
            ]
            for order, at in enumerate(inside):
                tags[at] = [outside, 0.9 - outside, 0.1] if order == 0 else [outside, 0.1, 0.9 - outside]
                predicates[at, NAMES.index(predicate)] = 1
        sentence = sentence_numbers(spans, sentences(text))
        return Prediction(
            spans=spans,
            sentence=sentence,
            tags=tags,
            predicates=predicates,
            ended=np.full(count, float(self.ended)),
            kinds=np.full((sentence[-1] + 1, len(KINDS)), 0.9),
            any=np.full(sentence[-1] + 1, 0.9),
        )


def _words(text):
    at = 0
    for word in text.split(" "):
        if word:
            yield at, at + len(word)
        at += len(word) + 1


def read(text, *seen, **how):
    said = replace(turn(text), said_at=datetime(2026, 11, 23, 12, tzinfo=UTC))
    return facts.read([said], Scripted(*seen, **how))


def test_a_predicted_value_becomes_a_fact_with_its_quote():
    [fact] = read("Hello! Leeds is where I live these days. Any tips?", ("Leeds", "lives_in"))
    assert (fact.kind, fact.key, fact.value) == ("identity", "home_city", "Leeds")
    assert fact.statement == "The user lives in Leeds."
    assert fact.quote == "Leeds is where I live these days"
    assert (fact.location, fact.single_valued, fact.unsure) == ("Leeds", True, False)
    assert fact.confidence == pytest.approx(0.953, abs=0.001)


def test_uncertain_facts_are_unsure_and_unlikely_ones_are_dropped():
    words = "Leeds is my home."
    [fact] = read(words, ("Leeds", "lives_in"), logit=LIKELY)
    assert fact.unsure
    assert read(words, ("Leeds", "lives_in"), logit=HARDLY) == []


@pytest.mark.parametrize(
    ("words", "seen", "objects"),
    [
        ("I can't stand them.", ("them", "dislikes"), []),
        ("I'm on page 489 now.", ("489", "aged"), []),
        ("I have a birthday party for Ann in May.", ("birthday party for", "has_event"), ["birthday party"]),
        ("I'm going to The Hague.", ("The Hague", "travels_to"), ["The Hague"]),
        ("My phone is a Pixel 8 now.", ("Pixel", "owns"), ["Pixel 8"]),
        ("I shoot with a Canon EOS 80D.", ("Canon EOS", "owns"), ["Canon EOS 80D"]),
        ("My daughter Wren Ada starts school", ("Wren Ada starts", "parent_of"), ["Wren Ada"]),
        ("I work at St James's Hospital, mostly", ("St James", "works_at"), ["St James's Hospital"]),
        ("My favourite restaurant is Bulrush now", ("Bulrush now", "favourite"), ["Bulrush"]),
        ("I'm packing for the Kyoto trip now.", ("the Kyoto trip", "travels_to"), ["Kyoto"]),
    ],
)
def test_a_value_is_adjusted_to_the_whole_name(words, seen, objects):
    assert [fact.object for fact in read(words, seen)] == objects


def test_adjacent_parts_of_a_value_are_joined():
    [job] = read("I'm a senior nurse", ("senior", "works_as"), ("nurse", "works_as"))
    assert job.object == "senior nurse"
    for town in ("works_at", "lives_in"):
        [school] = read("I teach at a school in Leeds.", ("a school", "works_at"), ("Leeds", town))
        assert (school.predicate, school.object) == ("works_at", "a school in Leeds")


@pytest.mark.parametrize(
    ("words", "seen", "statement"),
    [
        (
            "I'm going to the Alps in May.",
            ("Alps", "travels_to"),
            "The user is planning a trip to the Alps (about 2027-05).",
        ),
        ("My new phone is a Pixel 6.", ("Pixel 6", "owns"), "The user's phone is a Pixel 6."),
        ("My car is the Ami 8.", ("Ami 8", "owns"), "The user owns the Ami 8."),
        ("I bought the new MacBook.", ("MacBook", "owns"), "The user owns a new MacBook."),
        ("I live at 12 Elm Road.", ("12 Elm Road", "lives_in"), "The user lives at 12 Elm Road."),
        ("We moved to Mölndal on Friday.", ("Mölndal", "moves_to"), "The user lives in Mölndal."),
        ("We are moving to Mölndal.", ("Mölndal", "moves_to"), "The user is planning to move to Mölndal."),
        ("I'm turning 35 on 3 March.", ("35 on 3 March", "born_on"), "The user's birthday is 3 March."),
        (
            "My budget for the bicycle is 400 euros.",
            ("400 euros", "has_budget"),
            "The user's budget for the bicycle is 400 euros.",
        ),
        ("I walk with my wife.", ("wife", "has_family"), "The user has a wife."),
        ("I drive a 2018 Honda.", ("2018 Honda", "owns"), "The user owns a 2018 Honda."),
        ("I have a degree in law.", ("in law", "has_degree"), "The user has a degree: law."),
        ("My dogs love the park.", ("dogs", "has_pet"), "The user has dogs."),
        ("That rare book I own burned.", ("rare book", "owns"), "The user owns a rare book."),
        ("Sold us their generator.", ("generator", "owns"), "The user said: “Sold us their generator”"),
        ("I'm trying to come up.", ("to come up", "works_on"), "The user said: “I'm trying to come up”"),
        (
            "So, I skip breakfast on weekdays. Why?",
            ("skip breakfast", "habit"),
            "The user said: “So, I skip breakfast on weekdays”",
        ),
        ("I'm packing for the Kyoto trip.", ("Kyoto", "travels_to"), "The user is planning a trip to Kyoto."),
    ],
)
def test_statements_have_the_article_of_their_value_or_quote_a_clause(words, seen, statement):
    [fact] = read(words, seen)
    assert fact.statement == statement


@pytest.mark.parametrize(
    ("words", "seen", "statements"),
    [
        (
            "I have two cats, Miso and Nori, and a tortoise named Shelly.",
            [(name, "has_pet") for name in ("Miso", "Nori", "Shelly")],
            ["Miso is the user's cat.", "Nori is the user's cat.", "Shelly is the user's tortoise."],
        ),
        (
            "My favourite colour is green, and my favourite band is The National.",
            [("green", "favourite"), ("The National", "favourite")],
            ["The user's favourite colour is green.", "The user's favourite band is The National."],
        ),
        (
            "Ramen is my favourite food and Alien is my favourite film.",
            [("Ramen", "favourite"), ("Alien", "favourite")],
            ["The user's favourite food is Ramen.", "The user's favourite film is Alien."],
        ),
        ("My sister visited Tom, my brother.", [("Tom", "sibling_of")], ["Tom is the user's brother."]),
        (
            "I take vitamin C. Zinc helps me.",
            [("vitamin C", "takes"), ("Zinc", "takes")],
            ["vitamin C.", "zinc."],
        ),
        (
            "My budget for the bike is 400 euros and my budget for the sofa is 800 euros.",
            [("400 euros", "has_budget"), ("800 euros", "has_budget")],
            ["budget for the bike is 400 euros", "budget for the sofa is 800 euros"],
        ),
        (
            "My budget for the kitchen is 5000 euros and 3000 euros for the bath.",
            [("5000 euros", "has_budget"), ("3000 euros", "has_budget")],
            ["budget for the kitchen is 5000 euros", "budget is 3000 euros"],
        ),
        ("I live in Area 51.", [("Area 51", "lives_in")], ["lives in Area 51."]),
        (
            "Call me May instead of Maya.",
            [("May", "nickname"), ("Maya", "nickname")],
            ["likes to be called May"],
        ),
        ("I go by Liz instead of Elizabeth.", [("Liz instead of Elizabeth", "nickname")], ["called Liz."]),
        (
            "My favourite author is Ursula K. Le Guin.",
            [("Ursula K", "favourite"), ("Le Guin", "favourite")],
            ["The user's favourite author is Ursula K. Le Guin."],
        ),
        ("I see Dr. Weber on Friday", [("see Dr", "has_event")], ["I see Dr. Weber on Friday"]),
        (
            "My sister Katja and her husband Olaf came.",
            [("Katja", "sibling_of"), ("Olaf", "sibling_of")],
            ["Katja is the user's sister."],
        ),
        ("We are getting married in June.", [("getting married", "has_event")], ["We are getting married"]),
        ("Is the trail safe for the dogs, I ask.", [("dogs", "has_pet")], []),
        ("I heard Elin is getting married in June.", [("getting married", "has_event")], []),
        ("Elin is getting married in June.", [("getting married", "has_event")], []),
    ],
)
def test_each_value_has_what_its_own_part_of_the_sentence_says(words, seen, statements):
    found = [fact.statement for fact in read(words, *seen)]
    assert len(found) == len(statements)
    assert all(wanted in statement for wanted, statement in zip(statements, found, strict=True))


@pytest.mark.parametrize(
    ("words", "ended"),
    [
        ("I no longer eat meat", False),
        ("I no longer eat meat because I hate it", False),
        ("I avoid meat and no longer smoke", False),
        ("I hate meat and no longer buy it", False),
        ("I no longer avoid meat", True),
        ("I don't avoid meat any more", True),
    ],
)
def test_what_somebody_no_longer_does_is_avoided(words, ended):
    [fact] = read(words, ("meat", "avoids"), ended=ended)
    assert fact.ended is ended


@pytest.mark.parametrize(
    ("words", "seen"),
    [
        ("My boss, Priya, is leaving in March", ("Priya", "reports_to")),
        ("My boss Maria quit in March", ("Maria", "reports_to")),
        ("My daughter Freya starts school in August", ("Freya", "parent_of")),
        ("I want to lose weight by August", ("lose weight", "wants")),
        ("I am a butcher, and went veggie last year", ("butcher", "works_as")),
    ],
)
def test_dates_of_something_else_do_not_begin_a_fact(words, seen):
    [fact] = read(words, seen)
    assert fact.valid_from is None


def test_an_uncertain_request_to_remember_is_dropped():
    words = "We met near the pier."
    assert read(words, ("met near the pier", "asked_to_remember"), logit=LIKELY) == []


def test_pasted_text_and_other_speakers_yield_no_facts():
    assert read("Translate this:\nI live in Leeds.", ("Leeds.", "lives_in")) == []
    assistant = turn("I live in Leeds", "assistant")
    assert facts.read([assistant], Scripted(("Leeds", "lives_in"))) == []


@pytest.mark.parametrize(
    ("words", "name", "predicate", "statement", "key"),
    [
        ("my daughter Wren is 7", "Wren", "parent_of", "Wren is the user's daughter.", "daughter_wren"),
        ("It's my son Tom", "Tom", "parent_of", "Tom is the user's son.", "son_tom"),
        ("mein Bruder Jan kommt", "Jan", "sibling_of", "Jan is the user's brother.", "brother_jan"),
        ("Ann and I work together", "Ann", "colleague_of", "Ann is the user's colleague.", "colleague_ann"),
        ("mi gato Miso", "Miso", "has_pet", "Miso is the user's cat.", "cat_miso"),
        ("Tom and I married", "Tom", "married_to", "The user is married to Tom.", "spouse"),
        ("My favorite film is Up", "Up", "favourite", "The user's favourite film is Up.", "favourite_film"),
    ],
)
def test_people_pets_and_favourites_are_described_as_the_user_calls_them(
    words, name, predicate, statement, key
):
    [fact] = read(words, (name, predicate))
    persons = () if predicate in ("has_pet", "favourite") else (name,)
    assert (fact.statement, fact.key, fact.persons) == (statement, key, persons)


def test_a_named_relative_yields_only_one_fact():
    [fact] = read("my daughter Wren is 7", ("daughter", "has_family"), ("Wren", "parent_of"))
    assert fact.predicate == "parent_of"


def test_a_little_of_a_language_is_no_part_of_its_name():
    for words in ("I speak a little Japanese", "I speak English and a little Japanese"):
        [fact] = read(words, ("little Japanese", "speaks"))
        assert (fact.object, fact.statement) == ("Japanese", "The user speaks a little Japanese.")


def test_likes_and_dislikes_of_one_thing_share_a_key():
    [likes], [dislikes] = read("I love tea", ("tea", "likes")), read("I hate tea", ("tea", "dislikes"))
    assert likes.key == dislikes.key
    assert (likes.value, dislikes.value) == ("likes tea", "dislikes tea")


@pytest.mark.parametrize(
    ("words", "value", "predicate", "since"),
    [
        ("I have lived in Leeds since March 2019", "Leeds", "lives_in", "2019-03-01"),
        ("Ich wohne seit 2019 in Leeds", "Leeds", "lives_in", "2019-01-01"),
        ("I moved to Leeds in May", "Leeds", "lives_in", "2026-05-01"),
        ("I live in Leeds", "Leeds", "lives_in", None),
        ("On Monday 3 May 2021 it rained and I live in Leeds", "Leeds", "lives_in", None),
        ("Home has been Leeds since the end of March", "Leeds", "lives_in", "2026-03-21"),
    ],
)
def test_the_start_of_a_fact_is_read_from_its_sentence(words, value, predicate, since):
    [fact] = read(words, (value, predicate))
    assert (fact.valid_from and fact.valid_from.date().isoformat()) == since


def test_an_event_has_its_day_and_time():
    [fact] = read("I see the dentist on Friday at 3pm", ("dentist", "has_event"))
    assert fact.event_time == datetime(2026, 11, 27, 15, tzinfo=UTC)
    assert fact.statement == "The user said: “I see the dentist on Friday at 3pm” (2026-11-27)."
    assert fact.key == "event_dentist_2026_11_27"
    [past] = read("I ran the marathon last year", ("ran the marathon", "experienced"))
    assert past.statement.endswith("(about 2025).")


def test_an_ended_fact_is_marked_and_dated():
    [fact] = read("I left Opel in May", ("Opel", "works_at"), ended=True)
    assert (fact.ended, fact.valid_to) == (True, datetime(2026, 6, 1, tzinfo=UTC))


@pytest.mark.parametrize(
    ("words", "ended"),
    [
        ("I no longer live in Leeds", True),
        ("I don't live in Leeds any more, so what now?", True),
        ("Ich wohne nicht mehr in Leeds", True),
        ("Je n'habite plus à Leeds", True),
        ("Back then I was still living in Leeds", True),
        ("I live in Leeds, and I no longer smoke", False),
    ],
)
def test_phrases_mark_a_fact_as_ended(words, ended):
    [fact] = read(words, ("Leeds", "lives_in"))
    assert fact.ended is ended


@pytest.mark.parametrize(
    ("words", "value", "predicate", "ended"),
    [
        ("I don't eat meat any more", "meat", "avoids", False),
        ("I used to play drums", "drums", "plays", True),
        ("I used to paint the sea", "paint the sea", "experienced", False),
        ("I used to live in Berlin and now I live in Munich", "Munich", "lives_in", False),
        ("We used to rent but we own a boat", "boat", "owns", False),
    ],
)
def test_no_longer_and_used_to_end_only_the_facts_they_apply_to(words, value, predicate, ended):
    assert [fact.ended for fact in read(words, (value, predicate)) if fact.object == value] == [ended]


@pytest.mark.parametrize(
    ("words", "value", "predicate", "key", "kept"),
    [
        ("My new phone is a Pixel 6 and full", "Pixel 6", "owns", "phone", "Pixel 6"),
        ("Mine? The battery in my e-bike is a Bosch", "Bosch", "owns", "e_bike_battery", "Bosch"),
        ("I miss my trusty Pixel", "Pixel", "owns", "owns_pixel", "Pixel"),
        ("Back to work at St James's soon", "at St James's", "works_at", "employer", "St James's"),
    ],
)
def test_the_key_of_a_possession_is_what_the_user_calls_it(words, value, predicate, key, kept):
    [fact] = read(words, (value, predicate))
    assert (fact.key, fact.value, fact.single_valued) == (key, kept, "_pixel" not in key)


@pytest.mark.parametrize(
    ("words", "value", "predicate", "ends_another"),
    [
        ("I'm a cellist", "cellist", "works_as", True),
        ("I work as a senior nurse now", "senior nurse", "works_as", True),
        ("I was promoted to head chef", "head chef", "works_as", True),
        ("I teach at a small music school", "teach", "works_as", False),
        ("I'm also a coach", "coach", "works_as", False),
        ("On the side I work as a barista", "barista", "works_as", False),
        ("Ich arbeite nebenbei als Kellner", "Kellner", "works_as", False),
        ("I live in Leeds", "Leeds", "lives_in", True),
        ("I live near the sea", "near the sea", "lives_in", False),
        ("Mira is my wife", "Mira", "married_to", True),
        ("My wife is a cellist", "wife", "married_to", False),
    ],
)
def test_only_an_answer_to_the_same_question_ends_another_value(words, value, predicate, ends_another):
    [fact] = read(words, (value, predicate))
    assert fact.single_valued is ends_another


def test_values_of_one_sentence_do_not_end_each_other():
    found = read("I'm a nurse and a poet", ("nurse", "works_as"), ("poet", "works_as"))
    assert [(fact.object, fact.single_valued) for fact in found] == [("nurse", True), ("poet", False)]
    [home] = read("I live in Graça, on a hill in Lisbon", ("Graça,", "lives_in"), ("Lisbon", "lives_in"))
    assert home.object == "Graça"
    found = read("I live in Graça. Lisbon is home", ("Graça.", "lives_in"), ("Lisbon", "lives_in"))
    assert [fact.object for fact in found] == ["Graça", "Lisbon"]


def test_abbreviations_do_not_end_a_sentence():
    text = "Dr. Who was born am 14. Mai 1992. He had 3. Then he left."
    parts = [text[slice(*span)].strip() for span in sentences(text)]
    assert parts == ["Dr. Who was born am 14. Mai 1992.", "He had 3.", "Then he left."]


def test_a_former_job_also_ends_the_current_one():
    former, ended = read("I used to work at Opel", ("Opel", "worked_at"))
    assert (former.kind, former.ended) == ("experience", False)
    assert (ended.predicate, ended.key, ended.ended) == ("works_at", "employer", True)


def test_a_past_stay_has_a_start_and_an_end():
    fact, _ = read("I lived in Rome from 2016 to 2019", ("Rome", "lived_in"))
    assert (fact.valid_from.year, fact.valid_to) == (2016, datetime(2020, 1, 1, tzinfo=UTC))


def test_long_sentences_are_quoted_around_the_value():
    words = f"{'so it goes on and on, ' * 20}I live in Leeds, {'and on and on, ' * 20}"
    [fact] = read(words, ("Leeds,", "lives_in"))
    assert "I live in Leeds" in fact.quote
    assert len(fact.quote) <= 2 * mentions.MAX_QUOTE_LENGTH
    assert words[slice(*fact.span)] == fact.quote


def test_every_predicate_has_a_kind_a_key_and_a_statement():
    for predicate in PREDICATES.values():
        [fact, *_] = read("we spend and, married, were born as beta gamma", ("beta", predicate.name))
        assert fact.kind == predicate.kind
        assert fact.key
        assert "{" not in fact.statement + fact.key
        assert fact.statement.endswith((".", "”"))


PAGE = "Ann, 34\nUniversity of York\nNurse\n\nAbout me\nLeeds is my home\nLikes\nTea"


@pytest.mark.parametrize(
    ("text", "value", "predicate", "unsure"),
    [
        ("Kimura is my son, he is four", "Kimura", "parent_of", False),
        ("We are expecting Kimura any day now", "Kimura", "parent_of", False),
        ("Beatriz here, hello again", "Beatriz", "named", False),
        ("I can spend 1,150 euros.", "1,150 euros", "has_budget", False),
        (f"Would you reply?\n\n{PAGE}\n\nThanks!", "Leeds", "lives_in", True),
        ("You are a pirate. I live in Leeds.", "Leeds", "lives_in", True),
    ],
)
def test_facts_from_a_pasted_page_or_role_play_are_unsure(text, value, predicate, unsure):
    [fact] = read(text, (value, predicate))
    assert fact.unsure is unsure


@pytest.mark.parametrize(
    ("text", "value", "predicate"),
    [
        ("Kimura will listen by video, at three in the morning", "Kimura", "parent_of"),
        ("And the concert is streamed from Kyoto, for once", "Kyoto", "friend_of"),
        ("Beatriz, as always", "Beatriz", "named"),
        ("Anna ist meine Chefin", "Anna", "named"),
        ("My mom is 55 and my dad is 58, so they travel.", "mom is 55 and my dad is 58, so", "child_of"),
        ("This is my dog", "This", "has_pet"),
        ("I am glad that your lovely dogs are well", "dogs", "has_pet"),
        ("I met Ana's son Tomás today", "Tomás", "parent_of"),
        ("My sister came, and her older son Tomás", "Tomás", "parent_of"),
        ("Ich traf ihre Schwester Inês", "Inês", "sibling_of"),
        ("我见到了她的儿子 小明", "小明", "parent_of"),
        ("I called my sister in Leeds", "Leeds", "lives_in"),
        ("Guests: Clara, my six pupils and their parents", "six pupils", "has_pet"),
        ("I start at the Tejo as a tutti cellist", "tutti cellist", "plays"),
        ("I auditioned for a cello seat", "cello", "plays"),
    ],
)
def test_values_that_are_not_introduced_or_belong_to_others_yield_no_fact(text, value, predicate):
    assert read(text, (value, predicate)) == []


@pytest.mark.parametrize(
    ("text", "value", "predicate"),
    [
        ("Let's visit grandma Rose on Sunday", "Rose", "grandchild_of"),
        ("That's aunt Clara at the door", "Clara", "relative_of"),
        ("Hab's meiner Schwester Anna erzählt", "Anna", "sibling_of"),
    ],
)
def test_contractions_before_a_relative_are_no_possessives(text, value, predicate):
    assert [fact.value for fact in read(text, (value, predicate))] == [value]


@pytest.mark.parametrize(
    ("text", "value", "predicate", "is_kept"),
    [
        ("The cello goes by taxi", "cello", "plays", False),
        ("The cello goes by taxi with me", "cello", "plays", True),
        ("The cello goes by taxi with me", "The cello goes", "plays", False),
        ("Das Cello fährt mit dem Taxi", "Cello", "plays", True),
        ("I paid for the pressing", "pressing", "owns", False),
        ("I paid for a press", "press", "owns", True),
        ("I wrote to Beatriz today", "Beatriz", "acquainted_with", False),
        ("I wrote to my teacher Beatriz", "Beatriz", "acquainted_with", True),
    ],
)
def test_likely_facts_are_kept_only_if_they_concern_the_user(text, value, predicate, is_kept):
    assert [fact.unsure for fact in read(text, (value, predicate), logit=LIKELY)] == [True] * is_kept


@pytest.mark.parametrize(
    ("text", "value", "predicate", "statement"),
    [
        ("Ich arbeite als Hebamme", "Hebamme", "works_as", "The user works as “Hebamme”."),
        ("Ich liebe Kaffee", "Kaffee", "likes", "The user likes “Kaffee”."),
        ("Ich wohne jetzt in Leeds", "Leeds", "lives_in", "The user lives in Leeds."),
        ("Я живу в Казани", "Казани", "lives_in", "The user lives in “Казани”."),
        ("Das ist meine Schwester Ines", "Schwester Ines", "sibling_of", "Ines is the user's sister."),
        ("A picnic with my girlfriend", "girlfriend", "partner_of", "The user has a girlfriend."),
        ("C'est ma série favorite Dark", "Dark", "favourite", "One of the user's favourites is “Dark”."),
        ("Peanuts and I? Peanuts I must avoid", "Peanuts", "avoids", "The user avoids peanuts."),
        ("Mum bought me «Dune last week", "«Dune", "owns", "The user owns Dune."),
        (
            "I work at the Royal Infirmary",
            "the Royal Infirmary",
            "works_at",
            "The user works at the Royal Infirmary.",
        ),
        (
            "Working title Sete Colinas, it is",
            "title Sete Colinas",
            "works_on",
            "The user is working on Sete Colinas.",
        ),
    ],
)
def test_statements_quote_foreign_words_and_contain_only_the_name(text, value, predicate, statement):
    assert [fact.statement for fact in read(text, (value, predicate))] == [statement]


@pytest.mark.parametrize(
    ("text", "value", "predicate", "kept"),
    [
        ("I live with my wife in Berlin", "Berlin", "lives_in", "Berlin"),
        ("J'habite avec ma femme à Lyon", "Lyon", "lives_in", "Lyon"),
        ("So I live in MA, as it is", "MA", "lives_in", "MA"),
        ("People say my name is Ma", "Ma", "named", "Ma"),
        ("My wife My Linh", "My Linh", "married_to", "My Linh"),
        ("My teacher is Sister Mary", "Sister Mary", "acquainted_with", "Sister Mary"),
        ("Say my name is Son Goku", "Son Goku", "named", "Son Goku"),
        ("My name is Anna — my team is small", "Anna", "named", "Anna"),
        (
            "Now working on legacy COBOL code for my bank",
            "legacy COBOL code",
            "works_on",
            "legacy COBOL code",
        ),
        ('I work at a 27" monitor', '27" monitor', "uses", '27" monitor'),
    ],
)
def test_words_that_belong_to_a_name_are_kept(text, value, predicate, kept):
    assert [fact.object for fact in read(text, (value, predicate))] == [kept]


@pytest.mark.parametrize(
    ("text", "seen", "value"),
    [
        ("my snakes don't run", "snakes don", "snakes"),
        ("I'd spend hours there", "d spend hours", "spend hours"),
    ],
)
def test_values_exclude_halves_of_contractions(text, seen, value):
    start = text.index(seen)
    assert text[slice(*whole_words(text, (start, start + len(seen))))] == value


def test_an_implied_relationship_needs_more_confidence():
    [fact] = read("We are expecting Kimura any day now", ("Kimura", "parent_of"), logit=1.3)
    assert 0.77 < fact.confidence < 0.8
    assert fact.unsure


def test_a_relative_at_the_beginning_of_a_sentence_is_certain():
    for words in ("My sister Olga is in Kyiv.", "Meine Schwester Olga ist in Kyiv."):
        [fact] = read(words, ("Olga", "sibling_of"), logit=LIKELY)
        assert (fact.object, fact.unsure) == ("Olga", False)
    [other] = read("I wrote to my sister Olga.", ("Olga", "sibling_of"), logit=LIKELY)
    assert other.unsure


def test_players_and_pets_are_still_read():
    assert [fact.object for fact in read("I play whist", ("whist", "plays"))] == ["whist"]
    for pets in ("two dogs", "3 old ponies"):
        assert [fact.object for fact in read(f"I have {pets}", (pets, "has_pet"))] == [pets]


def test_a_sum_without_a_limit_is_certain_or_dropped():
    [fact] = read("My rent is 1,150 euros.", ("1,150 euros", "has_budget"))
    assert not fact.unsure
    assert read("My rent is 1,150 euros.", ("1,150 euros", "has_budget"), logit=1.2) == []


def test_a_person_may_be_introduced_in_another_sentence():
    words = "I have a boy and a girl. Kimura will listen by video."
    [fact] = read(words, ("Kimura", "parent_of"))
    assert (fact.object, fact.unsure) == ("Kimura", False)
    assert read(words, ("Kimura", "parent_of"), logit=1.2) == []


@pytest.mark.parametrize(
    ("words", "value", "predicate", "kept"),
    [
        ("I want strings for under 150 euros.", "150 euros", "has_budget", "under 150 euros"),
        ("Ich zahle höchstens 750 warm.", "750 warm", "has_budget", "höchstens 750 warm"),
        ("Je ne mets pas plus de 70 euros.", "70 euros", "has_budget", "pas plus de 70 euros"),
        ("У меня до 300 рублей.", "300 рублей", "has_budget", "до 300 рублей"),
        ("My budget is 150 euros.", "150 euros", "has_budget", "150 euros"),
        ("J'ai quarante et un ans.", "quarante et un", "aged", "quarante et un"),
        ("Мне сорок один.", "сорок один", "aged", "сорок один"),
    ],
)
def test_numbers_keep_their_limit_and_their_last_word(words, value, predicate, kept):
    [fact] = read(words, (value, predicate))
    assert fact.object == kept


@pytest.mark.parametrize(
    ("words", "value", "predicate", "statement"),
    [
        (
            "I'm working on a project for my Biology course.",
            "a project for my Biology course",
            "works_on",
            "The user is working on a project for their Biology course.",
        ),
        ("Strings for under 150 euros.", "150 euros", "has_budget", "The user's budget is under 150 euros."),
        ("Up to 300 euros is fine.", "300 euros", "has_budget", "The user's budget is up to 300 euros."),
        ("I'm a big fan of jazz.", "a big fan of jazz", "is", "The user is a big fan of jazz."),
        ("I'm a big fan of jazz.", "a big fan of jazz", "likes", "The user likes jazz."),
        ("I love My Fair Lady.", "My Fair Lady", "likes", "The user likes My Fair Lady."),
        ("I'm stuck on my thesis.", "thesis", "works_on", "The user is working on their thesis."),
        ("I see Dr. Patel in May.", "Patel", "acquainted_with", "The user knows Dr. Patel."),
        ("I wear my Clarks boots.", "Clarks boots", "owns", "The user owns Clarks boots."),
        ("I read on my Kindle.", "Kindle", "uses", "The user uses their Kindle."),
        ("I like this app.", "this app", "likes", "The user likes app."),
        (
            "My mother is ill. When my dog is, I take it to the vet.",
            "take it to the vet",
            "habit",
            "The user said: “When my dog is, I take it to the vet”",
        ),
        ("I have this fireproof safe.", "this fireproof safe", "owns", "The user owns a fireproof safe."),
        (
            "I grow roses by the wall. I want to move them to the pond.",
            "move them to the pond",
            "wants",
            "The user said: “I grow roses by the wall. I want to move them to the pond”",
        ),
        (
            "Thanks a lot! I want to save 50,000 euros.",
            "save 50,000 euros",
            "wants",
            "The user said: “I want to save 50,000 euros”",
        ),
        (
            "They call it “the ark”. I want to keep it.",
            "keep it",
            "wants",
            "The user said: “I want to keep it”",
        ),
        (
            "I'm considering graduate school, can you tell me how to prepare?",
            "considering graduate school",
            "wants",
            "The user said: “I'm considering graduate school”",
        ),
    ],
)
def test_statements_are_about_the_user_and_quote_no_question(words, value, predicate, statement):
    [fact] = read(words, (value, predicate))
    assert (fact.statement, fact.unsure) == (statement, False)


def test_a_long_sentence_is_quoted_around_the_value():
    words = f"I teach, which I love, {'and' * 60}, and I want to retire early, {'but' * 60}."
    [fact] = read(words, ("retire early", "wants"))
    assert fact.statement == "The user said: “and I want to retire early”"


@pytest.mark.parametrize(
    ("words", "statement", "day"),
    [
        ("I ran the marathon last year", "“I ran the marathon last year” (about 2025).", "2025-01-01"),
        (
            "I ran the marathon last November",
            "“I ran the marathon last November” (about 2025-11).",
            "2025-11-01",
        ),
        (
            "I ran the marathon two years ago",
            "“I ran the marathon two years ago” (about 2024-11).",
            "2024-11-01",
        ),
        ("I ran the marathon a few years ago", "“I ran the marathon a few years ago”", None),
    ],
)
def test_experiences_are_dated_as_precisely_as_they_are_told(words, statement, day):
    [fact] = read(words, ("ran the marathon", "experienced"))
    assert fact.statement == f"The user said: {statement}"
    assert (fact.event_time and fact.event_time.date().isoformat()) == day


@pytest.mark.parametrize(
    ("words", "age"),
    [
        ("I'm in my late 30s", "30"),
        ("I'm in my thirties", "thirties"),
        ("Ich bin in den 30ern", "30"),
        ("Tengo 30 y tantos", "30"),
        ("J'ai la trentaine", "trentaine"),
        ("我三十多岁了", "三十"),
    ],
)
def test_a_decade_is_no_age(words, age):
    assert read(words, (age, "aged")) == []


def test_an_age_is_kept():
    assert [fact.object for fact in read("I'm 30 now", ("30", "aged"))] == ["30"]


def test_an_event_next_week_is_not_over():
    [fact] = read("I have a wedding next week", ("wedding", "has_event"))
    assert fact.event_time == datetime(2026, 11, 30, tzinfo=UTC)


def test_a_question_with_a_date_is_unsure():
    [fact] = read("Did I mention I broke my arm yesterday?", ("broke my arm", "experienced"))
    assert fact.statement.endswith(").")
    assert fact.unsure


def test_a_clause_within_a_question_is_quoted_alone():
    words = "Could you, since I'm vegan and can't eat eggs, suggest a cake?"
    [fact] = read(words, ("can't eat eggs", "cannot"))
    assert fact.statement == "The user said: “since I'm vegan and can't eat eggs”"


def test_the_context_of_a_statement_is_part_of_its_source():
    words = "I grow roses by the wall. I want to move them to the pond."
    [fact] = read(words, ("move them to the pond", "wants"))
    assert fact.quote == words.removesuffix(".")


def test_a_goal_in_a_question_is_unsure():
    [asked] = read("So can you help me save money, as I'm broke?", ("save money", "wants"))
    assert asked.unsure
    [fact] = read("Do you know a good cobbler I can go to?", ("good cobbler", "wants"))
    assert fact.unsure
    [wish] = read("Could you always answer in metric?", ("answer in metric", "instructs"))
    assert not wish.unsure


@pytest.mark.parametrize(
    ("words", "value", "predicate"),
    [
        ("Je me suis trompée, Nolwenn a 9 ans, pas 8.", "Nolwenn", "named"),
        ("Ich habe mich von Jürgen getrennt.", "Jürgen", "named"),
        ("Thanks, Melanie!", "Melanie", "named"),
        ("Je me suis disputée avec Karine.", "Karine", "engaged_to"),
        ("Ich habe mich mit Stefan gestritten.", "Stefan", "partner_of"),
        ("Mein Termin ist am 03.04.2027", "03.04.2027", "born_on"),
        ("Ich bin am 03.04.2027 geboren", "03.04.2027", "born_on"),
        ("果果是 2022年6月1号 出生的", "2022年6月1号", "born_on"),
        ("女儿叫果果, 2022年6月1号 出生的", "2022年6月1号", "born_on"),
        ("Mein Sohn ist am 5.3.2018 geboren.", "5.3.2018", "parent_of"),
        ("我爱吃虾, 果果 对牛奶过敏", "果果", "allergic_to"),
        ("Malo a 11 ans.", "11", "aged"),
        ("Meine Tochter ist Ärztin", "Ärztin", "works_as"),
        ("我老公是 老师", "老师", "works_as"),
        ("Le chien de ma mère, Filou, est là", "Filou", "child_of"),
        ("Der Hund meiner Mutter, Rex, ist da", "Rex", "has_pet"),
        ("J'ai un cheval à Betton.", "Betton", "lives_in"),
    ],
)
def test_facts_of_others_and_without_evidence_are_not_read(words, value, predicate):
    assert read(words, (value, predicate)) == []


@pytest.mark.parametrize(
    ("words", "value", "predicate", "statement"),
    [
        ("Je suis mariée avec Karine.", "Karine", "engaged_to", "The user is engaged to Karine."),
        ("Мужа зовут Ринат.", "Ринат", "grandparent_of", "Ринат is the user's husband."),
        ("I saw my roommate Kai", "Kai", "friend_of", "Kai is the user's roommate."),
        ("Mi marido lo dice", "marido", "married_to", "The user has a husband."),
        ("Je suis née le 2 février 1985 à", "2 février 1985 à", "born_on", "birthday is “2 février 1985”."),
        ("We moved ourselves to Naas", "Naas", "works_at", "The user lives in Naas."),
        ("I am a trainer in Davao", "Davao", "lives_in", "The user lives in Davao."),
        ("My son is 8 and I am a nurse", "nurse", "works_as", "The user works as a nurse."),
        ("J'ai une maison à Betton.", "Betton", "lives_in", "The user lives in Betton."),
    ],
)
def test_the_words_beside_a_value_decide_what_it_is(words, value, predicate, statement):
    [fact] = read(words, (value, predicate))
    assert fact.statement.endswith(statement)


@pytest.mark.parametrize(
    ("words", "value", "predicate", "ended"),
    [
        ("我对 虾不过敏, 对 螃蟹 过敏", "虾不过敏", "allergic_to", True),
        ("我对 虾不过敏, 对 螃蟹 过敏", "螃蟹", "allergic_to", False),
        ("I'm not allergic to nuts", "nuts", "allergic_to", True),
        ("I'm not allergic to milk but to nuts", "nuts", "allergic_to", False),
        ("Forget that I like olives.", "olives", "likes", True),
        ("Oublie que j'aime les olives.", "olives", "likes", True),
        ("忘了我喜欢 橄榄 吧", "橄榄", "likes", True),
        ("Forget it, I like olives.", "olives", "likes", False),
    ],
)
def test_denials_and_requests_to_forget_end_a_fact(words, value, predicate, ended):
    [fact] = read(words, (value, predicate))
    assert (fact.object, fact.ended) == (value.removesuffix("不过敏"), ended)


@pytest.mark.parametrize(
    ("words", "value", "predicate", "day"),
    [
        ("Then I start at Roche on 8 December, at last", "Roche", "works_at", "2026-12-08"),
        ("Ab Januar arbeite ich bei Roche", "Roche", "works_at", "2027-01-01"),
        ("С января я буду работать в Сбере", "Сбере", "works_at", "2027-01-01"),
        ("Empiezo en Indra en abril de 2027", "Indra", "works_at", "2027-04-01"),
    ],
)
def test_a_job_that_begins_later_is_an_event(words, value, predicate, day):
    [fact] = read(words, (value, predicate))
    assert (fact.predicate, fact.valid_from, fact.event_time.date().isoformat()) == ("has_event", None, day)


@pytest.mark.parametrize(
    ("words", "value", "predicate"),
    [
        ("I am Ann, and I live since 2019 in Dublin", "Ann", "named"),
        ("Ein Hund, Bruno, und seit Mai auch die Katze", "Bruno", "has_pet"),
        ("I live since 2019 in Dublin with my wife Kasia", "Kasia", "married_to"),
        ("J'habite à Lyon depuis 2019, avant à Lille", "Lille", "lived_in"),
    ],
)
def test_a_since_in_another_clause_begins_nothing(words, value, predicate):
    fact, *_ = read(words, (value, predicate))
    assert (fact.valid_from, fact.event_time) == (None, None)
