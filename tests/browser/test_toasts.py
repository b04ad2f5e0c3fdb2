"""What was told lies over nothing that is needed next: not on a phone, not without scripts."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.chat.talking import ask, keep_note, open_options
from tests.browser.conftest import Arrive
from tests.browser.visitors import Visitor

pytestmark = pytest.mark.drill

SIZES = {"phone": {"width": 360, "height": 740}, "wide": {"width": 1280, "height": 800}}
OVERLAP = """() => {
  const told = [...document.querySelectorAll(".toast")].map((each) => each.getBoundingClientRect());
  const bars = [...document.querySelectorAll("[data-at-edge]")].map((each) => each.getBoundingClientRect());
  const meet = (one, other) => one.top < other.bottom - 1 && other.top < one.bottom - 1
    && one.left < other.right - 1 && other.left < one.right - 1;
  if (!told.length || !bars.length) return "there is nothing to compare";
  if (told.some((each) => each.top < 0 || each.bottom > innerHeight)) return "a toast is out of sight";
  return told.some((each) => bars.some((bar) => meet(each, bar))) ? "a toast lies over a bar" : "";
}"""


@pytest.fixture(scope="module", params=sorted(SIZES))
def olga(request: pytest.FixtureRequest, arrive: Arrive) -> Visitor:
    """Somebody with a few notes."""
    olga = arrive(viewport=SIZES[request.param])
    olga.sign_up(f"Olga{request.param}")
    for number in range(6):
        keep_note(olga, f"Lighthouse {number} burns {number} lamps.")
    return olga


def lies_over_nothing(page: Page) -> None:
    page.wait_for_function(f"() => ({OVERLAP})() === ''")


def test_over_no_button_for_what_is_chosen(olga: Visitor) -> None:
    page = olga.page
    olga.go("/memory/search/?q=lighthouse")
    page.locator("main .choose").first.check()
    page.locator(".selecting").get_by_role("button", name="Delete").click()
    expect(page.locator(".toast")).to_contain_text("moved to the trash")
    page.get_by_role("button", name="Select all").click()
    for place in ("0", "document.body.scrollHeight / 2", "document.body.scrollHeight"):
        page.evaluate(f"scrollTo(0, {place})")
        lies_over_nothing(page)


def test_not_over_the_message_that_is_written_next(olga: Visitor) -> None:
    page = olga.page
    ask(olga, "Good morning")
    open_options(page)
    page.get_by_role("link", name="Rename").click()
    page.get_by_label("Title").fill("Lamps")
    page.get_by_role("button", name="Rename").click()
    expect(page.locator(".toast")).to_contain_text("Chat renamed.")
    lies_over_nothing(page)
    page.get_by_role("textbox", name="Message").fill("One\ntwo\nthree\nfour\nfive\nsix")
    lies_over_nothing(page)
