"""Every predicate has complete, correct sentences."""

import tomllib
from pathlib import Path

import pytest

from memory.facts.vocabulary import PREDICATES
from memory.mining.reader.predicates import PREDICATES as READ
from memory.text.forms import FORMS, base_form, caption, edge, question, sentence

EXPECTED = tomllib.loads(Path(__file__).with_name("forms.toml").read_text(encoding="utf-8"))


def test_every_predicate_has_its_sentences_in_every_person_and_tense(subtests):
    assert set(FORMS) >= PREDICATES.keys() | READ.keys()
    assert EXPECTED.keys() == FORMS.keys()
    for predicate, expected in EXPECTED.items():
        for subject, key in (("", "you"), ("Mira", "mira")):
            with subtests.test(predicate, subject=key):
                about = expected["object"]
                now = sentence(predicate, about, subject)
                ended = sentence(predicate, about, subject, "ended")
                assert [now, ended] == expected[key]


def test_sentences_about_the_user_for_models_and_questions():
    assert sentence("works_at", "Acme", "The user") == "The user works at Acme."
    assert sentence("friend_of", "Ana", "The user") == "Ana is the user's friend."
    assert question("lives_in") == "Where do you live?"
    assert question("born_in", "Mira") == "Where was Mira born?"
    assert question("friend_of") == "Who are your friends?"


@pytest.mark.parametrize(
    ("relation", "ends", "over", "expected"),
    [
        ("lives_in", ("", "Leeds"), False, "You live in Leeds"),
        ("lives_in", ("Ana", "Leeds"), True, "Ana lived in Leeds"),
        ("friend_of", ("", "Beatriz"), False, "Beatriz is your friend"),
        ("friend_of", ("Ana", ""), False, "You are Ana's friend"),
        ("has_sister", ("", "Ines"), False, "Ines is your sister"),
        ("is_learning", ("", "Greek"), False, "You are learning Greek"),
        ("teaches", ("", "chemistry"), False, "You teach chemistry"),
        ("located_in", ("Porto", "Portugal"), False, "Porto is located in Portugal"),
        ("member_of", ("", "a choir"), False, "You are a member of a choir"),
        ("works_with", ("Ana", ""), False, "Ana works with you"),
        ("has_pet", ("", "two dogs"), False, "two dogs are your pets"),
        ("sibling_of", ("", "aunt Doris"), False, "aunt Doris is your sibling"),
        ("friend_of", ("", "the boss"), False, "the boss is your friend"),
        ("parent_of", ("", "twins"), True, "twins were your children"),
        ("has_pet", ("", "Rufus"), False, "Rufus is your pet"),
    ],
)
def test_a_relation_reads_as_a_sentence(relation, ends, over, expected):
    assert edge(relation, *ends, over=over).sentence == expected


@pytest.mark.parametrize(
    ("relation", "pronoun", "outward", "over", "expected"),
    [
        ("lives_in", "there", True, False, "you live there"),
        ("comes_from", "there", True, False, "you come from there"),
        ("has_visited", "there", True, False, "you have visited it"),
        ("works_at", "there", True, True, "you worked there"),
        ("speaks", "it", True, False, "you speak it"),
        ("works_on", "it", True, False, "you’re working on it"),
        ("acquainted_with", "them", True, False, "you know them"),
        ("sibling_of", "them", True, False, "your sibling"),
        ("friend_of", "them", True, True, "was your friend"),
        ("parent_of", "them", False, False, "you are their child"),
        ("works_with", "them", False, False, "works with you"),
    ],
)
def test_a_caption_says_what_an_entity_is_to_the_owner(relation, pronoun, outward, over, expected):
    assert caption(relation, pronoun, outward=outward, over=over) == expected


@pytest.mark.parametrize(
    ("third", "plain"),
    [
        ("carries", "carry"),
        ("dies", "die"),
        ("watches", "watch"),
        ("uses", "use"),
        ("misses", "miss"),
        ("goes", "go"),
        ("doesn't", "don't"),
        ("isn’t", "aren’t"),
        ("fixes", "fix"),
        ("plays", "play"),
        ("organises", "organise"),
    ],
)
def test_base_form_of_third_person_verbs(third, plain):
    assert base_form(third) == plain
