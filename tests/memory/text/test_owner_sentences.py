"""Facts are shown to their owner in a sentence, or in the owner's quoted words."""

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest

from memory.text.owner_sentences import for_owner, is_past, kinship_in, quoted_words

MODEL = {"mined_by": "model"}
TEACHES = "I teach at a small music school in Alfama, twelve pupils"


def shown(predicate, value, statement, words, *, mined_by="reader", authority="user", over=False):
    fact = SimpleNamespace(
        predicate=predicate,
        value=value,
        object=value,
        statement=statement,
        mined_by=mined_by,
        authority=authority,
        persons=(),
    )
    return for_owner(fact, lambda: words, over=over)


CASES = """
works_as | cellist | The user works as a cellist.
  I'm Mira, I'm a cellist and I live in Graça → You work as a cellist.
lives_in | Graça | The user lives in Graça.
  I'm Mira, I'm a cellist and I live in Graça → You live in Graça.
works_as | teach | The user works as teach.
  I teach at a music school in Alfama → You said: “I teach at a music school in Alfama”
habit | bow shakes | The user said: “I can't drink coffee, my bow shakes”
  I can't drink coffee, my bow shakes → You said: “I can't drink coffee, my bow shakes”
has | adrenaline pen | The user has adrenaline pen.
  Not a little, I carry an adrenaline pen. → You have an adrenaline pen.
friend_of | Beatriz | Beatriz is the user's friend.
  My friend Beatriz → Beatriz is your friend.
owns | ThinkPad | The user owns ThinkPad.
  on an old ThinkPad → You own an old ThinkPad.
owns | generator | The user owns generator.
  The neighbours sold us their generator → You said: “The neighbours sold us their generator”
owns | land | The user owns land.
  I own land in Galicia → You own land.
has | experience | The user has experience.
  Do I have enough experience for that? → You have experience.
owns | hens | The user owns hens.
  Hens of ours escaped → You own hens.
avoids | take sugar | The user avoids take sugar.
  I don't take sugar, and Tomás takes three → You said: “I don't take sugar, and Tomás takes three”
has_event | audition | On the user's calendar: audition (2026-12-01).
  I have an audition in three weeks → On your calendar: an audition (1 December 2026).
has_condition | colour blind | The user has colour blind.
  I'm colour blind, so charts are hard → You said: “I'm colour blind, so charts are hard”
asked_to_remember | Fado only eats fish | The user asked to remember: “Fado only eats fish”
  Remember that Fado only eats fish → You asked for this to be remembered: “Fado only eats fish”
likes | Wandern | The user likes “Wandern”.
  Ich mag Wandern und die Berge → You like “Wandern”.
likes | Kaffee | The user likes “Kaffee”.
  Ich liebe Kaffee → You like “Kaffee”.
lives_in | La Paz | The user lives in La Paz.
  I live in La Paz → You live in La Paz.
avoids | don't ride in the rain | The user avoids don't ride in the rain.
  I don't ride in the rain → You said: “I don't ride in the rain”
likes | shark film | The user likes shark film.
  It's the worst shark film I know → You said: “It's the worst shark film I know”
partner_of | girlfriend | The user has a girlfriend.
  A picnic with my girlfriend → You have a girlfriend.
has_family | furry friends | The user's family includes furry friends.
  I walk with our furry friends → Your family includes your furry friends.
lives_in | Казани | The user lives in “Казани”.
  я живу в Казани → You live in “Казани”.
has_event | the orchestra | The user said: “I start at the orchestra next month”
  I start at the orchestra next month → You said: “I start at the orchestra next month”
aged | 41 | The user is “41” years old.
  Ich bin 41 → You are 41 years old.
works_as | donne des cours d'arabe en ligne | The user works as “donne des cours d'arabe en ligne”.
  Je donne des cours d'arabe en ligne → You said: “Je donne des cours d'arabe en ligne”
has | 我左耳听不见 | The user has “我左耳听不见”.
  第二,我左耳听不见 → You said: “第二,我左耳听不见”
named | 顾星河 | The user's name is 顾星河.
  你好，我叫顾星河 → Your name is 顾星河.
works_on | a report for my Biology course | The user is working on a report for their Biology course.
  I'm working on a report for my Biology course → You are working on a report for your Biology course.
has_budget | under 150 euros | The user's budget is under 150 euros.
  Strings for under 150 euros → Your budget is under 150 euros.
likes | My Fair Lady | The user likes My Fair Lady.
  I love My Fair Lady → You like My Fair Lady.
travels_to | Kyoto | The user travels to Kyoto.
  I'm off to Kyoto → You travel to Kyoto.
lives_in | Graça | I live up in Graça, by the church.
  I'm Mira, I'm a cellist and I live in Graça → I live up in Graça, by the church.
"""


@pytest.mark.parametrize("line", CASES.strip().replace("\n  ", " | ").splitlines())
def test_a_fact_is_shown_in_a_sentence_or_in_its_quoted_source(line):
    fact, sentence = line.split(" → ")
    assert shown(*fact.split(" | ")) == sentence


