"""The drawing of people and things, with a mouse, with keys, and moved through time."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Arrive
from tests.browser.visitors import Visitor


@pytest.fixture(scope="module")
def nelly(arrive: Arrive) -> Visitor:
    """Somebody whose palace is the demo's, mined."""
    nelly = arrive()
    nelly.sign_up("Nelly")
    nelly.page.get_by_role("button", name="Load the demo").click()
    nelly.go("/memory/graph/")
    for _ in range(120):
        if nelly.page.locator(".graph-link.graph-ended").count():
            return nelly
        nelly.page.wait_for_timeout(500)
        nelly.page.reload()
    raise AssertionError("nothing was ever drawn")


@pytest.fixture
def page(nelly: Visitor) -> Page:
    nelly.go("/memory/graph/")
    expect(nelly.page.get_by_role("slider", name="Move through time")).to_be_visible()
    return nelly.page


def drawn(page: Page) -> set[str]:
    names = page.locator(".graph-node title").all_text_contents()
    return {name.strip() for name in names}


def test_a_line_under_the_mouse_tells_the_words_it_rests_on(page: Page) -> None:
    link = page.locator(".graph-link").first
    expect(page.locator("[data-drawing-words]")).to_be_hidden()
    link.locator(".graph-reach").dispatch_event("pointerover", {"bubbles": True})
    words = page.locator("[data-drawing-words]")
    expect(words).to_be_visible()
    told = (link.locator("title").text_content() or "").strip()
    assert "“" in told
    assert told.splitlines()[0] in words.inner_text()


def test_what_is_pointed_at_stands_out_with_its_neighbours(page: Page) -> None:
    page.locator(".graph-node .graph-shape").nth(1).hover()
    expect(page.locator(".graph.is-isolating")).to_be_visible()
    near = page.locator(".is-near").count()
    assert 2 < near < page.locator(".graph-node, .graph-link").count()
    page.mouse.move(2, 2)
    expect(page.locator(".is-isolating")).to_have_count(0)


def test_keys_reach_everybody_drawn_and_lead_to_their_surroundings(page: Page) -> None:
    page.get_by_role("region", name="Drawing of relations").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    name = page.evaluate("document.activeElement.querySelector('title').textContent").strip()
    expect(page.locator(".graph.is-isolating")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("entity="))
    expect(page.locator(".graph-focus title")).to_have_text(name)
    page.go_back()
    expect(page).to_have_url(re.compile(r"/memory/graph/$"))


def test_the_slider_moves_drawing_table_and_address_to_a_day(page: Page) -> None:
    now = drawn(page)
    page.get_by_role("slider", name="Move through time").focus()
    page.keyboard.press("Home")
    expect(page).to_have_url(re.compile(r"at=\d{4}-\d\d-\d\d"))
    expect(page.locator("#graph-view")).not_to_have_class(re.compile("htmx"))
    then = drawn(page)
    assert then != now
    rows = page.locator("#graph-view tbody tr")
    assert then == set() or rows.count() > 0
    page.reload()
    assert drawn(page) == then
    page.go_back()
    expect(page).to_have_url(re.compile(r"/memory/graph/$"))


def test_what_was_over_is_dashed_and_of_a_day_only_on_wish(page: Page, nelly: Visitor) -> None:
    ended = page.locator(".graph-link.graph-ended")
    dashes = ended.first.locator("line").nth(1).evaluate("e => getComputedStyle(e).strokeDasharray")
    assert dashes != "none"
    page.get_by_role("slider", name="Move through time").press("ArrowLeft")
    expect(page).to_have_url(re.compile(r"at=\d{4}-\d\d-\d\d"))
    expect(ended).to_have_count(0)
    page.get_by_label("Also what was over by then").check()
    expect(ended).not_to_have_count(0)
    assert nelly.complaints == []
