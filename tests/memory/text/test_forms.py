"""Every predicate has complete, correct sentences."""

import tomllib
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from memory.facts.vocabulary import PREDICATES
from memory.mining.reader.predicates import PREDICATES as READ
from memory.text.forms import FORMS, base_form, caption, edge, question, sentence
from memory.text.names import MAX_SLUG_LENGTH, normalise_name, slugify
from tests.cases import cases

EXPECTED = tomllib.loads(Path(__file__).with_name("forms.toml").read_text(encoding="utf-8"))


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
