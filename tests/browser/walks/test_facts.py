"""Correcting what was understood: a fact is written, put into other words, ended, deleted, undone."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Settle
from tests.browser.walks.walker import Walker

FACT = r"/memory/facts/[0-9a-f-]{36}/$"


@pytest.fixture(scope="module")
def finn(settle: Settle) -> Walker:
    """Somebody of whom nothing is known."""
    return settle("Finn")


def add(walker: Walker, words: str) -> str:
    """Write a fact down; returns its address."""
    walker.go("/memory/facts/")
    walker.follow("Add a fact")
    walker.write("What is true", words)
    walker.press("Note it")
    walker.told("Noted, with your words as a note.")
    return walker.arrive(FACT)


@pytest.mark.phone
def test_a_fact_is_put_into_other_words_and_back(finn: Walker) -> None:
    page = finn.page
    heading = page.get_by_role("heading", level=1)
    fact = add(finn, "The user keeps two goats.")
    finn.follow("Edit")
    finn.write("What is true", "The user keeps three goats.")
    finn.press("Keep this wording")
    finn.told("Your wording stands now.")
    page.reload()
    expect(heading).to_have_text("The user keeps three goats.")
    finn.reads("What it was before")
    finn.follow("Edit")
    finn.write("What is true", "The user keeps four goats.")
    finn.press("Keep this wording")
    finn.undo()
    finn.told("Taken back.")
    finn.go(fact)
    expect(heading).to_have_text("The user keeps three goats.")
    finn.go("/memory/facts/")
    finn.follow("goats")
    assert finn.arrive(FACT) == fact
    page.go_back()
    finn.reads("The user keeps three goats.")


def test_a_fact_ends_on_a_day_and_holds_again(finn: Walker) -> None:
    page = finn.page
    add(finn, "The user sings in a choir.")
    finn.press("No longer true")
    finn.told("It ends there, and stays in your past.")
    finn.go("/memory/facts/")
    finn.lacks("sings in a choir")
    page.go_back()
    finn.go("/memory/activity/")
    finn.press("Undo")
    finn.told("Taken back.")
    finn.go("/memory/facts/")
    finn.reads("sings in a choir")


def test_a_fact_is_wrong_or_deleted_and_comes_back(finn: Walker) -> None:
    page = finn.page
    add(finn, "The user owns a windmill.")
    finn.press("That is wrong")
    finn.told("Rejected.")
    finn.undo()
    finn.told("Taken back.")
    finn.go("/memory/facts/")
    finn.follow("windmill")
    finn.press("Delete")
    finn.told("Deleted. The words it rests on are kept.")
    finn.lacks("owns a windmill")
    page.reload()
    finn.lacks("owns a windmill")
    finn.go("/memory/activity/")
    finn.press("Undo")
    finn.told("Taken back.")
    finn.go("/memory/facts/")
    finn.reads("owns a windmill")


def test_two_windows_on_one_fact_tell_the_truth(finn: Walker) -> None:
    page = finn.page
    fact = add(finn, "The user plays the lute.")
    other = page.context.new_page()
    other.goto(fact)
    finn.press("Delete")
    finn.told("Deleted.")
    finn.hand.press(other, other.get_by_role("button", name="That is wrong"))
    expect(other.get_by_role("heading", level=1)).to_have_text("There is nothing here")
    other.close()
    finn.undo()
    finn.told("Taken back.")
