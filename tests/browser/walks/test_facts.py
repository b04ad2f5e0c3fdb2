"""Facts are added, reworded, ended, rejected and deleted, each undone."""

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
    walker.press("Note it")
    walker.told("Noted, with your words as a note.")
    return walker.arrive(FACT)


def test_a_fact_is_reworded(finn: Walker) -> None:
    heading = finn.page.get_by_role("heading", level=1)
    fact = add(finn, "The user keeps two goats.")
    for number in ("three", "four"):
        finn.follow("Edit")
        finn.write("What is true", f"The user keeps {number} goats.")
        finn.press("Keep this wording")
        finn.told("Your wording stands now.")
        expect(heading).to_have_text(f"You keep {number} goats.")
        finn.reads("What it was before")
    finn.undo()
    finn.told("Undone.")
    finn.go(fact)
    expect(heading).to_have_text("You keep three goats.")


@pytest.mark.parametrize(
    ("button", "told"),
    [
        ("No longer true", "It ends there, and stays in your past."),
        ("That is wrong", "Rejected."),
        ("Delete", "Deleted. The words it rests on are kept."),
    ],
)
def test_a_fact_is_ended_rejected_or_deleted(finn: Walker, button: str, told: str) -> None:
    thing = f"windmill {len(button)}"
    add(finn, f"The user owns {thing}.")
    finn.press(button)
    finn.told(told)
    finn.go("/memory/facts/")
    finn.lacks(thing)
    finn.go("/memory/activity/")
    finn.press("Undo")
    finn.told("Undone.")
    finn.go("/memory/facts/")
    finn.reads(thing)
