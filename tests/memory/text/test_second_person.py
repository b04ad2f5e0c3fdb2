# ruff: noqa: E501 - whole sentences, one a line
"""Statements about the user are converted to the second person if that is safe; sentences by owners are stored
in the third person or quoted, and shown as written."""

from types import SimpleNamespace

import pytest

from memory.text.forms import FORMS, USER, Tense, sentence
from memory.text.owner_sentences import WROTE, about_user, addressed, for_owner

CONVERTED = """
The user has a sister called Ana who lives in Porto. → You have a sister called Ana who lives in Porto.
The user's sister Ana lives in Porto with her husband. → Your sister Ana lives in Porto with her husband.
The user doesn't eat meat. → You don't eat meat.
The user does not drink coffee before concerts. → You do not drink coffee before concerts.
The user lives with their partner Tomás. → You live with your partner Tomás.
The user and their partner Tomás own a flat. → You and your partner Tomás own a flat.
The user wants to learn Portuguese before moving to Porto. → You want to learn Portuguese before moving to Porto.
The user was born in Graz and grew up in Leeds. → You were born in Graz and grew up in Leeds.
Ana taught the user to swim. → Ana taught you to swim.
The user's phone is a Pixel 6. → Your phone is a Pixel 6.
The user’s phone is a Pixel 6. → Your phone is a Pixel 6.
The user's mother celebrates her birthday in May. → Your mother celebrates her birthday in May.
The user hasn't visited Japan yet. → You haven't visited Japan yet.
The user wasn't at the wedding. → You weren't at the wedding.
The user no longer uses Ubuntu. → You no longer use Ubuntu.
The user's goal is to lose 5 kg. → Your goal is to lose 5 kg.
Tomás is the user's husband. → Tomás is your husband.
The user prefers that answers are short. → You prefer that answers are short.
The user prefers to be called by her first name. → You prefer to be called by your first name.
The user goes to the gym every Tuesday. → You go to the gym every Tuesday.
The user always washes his hands. → You always wash your hands.
The user misses his old flat. → You miss your old flat.
The battery in the user's e-bike is a PowerPack 500. → The battery in your e-bike is a PowerPack 500.
User prefers dark mode. → You prefer dark mode.
User's favourite band is U2. → Your favourite band is U2.
This user has a dog. → You have a dog.
The user sold their car and bought a bike. → You sold your car and bought a bike.
The user's brother is a doctor and lives in Rome. → Your brother is a doctor and lives in Rome.
The user's favourite colour isn't green. → Your favourite colour isn't green.
The user's partner's name is Ana. → Your partner's name is Ana.
The user gets married on 12 October 2024. → You get married on 12 October 2024.
The user has lived in Bristol since March 2024. → You have lived in Bristol since March 2024.
The user's name is 陈静. → Your name is 陈静.
She lives in Porto. → She lives in Porto.
I live in Leeds. → I live in Leeds.
""".strip().splitlines()
UNSURE = """
The user lives in Leeds and works as a nurse.
The user is allergic to cashews and carries an adrenaline pen.
The user taught himself the guitar.
The user describes herself as shy.
The user relies on themself.
The user's sister taught herself to swim.
The user currently works at Acme and also studies law.
The user said: “The user's phone works”
Ana said the user is kind.
The user no longer eats meat and never drinks coffee.
The user enjoys cooking, plays the cello and speaks German.
The user enjoys books and films about the sea.
The user likes cats and dogs.
The user thinks the user is kind.
The user hopes that Ana visits and stays.
The user works as a freelance translator and works from home.
The user has a brother called Leo who is a chef and lives in Lyon.
The user is a vegetarian, runs every morning and hates waking up early.
The user moved in 2024 because he wanted to live by the sea.
The user weighs 70 kg and does yoga.
The user studies at the University of Porto and teaches on Sundays.
The user watches football and plays tennis.
The user can't swim but wants to learn.
The user uses 'dark mode' and "The user is" as a title.
The user, a nurse, lives in Leeds.
The user likes cats because they are independent.
The user likes hikes and walks.
The user's cat Miso was given to them by Ana.
The user has a dog which is called Rex and works as a nurse.
The user has two children, Leo and Mia, and their school is in Leeds.
The user plans to move in with Ana because she works in Porto.
The user's called Ana.
The user almost entirely relies on trains and walks.
The user gave her flowers.
The user buys gifts for her before Easter.
The user helps a neighbour with his garden.
The user lives in Leeds & likes it.
User lives in Rome and User works in Milan.
The user wants a cat, since their flat has mice.
""".strip().splitlines()
WRITTEN = """
You live in Porto. → The user lives in Porto.
I live in Porto. → The user lives in Porto.
I'm allergic to nuts. → The user is allergic to nuts.
My name is Nora. → The user's name is Nora.
Beatriz is your friend. → Beatriz is the user's friend.
You used to live in Leeds. → The user used to live in Leeds.
Feeds the rye. → Feeds the rye.
The user likes tea. → The user likes tea.
Ich wohne in Berlin. → Ich wohne in Berlin.
""".strip().splitlines()
QUOTED = """
I live in Porto with my cat.
You don't eat meat.
You need glasses and carry an adrenaline pen.
You always drink tea before you go to bed.
You like their music.
You say: “I am tired”.
What is mine is yours.
""".strip().splitlines()


@pytest.mark.parametrize("pair", CONVERTED)
def test_a_statement_is_converted_to_the_second_person(pair):
    statement, expected = pair.split(" → ")
    assert addressed(statement) == expected


@pytest.mark.parametrize("statement", UNSURE)
def test_an_ambiguous_statement_is_not_converted(statement):
    assert addressed(statement) is None


def test_a_list_known_to_be_the_object_is_converted():
    assert addressed("The user likes cats and dogs.", "cats and dogs") == "You like cats and dogs."


@pytest.mark.parametrize("line", WRITTEN)
def test_a_simple_sentence_by_the_owner_is_stored_in_the_third_person(line):
    written, expected = line.split(" → ")
    assert about_user(written) == expected


@pytest.mark.parametrize("written", QUOTED)
def test_any_other_sentence_by_the_owner_is_stored_quoted_and_shown_as_written(written):
    stored = about_user(written)
    assert stored == f"{WROTE}{written}”"
    fact = SimpleNamespace(
        predicate="likes", value="x", object="x", statement=stored, mined_by="reader", authority="user"
    )
    assert for_owner(fact, lambda: "Other words.", over=False) == written


@pytest.mark.parametrize("tense", ["present", "ended"])
def test_sentences_of_every_predicate_convert_both_ways(tense: Tense):
    for predicate in FORMS:
        shown = sentence(predicate, "Leeds", tense=tense)
        assert about_user(shown) == sentence(predicate, "Leeds", USER, tense)
        assert addressed(about_user(shown)) == shown
