"""The palace as tree and as columns at one address: by keys, and back and forth."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Arrive
from tests.browser.visitors import Visitor

NOTES = {
    "Anchor": ("The anchor is galvanised.", "Chain"),
    "Barometer": ("The barometer falls before rain.", "Weather"),
    "Beacon": ("The beacon blinks twice.", "Light"),
}
DRAWER = re.compile(r"/memory/drawers/[0-9a-f-]{36}/$")


@pytest.fixture(scope="module")
def petra(arrive: Arrive) -> Visitor:
    """Somebody with three subjects."""
    petra = arrive()
    petra.sign_up("Petra")
    for wing, (words, closet) in NOTES.items():
        petra.go("/memory/note/")
        petra.page.locator("textarea").first.fill(words)
        petra.page.locator("main details > summary").click()
        petra.page.get_by_label("Wing", exact=True).fill(wing)
        petra.page.get_by_label("Closet", exact=True).fill(closet)
        petra.page.get_by_role("button", name="Save note").click()
        expect(petra.page).to_have_url(DRAWER)
    return petra


@pytest.fixture(autouse=True)
def nothing_to_complain_about(petra: Visitor) -> Iterator[None]:
    yield
    assert petra.complaints == []


def focused(page: Page) -> str:
    """The name of what has the focus."""
    return str(page.evaluate("document.activeElement.querySelector('.tree-name')?.textContent"))


def test_the_tree_takes_arrows_and_letters_with_one_stop_for_tab(petra: Visitor) -> None:
    page = petra.page
    petra.go("/memory/?view=tree")
    tree = page.get_by_role("tree")
    expect(tree.get_by_role("treeitem")).to_have_count(3)
    expect(tree.locator("[role=treeitem][tabindex='0']")).to_have_count(1)
    tree.locator("[role=treeitem][tabindex='0']").focus()
    page.keyboard.press("Home")
    assert focused(page) == "Beacon"
    page.keyboard.press("End")
    assert focused(page) == "Anchor"
    page.keyboard.type("ba")
    assert focused(page) == "Barometer"

    page.keyboard.press("ArrowRight")
    wing = tree.get_by_role("treeitem").filter(has_text="Barometer")
    expect(wing).to_have_attribute("aria-expanded", "true")
    expect(tree.get_by_role("treeitem")).to_have_count(4)
    page.keyboard.press("ArrowRight")
    expect(tree.locator("[aria-level='2']:focus")).to_have_count(1)
    page.keyboard.press("ArrowLeft")
    assert focused(page) == "Barometer"
    page.keyboard.press("ArrowLeft")
    expect(wing).to_have_attribute("aria-expanded", "false")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Barometer")


def test_one_address_in_both_views_and_the_way_back(petra: Visitor) -> None:
    page = petra.page
    petra.go("/memory/?view=tree")
    page.locator(".tree-whole a.tree-item").filter(has_text="Beacon").click()
    page.get_by_role("link", name="Columns", exact=True).click()
    expect(page.locator(".column")).to_have_count(2)
    expect(page.locator(".column [aria-current]")).to_contain_text("Beacon")
    expect(page).to_have_url(re.compile(r"/memory/w/[0-9a-f-]{36}/\?view=columns$"))
    deep = page.url
    page.locator(".column").nth(1).locator("a").click()
    expect(page).to_have_url(re.compile(r"/r/[0-9a-f-]{36}/\?view=columns$"))

    page.go_back()
    expect(page).to_have_url(deep)
    page.go_back()
    expect(page.get_by_role("tree")).to_be_visible()
    page.go_forward()
    expect(page.locator(".column")).to_have_count(2)

    other = petra.context.new_page()
    other.goto(deep)
    expect(other.get_by_role("heading", level=1)).to_contain_text("Beacon")
    expect(other.locator(".miller")).to_be_visible()
    other.close()
