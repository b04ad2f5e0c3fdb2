"""The drawing of people and things, with a mouse, with keys, and moved through time."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.accounts.test_contrast import contrast
from tests.browser.conftest import Arrive
from tests.browser.visitors import Visitor

pytestmark = pytest.mark.drill


@pytest.fixture(scope="module")
def nelly(arrive: Arrive) -> Visitor:
    """Somebody whose palace is the demo's, mined."""
    nelly = arrive()
    nelly.sign_up("Nelly")
    nelly.page.get_by_role("button", name="Load demo").click()
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
    expect(nelly.page.get_by_role("slider", name="Day")).to_be_visible()
    return nelly.page


def drawn(page: Page) -> set[str]:
    names = page.locator(".graph-node title").all_text_contents()
    return {name.strip() for name in names}


def test_pointing_and_tabbing_isolate_somebody_and_show_the_words(page: Page) -> None:
    words = page.locator("[data-drawing-words]")
    expect(words).to_be_hidden()
    link = page.locator(".graph-link").first
    link.locator(".graph-reach").dispatch_event("pointerover", {"bubbles": True})
    expect(words).to_be_visible()
    told = (link.locator("title").text_content() or "").strip()
    assert "“" in told
    assert told.splitlines()[0] in words.inner_text()
    page.locator(".graph-node .graph-shape").nth(1).hover()
    expect(page.locator(".graph.is-isolating")).to_be_visible()
    assert 2 < page.locator(".is-near").count() < page.locator(".graph-node, .graph-link").count()
    page.mouse.move(2, 2)
    expect(page.locator(".is-isolating")).to_have_count(0)
    page.get_by_role("region", name="Diagram of relations").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    name = page.evaluate("document.activeElement.querySelector('title').textContent").strip()
    expect(page.locator(".graph.is-isolating")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("entity="))
    expect(page.locator(".graph-focus title")).to_have_text(name)


LOOKS = (
    {"color_scheme": "light", "contrast": "no-preference"},
    {"color_scheme": "dark", "contrast": "no-preference"},
    {"color_scheme": "light", "contrast": "more"},
    {"color_scheme": "dark", "contrast": "more"},
)
RING = """(node) => {
  const ring = getComputedStyle(node.querySelector(".graph-ring"));
  const box = node.querySelector(".graph-ring").getBoundingClientRect();
  const shape = node.querySelector(".graph-shape").getBoundingClientRect();
  const ground = getComputedStyle(node.closest(".drawing-scroll")).backgroundColor;
  return [ring.display, parseFloat(ring.strokeWidth), ring.stroke, ground, box.width - shape.width];
}"""


@pytest.mark.parametrize("look", LOOKS)
def test_the_focus_on_somebody_drawn_is_plain_to_see(page: Page, look: dict[str, Any]) -> None:
    page.emulate_media(**look)
    page.set_viewport_size({"width": 360, "height": 740})
    node = page.locator(".graph-node").nth(1)
    assert node.evaluate(RING)[0] == "none"
    page.get_by_role("region", name="Diagram of relations").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    expect(node).to_be_focused()
    shown, width, stroke, ground, gap = node.evaluate(RING)
    assert shown != "none"
    assert width >= 3
    assert gap >= 4
    assert contrast(as_hex(stroke), as_hex(ground)) >= 7
    page.set_viewport_size({"width": 1280, "height": 800})
    page.emulate_media(color_scheme="light", contrast="no-preference")


def as_hex(colour: str) -> str:
    red, green, blue = (int(part) for part in re.findall(r"\d+", colour)[:3])
    return f"#{red:02x}{green:02x}{blue:02x}"


def test_the_slider_moves_drawing_table_and_address_to_a_day(page: Page) -> None:
    now = drawn(page)
    page.get_by_role("slider", name="Day").focus()
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
    page.get_by_role("slider", name="Day").press("ArrowLeft")
    expect(page).to_have_url(re.compile(r"at=\d{4}-\d\d-\d\d"))
    expect(ended).to_have_count(0)
    page.get_by_label("Include past relations").check()
    expect(ended).not_to_have_count(0)
    assert nelly.complaints == []
