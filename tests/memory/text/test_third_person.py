"""What owners write of themselves becomes a sentence for models, and theirs again on their pages."""

import pytest

from memory.text.forms import FORMS, USER, Tense, sentence
from memory.text.second_person import third_to_second_person
from memory.text.third_person import about_user, written_by_owner

TURNED = """
I live in Porto. → The user lives in Porto.
My name is Nora. → The user's name is Nora.
Your sister is called Ana. → The user's sister is called Ana.
Beatriz is your friend. → Beatriz is the user's friend.
You don't eat meat. → The user doesn't eat meat.
You need glasses and carry an adrenaline pen. → The user needs glasses and carries an adrenaline pen.
You always drink tea before you go to bed. → The user always drinks tea before the user goes to bed.
You'd like to move. → The user would like to move.
You used to live in Leeds. → The user used to live in Leeds.
You say: “I am tired”. → The user says: “I am tired”.
You have two cats and your son likes dogs. → The user has two cats and the user's son likes dogs.
Feeds the rye. → Feeds the rye.
Ich wohne in Berlin. → Ich wohne in Berlin.
"""


@pytest.mark.parametrize("line", TURNED.strip().splitlines())
def test_a_sentence_by_the_owner_is_turned_for_models(line: str) -> None:
    written, told = line.split(" → ")
    assert about_user(written) == told


@pytest.mark.parametrize("tense", ["present", "ended"])
def test_every_predicate_is_turned_there_and_back(tense: Tense) -> None:
    for predicate in FORMS:
        shown = sentence(predicate, "Leeds", tense=tense)
        assert about_user(shown) == sentence(predicate, "Leeds", USER, tense)
        assert third_to_second_person(about_user(shown)) == shown


def test_what_no_rule_turns_is_quoted_and_shown_as_it_was_written() -> None:
    for written in ("You'd had enough of it.", "What is mine is yours."):
        stored = about_user(written)
        assert stored.startswith("The user wrote")
        assert written_by_owner(stored) == written
