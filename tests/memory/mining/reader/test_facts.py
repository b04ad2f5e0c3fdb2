"""Facts from the predictions of a scripted network."""

import pytest

from memory.mining.reader import facts
from memory.mining.reader.predicates import PREDICATES
from memory.mining.reader.sentences import sentences
from tests.memory.mining.chats import turn
from tests.memory.mining.reader.scripted import HARDLY, LIKELY, Scripted, read

PAGE = "Ann, 34\nUniversity of York\nNurse\n\nAbout me\nLeeds is my home\nLikes\nTea"


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


def test_adjacent_parts_of_a_value_are_joined():
    [job] = read("I'm a senior nurse", ("senior", "works_as"), ("nurse", "works_as"))
    assert job.object == "senior nurse"
    for town in ("works_at", "lives_in"):
        [school] = read("I teach at a school in Leeds.", ("a school", "works_at"), ("Leeds", town))
        assert (school.predicate, school.object) == ("works_at", "a school in Leeds")


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


def test_an_uncertain_request_to_remember_is_dropped():
    words = "We met near the pier."
    assert read(words, ("met near the pier", "asked_to_remember"), logit=LIKELY) == []


def test_pasted_text_and_other_speakers_yield_no_facts():
    assert read("Translate this:\nI live in Leeds.", ("Leeds.", "lives_in")) == []
    assistant = turn("I live in Leeds", "assistant")
    assert facts.read([assistant], Scripted(("Leeds", "lives_in"))) == []


def test_a_named_relative_yields_only_one_fact():
    [fact] = read("my daughter Wren is 7", ("daughter", "has_family"), ("Wren", "parent_of"))
    assert fact.predicate == "parent_of"


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


@pytest.mark.parametrize(
    ("text", "value", "predicate", "key"),
    [
        ("I used to work at Opel", "Opel", "worked_at", "employer"),
        ("Avant, je travaillais chez Renault", "Renault", "worked_at", "employer"),
        ("Раньше я была учительницей", "учительницей", "worked_as", "occupation"),
        ("Ich habe früher in Kassel gewohnt", "Kassel", "lived_in", "home_city"),
    ],
)
def test_a_former_job_or_home_also_ends_the_current_one(text, value, predicate, key):
    former, ended = facts.read([turn(text)], Scripted((value, predicate), ended=True))
    assert (former.kind, former.ended) == ("experience", False)
    assert (ended.key, ended.value, ended.ended) == (key, former.value, True)


@pytest.mark.parametrize(
    "text", ["I sold it before we left Bristol", "On a quitté Bristol", "Мы уехали из Bristol"]
)
def test_who_left_a_place_no_longer_lives_there(text):
    assert [fact.ended for fact in read(text, ("Bristol", "lives_in"))] == [True]


def test_a_separation_ends_every_kind_of_partnership():
    ended = facts.read(
        [turn("Lukas und ich haben uns getrennt")], Scripted(("Lukas", "partner_of"), ended=True)
    )
    assert {(fact.predicate, fact.key, fact.value) for fact in ended if fact.ended} == {
        ("partner_of", "partner", "Lukas"),
        ("married_to", "spouse", "Lukas"),
        ("engaged_to", "fiance", "Lukas"),
    }


@pytest.mark.parametrize("predicate", ["engaged_to", "partner_of"])
def test_an_engagement_that_ends_in_a_marriage_does_not_end_that(predicate):
    text = "Anna ist nicht mehr meine Verlobte, wir haben geheiratet"
    found = facts.read([turn(text)], Scripted(("Anna", predicate), ended=True))
    assert "married_to" not in {fact.predicate for fact in found}


def test_leaving_a_workplace_does_not_end_the_home_in_its_town():
    seen = ("a school", "works_at"), ("Leeds", "lives_in")
    found = facts.read([turn("I used to work at a school in Leeds")], Scripted(*seen, ended=True))
    assert {fact.predicate for fact in found} == {"worked_at", "works_at"}


def test_every_predicate_has_a_kind_a_key_and_a_statement():
    for predicate in PREDICATES.values():
        [fact, *_] = read("we spend and, married, were born as beta gamma", ("beta", predicate.name))
        assert fact.kind == predicate.kind
        assert fact.key
        assert "{" not in fact.statement + fact.key
        assert fact.statement.endswith((".", "”"))


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
