"""Every predicate has complete, correct sentences, and names have normal forms. Owners read facts in the
second person or in quoted words. Their own sentences are stored in the third person or quoted, and shown as
written."""

import tomllib
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.facts.vocabulary import PREDICATES
from memory.mining.reader.predicates import PREDICATES as READ
from memory.text import owner_sentences
from memory.text.forms import FORMS, USER, base_form, caption, edge, question, sentence
from memory.text.names import MAX_SLUG_LENGTH, normalise_name, slugify
from memory.text.owner_sentences import about_user, addressed, kinship_in, quoted_words
from tests.cases import cases

EXPECTED = tomllib.loads(Path(__file__).with_name("forms.toml").read_text(encoding="utf-8"))
WORDINGS = cases(__file__, "second_person.txt")


def shown(predicate, value, statement, words, *, mined_by="reader", authority="user", over=False):
    fact = SimpleNamespace(predicate=predicate, value=value, object=value, statement=statement, persons=())
    fact.mined_by, fact.authority = mined_by, authority
    return owner_sentences.for_owner(fact, lambda: words, over=over)


CASES = """
# reader
works_as | cellist | The user works as a cellist.
  I'm Mira, I'm a cellist and I live in Graça → You work as a cellist.
lives_in | Graça | The user lives in Graça. | I'm Mira, I'm a cellist and I live in Graça → You live in Graça.
works_as | teach | The user works as teach. | I teach at a music school in Alfama → “”
habit | bow shakes | The user said: “I can't drink coffee, my bow shakes”
  I can't drink coffee, my bow shakes → “”
has | adrenaline pen | The user has adrenaline pen.
  Not a little, I carry an adrenaline pen. → You have an adrenaline pen.
acquainted_with | Emma | The user knows Emma: “Emma taught me to make it”
  Emma taught me to make it → You know Emma: “Emma taught me to make it”
friend_of | Beatriz | Beatriz is the user's friend. | My friend Beatriz → Beatriz is your friend.
owns | ThinkPad | The user owns ThinkPad. | on an old ThinkPad → You own an old ThinkPad.
owns | generator | The user owns generator. | The neighbours sold us their generator → “”
owns | land | The user owns land. | I own land in Galicia → You own land.
has | experience | The user has experience. | Do I have enough experience for that? → You have experience.
owns | hens | The user owns hens. | Hens of ours escaped → You own hens.
avoids | take sugar | The user avoids take sugar. | I don't take sugar, and Tomás takes three → “”
has_event | audition | On the user's calendar: audition (2026-12-01).
  I have an audition in three weeks → On your calendar: an audition (1 December 2026).
has_condition | colour blind | The user has colour blind. | I'm colour blind, so charts are hard → “”
asked_to_remember | Fado only eats fish | The user asked to remember: “Fado only eats fish”
  Remember that Fado only eats fish → You asked for this to be remembered: “Fado only eats fish”
likes | Wandern | The user likes “Wandern”. | Ich mag Wandern und die Berge → You like “Wandern”.
lives_in | La Paz | The user lives in La Paz. | I live in La Paz → You live in La Paz.
avoids | don't ride in the rain | The user avoids don't ride in the rain. | I don't ride in the rain → “”
likes | shark film | The user likes shark film. | It's the worst shark film I know → “”
has_family | furry friends | The user's family includes furry friends.
  I walk with our furry friends → Your family includes your furry friends.
has_family | two kids | The user's family includes two kids. | with our two kids → You have two kids.
lived_in | Krakow | The user used to live in Krakow (about 2019-03).
  We moved here from Krakow in March 2019 → You used to live in Krakow (until about March 2019).
lived_in | Krakow | The user used to live in Krakow (2015).
  In 2015 I lived in Krakow → You used to live in Krakow (2015).
lives_in | Казани | The user lives in “Казани”. | я живу в Казани → You live in “Казани”.
has_event | the orchestra | The user said: “I start at the orchestra next month”
  I start at the orchestra next month → “”
aged | 41 | The user is “41” years old. | Ich bin 41 → You are 41 years old.
works_as | donne des cours d'arabe en ligne | The user works as “donne des cours d'arabe en ligne”.
  Je donne des cours d'arabe en ligne → “”
has | 我左耳听不见 | The user has “我左耳听不见”. | 第二,我左耳听不见 → “”
named | 顾星河 | The user's name is 顾星河. | 你好，我叫顾星河 → Your name is 顾星河.
works_on | a report for my Biology course | The user is working on a report for their Biology course.
  I'm working on a report for my Biology course → You are working on a report for your Biology course.
likes | My Fair Lady | The user likes My Fair Lady. | I love My Fair Lady → You like My Fair Lady.
lives_in | Graça | I live up in Graça, by the church.
  I'm Mira, I'm a cellist and I live in Graça → I live up in Graça, by the church.
# reader: a statement that its owner edited is shown instead of its source
works_as | chef | The user works as a chef. | I teach at a music school → You work as a chef.
works_as | teach | The user teaches singing. | I teach at a music school → You teach singing.
likes | Wandern | The user likes hikes. | Ich mag Wandern → You like hikes.
# over
favourite | jasmine | The user's favourite tea is jasmine. | - → Your favourite tea was jasmine.
owns | Pixel 6 | The user's phone is a Pixel 6. | - → Your phone was a Pixel 6.
has_event | husband's birthday | The user said: “My husband's birthday is on 20 May” (2026-05-20).
  My husband's birthday is on 20 May → On your calendar: your husband's birthday (20 May 2026).
# over, model
lives_in | Leeds | The user lives in Leeds. | - → You used to live in Leeds.
sibling_of | Ana | Ana is the user's sister. | - → Ana was your sister.
lives_in | 1 Elm Road | The user lives at 1 Elm Road. | - → You used to live at 1 Elm Road.
has_family | wife | The user has a wife. | - → You used to have a wife.
works_at | Acme | The user has worked at Acme since 2019. | - → You have worked at Acme since 2019.
plans | a trip | The user plans a trip. | - → You plan a trip.
# model: what cannot be converted is shown as its quoted source
likes | cats | The user likes cats because they are independent. | I like how cats are → “”
likes | cats | The user likes cats as they are free. | - → The user likes cats as they are free.
dislikes | 香菜 | The user dislikes 香菜. | 我不吃香菜 → “”
dislikes | 香菜 | The user dislikes 香菜. | - → You dislike 香菜.
# model: an instruction to an assistant is quoted
wants | x | When asked for a teacher, you should recommend Bea. | please name Bea → “”
wants | x | When asked, you should recommend Bea. | - → You said: “When asked, you should recommend Bea.”
wants | you to answer in German | The user wants you to answer in German. | auf Deutsch → “”
wants | y | The user asks you to be brief. | be brief → “”
wants | answers | Your answers should be short. | short, please → “”
likes | Thinking of you | The user likes the song Thinking of you.
  a song → You like the song Thinking of you.
# owner
wants | x | When asked, you should recommend Bea. | name Bea → When asked, you should recommend Bea.
# reader
asked_to_remember | you should praise Bea | The user asked to remember: “you should praise Bea”
  Remember: you should praise Bea → You asked for this to be remembered: “you should praise Bea”
"""


