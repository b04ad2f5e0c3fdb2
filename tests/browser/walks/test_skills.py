"""What worked before: a proposal is published, rejected and put into other words, and back."""

import json

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.conftest import Settle
from tests.browser.exported import Chat, as_exported
from tests.browser.walks.walker import Walker

pytestmark = pytest.mark.drill

TOOL_CHAT: Chat = (
    {"author": "user", "text": "Please deploy the site of the quartet to the new server."},
    {"author": "assistant", "recipient": "shell", "text": '{"command": "make deploy"}'},
    {"author": "tool", "text": "make: *** No rule\nError: target host not found"},
    {"author": "assistant", "recipient": "shell", "text": '{"command": "make deploy HOST=oven-2"}'},
    {"author": "tool", "text": "Uploading… done, 0 errors."},
    {"author": "assistant", "text": "It is deployed: the host has to be named with HOST=oven-2."},
    {"author": "user", "text": "Great, that worked! Thanks."},
)


@pytest.fixture(scope="module")
def signe(settle: Settle) -> Walker:
    """Somebody to whom one skill is proposed."""
    signe = settle("Signe")
    signe.bring_export(json.dumps([as_exported("A new server", TOOL_CHAT)]).encode())
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


def test_a_skill_is_published_and_that_is_taken_back(signe: Walker) -> None:
    signe.go("/memory/skills/")
    signe.press("Publish")
    signe.told("Published. Assistants may be told of it.")
    signe.undo()
    signe.told("It is a proposal again.")
    of_status(signe, "Proposed", 1)
    signe.press("Publish")
    signe.told("Published.")
    published = of_status(signe, "Published", 1)
    expect(published).to_contain_text("HOST=oven-2")
    signe.press("Make it a proposal again")
    signe.told("It is a proposal again.")
    of_status(signe, "Published", 0)


def test_a_skill_is_rejected_and_that_is_taken_back(signe: Walker) -> None:
    signe.go("/memory/skills/")
    signe.press("Reject")
    signe.told("Rejected. It will not be proposed again.")
    signe.page.reload()
    signe.reads("No proposals.")
    rejected = of_status(signe, "Rejected", 1)
    signe.press("Make it a proposal again", within=rejected)
    signe.told("It is a proposal again.")
    of_status(signe, "Proposed", 1)


def test_a_skill_is_put_into_other_words_and_back(signe: Walker) -> None:
    page = signe.page
    signe.go("/memory/skills/")
    signe.follow("Read and reword")
    signe.write("What works", "Name the host, always.")
    signe.press("Save")
    signe.told("Your wording stands now.")
    skill = page.locator("main li[id^=skill-]")
    expect(skill).to_contain_text("Name the host, always.")
    signe.undo()
    signe.told("That version stands now.")
    page.reload()
    expect(skill).to_contain_text("HOST=oven-2")
    signe.open("2 versions")
    signe.press("Use this one")
    signe.told("That version stands now.")
    expect(skill).to_contain_text("Name the host, always.")
    signe.follow("Drawer 1")
    signe.reads("deploy")
    page.go_back()
    expect(skill).to_contain_text("Name the host, always.")
