"""Agents: one is made, changed, preferred, deleted and brought back."""

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.conftest import Settle
from tests.browser.walks.walker import Walker

pytestmark = pytest.mark.drill


@pytest.fixture(scope="module")
def agda(settle: Settle) -> Walker:
    """Somebody with the agent that everybody has."""
    return settle("Agda")


def agent(walker: Walker, name: str) -> Locator:
    """The line of an agent in the list of them."""
    return walker.page.locator("main li").filter(has_text=name)


def test_an_agent_is_made_changed_and_changed_back(agda: Walker) -> None:
    page = agda.page
    agda.go("/chat/agents/")
    agda.follow("New agent")
    agda.press("Save")
    expect(page.get_by_label("Name", exact=True)).to_be_focused()
    agda.write("Name", "Navigator")
    agda.write("Instructions", "Speak of the sea.")
    agda.press("Save")
    agda.told("Saved.")
    expect(agent(agda, "Navigator")).to_contain_text("Uses memory")

    agda.follow("Navigator")
    agda.reads("Change the agent")
    form = agda.arrive(r"/chat/agents/[0-9a-f-]{36}/$")
    agda.write("Name", "Helmsman")
    agda.tick(page.get_by_label("Use memory in its replies"))
    agda.press("Save")
    agda.told("Saved.")
    expect(agent(agda, "Helmsman")).to_contain_text("Does not use memory")
    page.go_back()
    expect(page).to_have_url(form)
    expect(page.get_by_label("Name", exact=True)).to_have_value("Helmsman")
    agda.follow("Back")
    agda.follow("Helmsman")
    agda.press("Save")
    agda.told("Nothing was different.")


def test_a_change_of_an_agent_is_taken_back(agda: Walker) -> None:
    page = agda.page
    agda.go("/chat/agents/")
    agda.follow("Helmsman")
    agda.write("Name", "Pilot")
    agda.press("Save")
    agda.told("Saved.")
    agda.undo()
    expect(agent(agda, "Helmsman")).to_contain_text("Does not use memory")
    page.reload()
    expect(agent(agda, "Pilot")).to_have_count(0)


def test_two_windows_leave_alone_what_the_other_changed(agda: Walker) -> None:
    page = agda.page
    agda.go("/chat/agents/new/")
    agda.write("Name", "Bosun")
    agda.press("Save")
    agda.follow("Bosun")
    agda.reads("Change the agent")
    form = agda.arrive(r"/chat/agents/[0-9a-f-]{36}/$")
    other = page.context.new_page()
    other.goto(form)
    agda.tick(page.get_by_label("Learn from its chats"))
    agda.press("Save")
    agda.told("Saved.")
    agda.hand.write(other, other.get_by_label("Instructions"), "Whistle.")
    agda.hand.press(other, other.get_by_role("button", name="Save"))
    expect(other.locator("#toasts")).to_contain_text("Saved.")
    other.close()
    agda.go(form)
    expect(page.get_by_label("Instructions")).to_have_value("Whistle.")
    expect(page.get_by_label("Learn from its chats")).not_to_be_checked()
    expect(page.get_by_label("Use memory in its replies")).to_be_checked()


def test_an_agent_is_preferred_deleted_and_brought_back(agda: Walker) -> None:
    page = agda.page
    agda.go("/chat/agents/new/")
    agda.write("Name", "Cook")
    agda.press("Save")
    agda.press("Make default", within=agent(agda, "Cook"))
    expect(agent(agda, "Cook")).to_contain_text("Default")
    agda.press("Make default", within=agent(agda, "Make default").first)
    expect(agent(agda, "Cook")).not_to_contain_text("Default")

    agda.follow("Cook")
    agda.reads("Change the agent")
    gone = agda.arrive(r"/chat/agents/[0-9a-f-]{36}/$")
    agda.follow("Delete")
    agda.press("Delete")
    agda.told("The agent was deleted.")
    expect(agent(agda, "Cook")).to_have_count(0)
    agda.go(gone)
    agda.reads("There is nothing here")
    page.go_back()
    agda.reads("Whom you chat with.")
    agda.go("/chat/agents/new/")
    agda.write("Name", "Mate")
    agda.press("Save")
    agda.follow("Mate")
    agda.follow("Delete")
    agda.press("Delete")
    agda.undo()
    agda.told("The agent is back")
    page.reload()
    expect(agent(agda, "Mate")).to_have_count(1)