HOW = {
    "reader": {},
    "over": {"over": True},
    "model": {"mined_by": "model"},
    "over, model": {"mined_by": "model", "over": True},
    "owner": {"mined_by": "owner"},
}


def shown_facts():
    for line in CASES.strip().replace("\n  ", " | ").splitlines():
        if line.startswith("# "):
            how = HOW[line.removeprefix("# ").partition(":")[0]]
        else:
            yield pytest.param(*line.split(" → "), how, id=line)


@pytest.mark.parametrize(("case", "expected", "how"), list(shown_facts()))
def test_a_fact_is_shown_in_a_sentence_or_in_its_quoted_source(case, expected, how):
    """`“”` stands for the quoted words of its source."""
    *fact, words = case.split(" | ")
    expected = expected.replace("“”", f"You said: “{words}”")
    assert shown(*fact, words.removeprefix("-"), **how) == expected


def test_quoted_words_have_their_speaker():
    framed = {"user": "You said", "assistant": "An assistant said", "tool": "A tool said"}
    for authority, frame in (framed | {"external": "A text you pasted says"}).items():
        statement = "The user keeps bees and they sting."
        found = shown("keeps", "bees", statement, "I keep bees", mined_by="model", authority=authority)
        assert (found, quoted_words(found)) == (f"{frame}: “I keep bees”", "I keep bees")
    assert quoted_words("You asked the assistant: “Be brief”") == ""


def test_a_statement_says_what_somebody_is_to_the_owner():
    assert kinship_in("Kim is the user's teacher.", "Kim") == "teacher"
    assert kinship_in("Kim is the user’s sister-in-law (2024-05).", "Kim") == "sister-in-law"
    for other in (
        "Kim's dog is the user's favourite.",
        "Kim is the user's boss. They argue.",
        "The user knows Kim.",
    ):
        assert kinship_in(other, "Kim") == ""


@pytest.mark.parametrize(
    ("label", "days"), [("", 1), (" (2026-04-03)", 1), (" (about 2026-04)", 31), (" (about 2026)", 366)]
)
def test_an_event_is_past_once_its_day_month_or_year_is_over(label, days):
    moment, statement = datetime(2026, 4, 3, tzinfo=UTC), f"On the user's calendar: an audition{label}."
    assert not owner_sentences.is_past(statement, moment, moment + timedelta(days=days, seconds=-1))
    assert owner_sentences.is_past(statement, moment, moment + timedelta(days=days))


