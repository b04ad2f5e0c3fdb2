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


def test_an_agent_is_made_and_changed(agda: Walker) -> None:
    page = agda.page
    agda.go("/chat/agents/")
    agda.follow("New agent")
    agda.press("Save")
    expect(page.get_by_label("Name", exact=True)).to_be_focused()
    agda.write("Name", "Navigator")
    agda.write("Instructions", "Speak of the sea.")
    agda.press("Save")
    agda.notice("Saved.")
    expect(agent(agda, "Navigator")).to_contain_text("Uses memory")
    agda.follow("Navigator")
    agda.reads("Edit agent")
    agda.write("Name", "Helmsman")
    agda.tick(page.get_by_label("Use memory in its replies"))
    agda.press("Save")
    agda.notice("Saved.")
    expect(agent(agda, "Helmsman")).to_contain_text("Does not use memory")
    agda.undo()
    expect(agent(agda, "Navigator")).to_contain_text("Uses memory")
    page.reload()
    expect(agent(agda, "Helmsman")).to_have_count(0)


def test_an_agent_is_made_the_default_deleted_and_restored(agda: Walker) -> None:
    agda.go("/chat/agents/new/")
    agda.write("Name", "Cook")
    agda.press("Save")
    agda.press("Make default", within=agent(agda, "Cook"))
    expect(agent(agda, "Cook")).to_contain_text("Default")
    agda.press("Make default", within=agent(agda, "Make default").first)
    expect(agent(agda, "Cook")).not_to_contain_text("Default")
    agda.follow("Cook")
    agda.reads("Edit agent")
    gone = agda.arrive(r"/chat/agents/[0-9a-f-]{36}/$")
    agda.follow("Delete")
    agda.press("Delete")
    agda.notice("Agent deleted.")
    expect(agent(agda, "Cook")).to_have_count(0)
    agda.undo()
    agda.notice("Agent restored")
    agda.go(gone)
    agda.reads("Edit agent")