def test_a_statement_edited_by_its_owner_is_shown_instead_of_its_source():
    assert shown("works_as", "chef", "The user works as a chef.", TEACHES) == "You work as a chef."
    assert shown("works_as", "teach", "The user teaches singing.", TEACHES) == "You teach singing."
    assert shown("likes", "Wandern", "The user likes hikes.", "Ich mag Wandern") == "You like hikes."


def test_ended_facts_are_shown_in_the_past_tense():
    wrote = {"mined_by": "model", "over": True}
    assert shown("lives_in", "Leeds", "The user lives in Leeds.", "", **wrote) == "You used to live in Leeds."
    assert shown("sibling_of", "Ana", "Ana is the user's sister.", "", **wrote) == "Ana was your sister."
    tea, phone = "The user's favourite tea is jasmine.", "The user's phone is a Pixel 6."
    assert shown("favourite", "jasmine", tea, "", over=True) == "Your favourite tea was jasmine."
    assert shown("owns", "Pixel 6", phone, "", over=True) == "Your phone was a Pixel 6."
    assert shown("lives_in", "1 Elm Road", "The user lives at 1 Elm Road.", "", **wrote) == (
        "You used to live at 1 Elm Road."
    )
    assert shown("has_family", "wife", "The user has a wife.", "", **wrote) == "You used to have a wife."
    worked = "The user has worked at Acme since 2019."
    assert shown("works_at", "Acme", worked, "", **wrote) == "You have worked at Acme since 2019."
    slow = "The user's laptop is a Mac that is slow."
    assert shown("owns", "Mac", slow, "", **wrote) == "Your laptop was a Mac that is slow."
    said = "My husband's birthday is on 20 May"
    birthday = f"The user said: “{said}” (2026-05-20)."
    assert shown("has_event", "husband's birthday", birthday, said, over=True) == (
        "On your calendar: your husband's birthday (20 May 2026)."
    )
    assert shown("plans", "a trip", "The user plans a trip.", "", **wrote) == "You plan a trip."


def test_a_statement_of_a_model_that_cannot_be_converted_is_shown_as_its_quoted_source():
    unsure = "The user likes cats because they are independent."
    assert shown("likes", "cats", unsure, "I like how cats are", mined_by="model") == (
        "You said: “I like how cats are”"
    )
    assert shown("likes", "cats", unsure, "", mined_by="model") == unsure
    half = "The user dislikes 香菜."
    assert shown("dislikes", "香菜", half, "我不吃香菜", mined_by="model") == "You said: “我不吃香菜”"
    assert shown("dislikes", "香菜", half, "", mined_by="model") == "You dislike 香菜."


@pytest.mark.parametrize(
    ("authority", "frame"),
    [
        ("user", "You said"),
        ("assistant", "An assistant said"),
        ("tool", "A tool said"),
        ("external", "A text you pasted says"),
    ],
)
def test_quoted_words_have_their_speaker(authority, frame):
    found = shown(
        "keeps", "bees", "The user keeps bees and they sting.", "I keep bees", **MODEL, authority=authority
    )
    assert found == f"{frame}: “I keep bees”"
    assert quoted_words(found) == "I keep bees"
    assert quoted_words("You asked the assistant: “Be brief”") == ""


def test_an_instruction_to_an_assistant_is_quoted():
    words = "whenever somebody asks you for a teacher, you should recommend Beatriz"
    asked = shown(
        "asked_to_remember", words, f"The user asked to remember: “{words}”", f"Remember that {words}"
    )
    assert asked == f"You asked for this to be remembered: “{words}”"
    rule = "When asked for a teacher, you should recommend Beatriz."
    assert shown("wants", "x", rule, words, **MODEL) == f"You said: “{words}”"
    assert shown("wants", "x", rule, "", **MODEL) == f"You said: “{rule}”"
    assert shown("wants", "x", rule, words, mined_by="owner") == rule
    for thing, wanted in (
        ("you to answer in German", "The user wants you to answer in German."),
        ("y", "The user asks you to be brief."),
        ("answers", "Your answers should be short."),
    ):
        assert shown("wants", thing, wanted, words, **MODEL) == f"You said: “{words}”"
    song = "The user likes the song Thinking of you."
    assert shown("likes", "Thinking of you", song, words, **MODEL) == "You like the song Thinking of you."


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("Kim is the user's teacher.", "teacher"),
        ("Kim is the user’s sister-in-law (2024-05).", "sister-in-law"),
        ("Kim's dog is the user's favourite.", ""),
        ("Kim is the user's boss. They argue.", ""),
        ("The user knows Kim.", ""),
    ],
)
def test_a_statement_says_what_somebody_is_to_the_owner(statement, expected):
    assert kinship_in(statement, "Kim") == expected


@pytest.mark.parametrize(
    ("label", "days"), [("", 1), (" (2026-04-03)", 1), (" (about 2026-04)", 31), (" (about 2026)", 366)]
)
def test_an_event_is_past_once_its_day_month_or_year_is_over(label, days):
    moment, statement = datetime(2026, 4, 3, tzinfo=UTC), f"On the user's calendar: an audition{label}."
    assert not is_past(statement, moment, moment + timedelta(days=days, seconds=-1))
    assert is_past(statement, moment, moment + timedelta(days=days))