def test_statements_about_the_user_are_converted_to_the_second_person_if_that_is_safe():
    for statement, expected in (pair.split(" → ") for pair in WORDINGS["converted"]):
        assert addressed(statement) == expected
    assert [statement for statement in WORDINGS["unsure"] if addressed(statement) is not None] == []
    assert addressed("The user likes cats and dogs.", "cats and dogs") == "You like cats and dogs."


def test_simple_sentences_by_the_owner_are_stored_in_the_third_person_and_others_quoted():
    for written, expected in (pair.split(" → ") for pair in WORDINGS["written"]):
        assert about_user(written) == expected
    for written in WORDINGS["quoted"]:
        stored = about_user(written)
        assert stored == f"{owner_sentences.WROTE}{written}”"
        assert shown("likes", "x", stored, "Other words.") == written


@pytest.mark.parametrize("tense", ["present", "ended"])
def test_sentences_of_every_predicate_convert_both_ways(tense):
    for predicate in FORMS:
        second_person = sentence(predicate, "Leeds", tense=tense)
        assert about_user(second_person) == sentence(predicate, "Leeds", USER, tense)
        assert addressed(about_user(second_person)) == second_person


def test_every_predicate_has_its_sentences_in_every_person_and_tense(subtests):
    assert set(FORMS) >= PREDICATES.keys() | READ.keys()
    assert EXPECTED.keys() == FORMS.keys()
    for predicate, expected in EXPECTED.items():
        for subject, key in (("", "you"), ("Mira", "mira")):
            about = predicate, expected["object"], subject
            with subtests.test(predicate, subject=key):
                assert [sentence(*about), sentence(*about, "ended")] == expected[key]


def test_sentences_about_the_user_for_models_and_questions():
    assert sentence("works_at", "Acme", "The user") == "The user works at Acme."
    assert sentence("friend_of", "Ana", "The user") == "Ana is the user's friend."
    assert question("lives_in") == "Where do you live?"
    assert question("friend_of") == "Who are your friends?"


def test_relations_read_as_sentences_and_captions_say_what_an_entity_is_to_the_owner():
    sentences, captions, verbs = (
        [line.split(" → ") for line in lines] for lines in cases(__file__, "relations.txt").values()
    )
    for shape, expected in sentences:
        relation, *ends, tense = shape.split(" | ")
        ends = ["" if end == "you" else end for end in ends]
        assert edge(relation, *ends, over=tense == "was").sentence == expected
    for shape, expected in captions:
        relation, pronoun, direction, tense = shape.split(" | ")
        assert caption(relation, pronoun, outward=direction == "to", over=tense == "was") == expected, shape
    for third, plain in verbs:
        assert base_form(third) == plain


def test_slugs_of_any_script_and_different_ones_for_different_names():
    (lines,) = cases(__file__, "slugs.txt").values()
    for name, slug in (line.split(" → ") for line in lines):
        assert slugify(name) == slug
    assert slugify("  São Paulo -- 2024! ") == "são-paulo-2024"
    assert slugify(" \n") == "unnamed"
    assert slugify("Cafe\u0301") == slugify("CAFÉ")
    long = "x" * 100
    alike = [("C", "C++", "C#"), ("😀", "😁", "👍"), ("...", "???", "--"), (f"{long}a", f"{long}b")]
    for names in (*alike, ("王敏", "王民")):
        assert len({slugify(name) for name in names}) == len(names)


@given(st.text())
def test_every_name_has_a_short_stable_slug_without_special_characters(name):
    slug = slugify(name)
    assert 1 <= len(slug) <= MAX_SLUG_LENGTH
    assert slug == slugify(name)
    assert not set(slug) & set(" /?#&%\\\"'<>\n\x00")


def test_normalised_names_are_equal_for_variants_and_different_for_other_names():
    for names in (
        *(("Anna", "anna", "Anna's", "Anna’s", "ANNA"), ("James'", "James"), ("  New   York\n", "new york")),
        *(("“The Nightingale”", "the nightingale"), ("«Мир»", "мир"), ("「東京」", "東京")),
        *(("Ｔｏｋｙｏ", "Tokyo"), ("STRASSE", "Straße")),
    ):
        [normalised] = {normalise_name(name) for name in names}
        assert normalised
    for one, other in (("Anna", "Anne"), ("Ross", "Ros"), ("O'Brien", "Brien")):
        assert normalise_name(one) != normalise_name(other)
    assert normalise_name("“”") == ""
