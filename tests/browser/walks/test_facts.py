"""Facts are added, reworded, ended and deleted, each undone."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Settle
from tests.browser.walks.walker import Walker

FACT = r"/memory/facts/[0-9a-f-]{36}/$"


@pytest.fixture(scope="module")
def finn(settle: Settle) -> Walker:
    """A user without facts."""
    return settle("Finn")


def add(walker: Walker, words: str) -> str:
    """Add a fact and return its address."""
    walker.go("/memory/facts/")
    walker.follow("Add a fact")
    walker.write("What is true", words)
    walker.press("Save")
    walker.notice("Fact added. Your words are saved as a note.")
    return walker.arrive(FACT)


def test_a_fact_is_found_and_reworded_in_its_row(finn: Walker) -> None:
    add(finn, "I own a red kite.")
    add(finn, "I own a blue lantern.")
    finn.go("/memory/facts/")
    finn.write("Search facts", "kite")
    finn.lacks("lantern")
    finn.open("You own a red kite.")
    finn.follow("Edit")
    expect(finn.page.get_by_label("What is true")).to_be_focused()
    finn.write("What is true", "You own a green kite.")
    finn.press("Save")
    finn.notice("Your wording was saved.")
    finn.reads("You own a green kite.")
    finn.undo()
    finn.notice("Undone.")
    finn.arrive(r"q=kite")
    finn.reads("You own a red kite.")
    finn.open("You own a red kite.")
    finn.press("Delete")
    finn.notice("Fact deleted. Its source is kept.")
    finn.lacks("kite.")


def test_a_search_that_has_not_answered_leaves_an_edited_row_alone(finn: Walker) -> None:
    add(finn, "I own a tin trumpet.")
    finn.go("/memory/facts/")
    finn.page.route(re.compile("q=trumpet"), lambda route: None)  # never answered
    with finn.page.expect_request(re.compile("q=trumpet")):
        finn.write("Search facts", "trumpet")
    with finn.page.expect_event("requestfailed"):
        finn.page.locator(".fact", has_text="tin trumpet").locator(".fact-edit").click()
    expect(finn.page.get_by_label("What is true")).to_be_focused()
    finn.page.unroute_all()


def test_a_fact_is_ended_and_restored_from_its_page(finn: Walker) -> None:
    add(finn, "The user owns a windmill.")
    finn.press("No longer true")
    finn.notice("The fact has ended and stays in your past.")
    finn.go("/memory/facts/")
    finn.lacks("windmill")
    finn.go("/memory/activity/")
    finn.press("Undo")
    finn.notice("Undone.")
    finn.go("/memory/facts/")
    finn.reads("windmill")
