"""What worked before: a proposal is published, rejected and put into other words, and back."""

import json

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.conftest import Settle
from tests.browser.exported import as_exported
from tests.browser.furnishing import TOOL_CHAT
from tests.browser.walks.walker import Walker

pytestmark = pytest.mark.drill


@pytest.fixture(scope="module")
def signe(settle: Settle) -> Walker:
    """Somebody to whom one skill is proposed."""
    signe = settle("Signe")
    signe.bring_export(json.dumps([as_exported("A new server", TOOL_CHAT[:-1])]).encode())
    signe.until("/memory/skills/", "HOST=oven-2")
    return signe


def of_status(walker: Walker, name: str, number: int) -> Locator:
    """Open the list of skills of this status, of which there are so many; returns the list."""
    walker.go("/memory/skills/")
    statuses = walker.page.get_by_role("navigation", name="Status")
    walker.follow(f"{name} {number}", within=statuses)
    listed = walker.page.locator("main li[id^=skill-]")
    expect(listed).to_have_count(number)
    return listed


def test_a_skill_is_published_or_rejected_and_each_is_undone(signe: Walker) -> None:
    signe.go("/memory/skills/")
    signe.press("Publish")
    signe.notice("Published. Assistants can use it now.")
    signe.undo()
    signe.notice("It is a proposal again.")
    of_status(signe, "Proposed", 1)
    signe.press("Publish")
    signe.notice("Published.")
    published = of_status(signe, "Published", 1)
    expect(published).to_contain_text("HOST=oven-2")
    signe.press("Move back to proposals")
    signe.notice("It is a proposal again.")
    of_status(signe, "Published", 0)
    signe.go("/memory/skills/")
    signe.press("Reject")
    signe.notice("Rejected. It will not be proposed again.")
    rejected = of_status(signe, "Rejected", 1)
    signe.press("Move back to proposals", within=rejected)
    signe.notice("It is a proposal again.")
    of_status(signe, "Proposed", 1)


def test_a_skill_is_put_into_other_words_and_back(signe: Walker) -> None:
    page = signe.page
    signe.go("/memory/skills/")
    signe.follow("Read and edit")
    signe.write("What works", "Name the host, always.")
    signe.press("Save")
    signe.notice("Your wording was saved.")
    skill = page.locator("main li[id^=skill-]")
    expect(skill).to_contain_text("Name the host, always.")
    signe.undo()
    signe.notice("That version was restored.")
    page.reload()
    expect(skill).to_contain_text("HOST=oven-2")
    signe.open("2 versions")
    signe.press("Use this version")
    signe.notice("That version was restored.")
    expect(skill).to_contain_text("Name the host, always.")
