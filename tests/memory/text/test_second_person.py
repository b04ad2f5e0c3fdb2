# ruff: noqa: E501 - whole sentences, one a line
"""Statements about the user become sentences to them, or are left to the quoted words."""

import pytest

from memory.text.second_person import first_to_second_person, third_to_second_person

TURNED = """
The user has a sister called Ana who lives in Porto. → You have a sister called Ana who lives in Porto.
The user's sister Ana lives in Porto with her husband. → Your sister Ana lives in Porto with her husband.
The user lives in Leeds and works as a nurse. → You live in Leeds and work as a nurse.
The user doesn't eat meat. → You don't eat meat.
The user does not drink coffee before concerts. → You do not drink coffee before concerts.
The user is allergic to cashews and carries an adrenaline pen. → You are allergic to cashews and carry an adrenaline pen.
The user taught himself the guitar. → You taught yourself the guitar.
The user describes herself as shy. → You describe yourself as shy.
The user relies on themself. → You rely on yourself.
The user's sister taught herself to swim. → Your sister taught herself to swim.
The user lives with their partner Tomás. → You live with your partner Tomás.
The user and their partner Tomás own a flat. → You and your partner Tomás own a flat.
The user wants to learn Portuguese before moving to Porto. → You want to learn Portuguese before moving to Porto.
The user currently works at Acme and also studies law. → You currently work at Acme and also study law.
The user was born in Graz and grew up in Leeds. → You were born in Graz and grew up in Leeds.
The user said: “The user's phone works” → You said: “The user's phone works”
Ana taught the user to swim. → Ana taught you to swim.
Ana said the user is kind. → Ana said you are kind.
The user's phone is a Pixel 6. → Your phone is a Pixel 6.
The user’s phone is a Pixel 6. → Your phone is a Pixel 6.
The user's mother celebrates her birthday in May. → Your mother celebrates her birthday in May.
The user hasn't visited Japan yet. → You haven't visited Japan yet.
The user wasn't at the wedding. → You weren't at the wedding.
The user no longer uses Ubuntu. → You no longer use Ubuntu.
The user no longer eats meat and never drinks coffee. → You no longer eat meat and never drink coffee.
The user enjoys cooking, plays the cello and speaks German. → You enjoy cooking, play the cello and speak German.
The user enjoys books and films about the sea. → You enjoy books and films about the sea.
The user likes cats and dogs. → You like cats and dogs.
The user's goal is to lose 5 kg. → Your goal is to lose 5 kg.
Tomás is the user's husband. → Tomás is your husband.
The user thinks the user is kind. → You think you are kind.
The user hopes that Ana visits and stays. → You hope that Ana visits and stays.
The user prefers that answers are short. → You prefer that answers are short.
The user prefers to be called by her first name. → You prefer to be called by your first name.
The user goes to the gym every Tuesday. → You go to the gym every Tuesday.
The user always washes his hands. → You always wash your hands.
The user misses his old flat. → You miss your old flat.
The battery in the user's e-bike is a PowerPack 500. → The battery in your e-bike is a PowerPack 500.
User prefers dark mode. → You prefer dark mode.
User's favourite band is U2. → Your favourite band is U2.
This user has a dog. → You have a dog.
The user works as a freelance translator and works from home. → You work as a freelance translator and work from home.
The user has a brother called Leo who is a chef and lives in Lyon. → You have a brother called Leo who is a chef and lives in Lyon.
The user is a vegetarian, runs every morning and hates waking up early. → You are a vegetarian, run every morning and hate waking up early.
The user sold their car and bought a bike. → You sold your car and bought a bike.
The user's brother is a doctor and lives in Rome. → Your brother is a doctor and lives in Rome.
The user's favourite colour isn't green. → Your favourite colour isn't green.
The user moved in 2024 because he wanted to live by the sea. → You moved in 2024 because you wanted to live by the sea.
The user weighs 70 kg and does yoga. → You weigh 70 kg and do yoga.
The user studies at the University of Porto and teaches on Sundays. → You study at the University of Porto and teach on Sundays.
The user's partner's name is Ana. → Your partner's name is Ana.
The user watches football and plays tennis. → You watch football and play tennis.
The user can't swim but wants to learn. → You can't swim but want to learn.
The user gets married on 12 October 2024. → You get married on 12 October 2024.
The user has lived in Bristol since March 2024. → You have lived in Bristol since March 2024.
The user uses 'dark mode' and "The user is" as a title. → You use 'dark mode' and "The user is" as a title.
The user's name is 陈静. → Your name is 陈静.
She lives in Porto. → She lives in Porto.
I live in Leeds. → I live in Leeds.
""".strip().splitlines()
UNSURE = """
The user, a nurse, lives in Leeds.
The user likes cats because they are independent.
The user likes hikes and walks.
The user's cat Miso was given to them by Ana.
The user has a dog which is called Rex and works as a nurse.
The user has two children, Leo and Mia, and their school is in Leeds.
The user plans to move in with Ana because she works in Porto.
The user's called Ana.
""".strip().splitlines()


@pytest.mark.parametrize("pair", TURNED)
def test_a_statement_is_turned_into_the_second_person(pair):
    statement, told = pair.split(" → ")
    assert third_to_second_person(statement) == told


@pytest.mark.parametrize("statement", UNSURE)
def test_a_statement_that_may_come_out_wrong_is_not_turned(statement):
    assert third_to_second_person(statement) is None


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("I carry an adrenaline pen", "You carry an adrenaline pen."),
        ("I'm bad at maths and my hands go cold", "You're bad at maths and your hands go cold."),
        ("I was born in Graz", "You were born in Graz."),
        ("My sister was here with me", "Your sister was here with you."),
        ("im learning Greek", "You're learning Greek."),
        ("I was ill and was sent home", None),
        ("I start at the harbour next month", None),
        ("We live in Cork", None),
        ("my mother in law (", None),
        ("I want you to answer briefly", None),
        ("Ich wohne in Köln", None),
    ],
)
def test_what_users_say_of_themselves_is_told_back(said, told):
    assert first_to_second_person(said) == told
