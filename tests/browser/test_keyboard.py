"""The whole frame without a mouse: the palette, jumps, the sheet, and switching single keys off."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Arrive
from tests.browser.visitors import Visitor


@pytest.fixture(scope="module")
def dora(arrive: Arrive) -> Visitor:
    """Somebody with an account and a note."""
    dora = arrive()
    dora.sign_up("Dora")
    dora.go("/memory/note/")
    dora.page.locator("textarea").first.fill("The key to the attic hangs behind the clock.")
    dora.page.get_by_role("button", name="Save note").click()
    dora.page.wait_for_load_state()
    return dora


@pytest.fixture
def page(dora: Visitor) -> Page:
    dora.go("/memory/")
    return dora.page


def chosen(page: Page) -> str:
    return page.locator("#palette [role=option][aria-selected=true]").inner_text()


def test_the_palette_is_walked_by_arrows_and_opens_pages_and_drawers(page: Page) -> None:
    page.get_by_role("link", name="Go to…").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("option").first).to_be_visible()
    first = chosen(page)
    page.keyboard.press("ArrowDown")
    assert chosen(page) != first
    page.keyboard.press("ArrowUp")
    assert chosen(page) == first
    page.keyboard.press("Escape")
    expect(page.locator("#palette")).not_to_be_visible()
    expect(page.get_by_role("link", name="Go to…")).to_be_focused()

    page.keyboard.press("Control+k")
    box = page.get_by_role("combobox")
    expect(box).to_be_focused()
    page.keyboard.type("timel")
    option = page.get_by_role("option").filter(has_text="Timeline")
    expect(option).to_have_attribute("aria-selected", "true")
    expect(box).to_have_attribute("aria-activedescendant", option.get_attribute("id") or "none")
    expect(page.locator("#palette-count")).to_contain_text(re.compile(r"\d places?"))
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/memory/timeline/$"))
    page.keyboard.press("Control+k")
    page.keyboard.type("§ w-1/r-1/d-1")
    expect(page.get_by_role("option", name="§ W-001/R-01/D-001")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.locator(".said-here blockquote")).to_contain_text("behind the clock")


def test_single_keys_jump_and_are_listed(page: Page) -> None:
    for keys, path in (("gf", "/memory/facts/"), ("gr", "/memory/review/"), ("gc", "/chat/")):
        page.evaluate("document.activeElement.blur()")
        page.keyboard.type(keys)
        expect(page).to_have_url(re.compile(f"{path}$"))
        page.wait_for_load_state()
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("?")
    sheet = page.get_by_role("dialog", name="Keyboard")
    expect(sheet.get_by_text("Undo the last action")).to_be_visible()
    page.keyboard.press("Escape")
    expect(sheet).not_to_be_visible()


def test_nothing_happens_while_somebody_types(dora: Visitor) -> None:
    dora.go("/memory/search/")
    dora.page.keyboard.press("/")
    box = dora.page.get_by_role("searchbox", name="Search your memory")
    expect(box).to_be_focused()
    dora.page.keyboard.type("g f? j")
    expect(box).to_have_value("g f? j")
    expect(dora.page).to_have_url(re.compile(r"/memory/search/$"))


def test_a_drawer_is_pinned_deleted_and_taken_back_by_keys(dora: Visitor) -> None:
    page = dora.page
    dora.go("/memory/p/W-1/R-1/D-1/")
    page.keyboard.press("p")
    expect(page.get_by_role("button", name="Pinned")).to_be_visible()
    page.keyboard.press("#")
    expect(page.get_by_role("heading", name="This drawer is in the trash")).to_be_visible()
    page.keyboard.press("u")
    expect(page.locator(".said-here blockquote")).to_contain_text("behind the clock")


def test_single_keys_can_be_switched_off_and_the_palette_stays(dora: Visitor) -> None:
    page = dora.page
    dora.go("/keys/")
    page.get_by_role("button", name="Turn them off").click()
    expect(page.get_by_text("Single keys are off")).to_be_visible()
    page.keyboard.type("gf")
    page.keyboard.press("Control+k")
    expect(page.get_by_role("combobox")).to_be_focused()
    expect(page).to_have_url(re.compile(r"/keys/$"))
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Turn them on").click()
    expect(page.get_by_role("button", name="Turn them off")).to_be_visible()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keyboard")).to_be_visible()
    assert dora.complaints == []
