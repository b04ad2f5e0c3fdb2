"""Statements about the user are converted to the second person if that is safe; sentences by owners are
stored in the third person or quoted, and shown as written."""

from types import SimpleNamespace

import pytest

from memory.text.forms import FORMS, USER, sentence
from memory.text.owner_sentences import WROTE, about_user, addressed, for_owner
from tests.cases import cases

CASES = cases(__file__, "second_person.txt")


def test_statements_are_converted_to_the_second_person():
    for statement, expected in (pair.split(" → ") for pair in CASES["converted"]):
        assert addressed(statement) == expected


def test_ambiguous_statements_are_not_converted():
    assert [statement for statement in CASES["unsure"] if addressed(statement) is not None] == []


def test_a_list_known_to_be_the_object_is_converted():
    assert addressed("The user likes cats and dogs.", "cats and dogs") == "You like cats and dogs."


def test_simple_sentences_by_the_owner_are_stored_in_the_third_person():
    for written, expected in (pair.split(" → ") for pair in CASES["written"]):
        assert about_user(written) == expected


@pytest.mark.parametrize("written", CASES["quoted"])
def test_any_other_sentence_by_the_owner_is_stored_quoted_and_shown_as_written(written):
    stored = about_user(written)
    assert stored == f"{WROTE}{written}”"
    fact = SimpleNamespace(
        predicate="likes", value="x", object="x", statement=stored, mined_by="reader", authority="user"
    )
    assert for_owner(fact, lambda: "Other words.", over=False) == written


@pytest.mark.parametrize("tense", ["present", "ended"])
def test_sentences_of_every_predicate_convert_both_ways(tense):
    for predicate in FORMS:
        shown = sentence(predicate, "Leeds", tense=tense)
        assert about_user(shown) == sentence(predicate, "Leeds", USER, tense)
        assert addressed(about_user(shown)) == shown
