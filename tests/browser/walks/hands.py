"""What walks through the pages: a keyboard without a mouse, or a finger on a phone.

Both do the same things by the same words, so that a flow is written once and walked by each. Neither
calls `click` or `fill`: keys are keys, and a finger touches where something is to be seen.
"""

from typing import Any, Protocol

from playwright.sync_api import Locator, Page, expect

from tests.browser.walks.sight import spot_of

MAX_TABS = 250
MAX_ARROWS = 80
SMALLEST_TARGET_PX = 24  # WCAG 2.2 AA, 2.5.8
PHONE = {"width": 360, "height": 740}
IS_REACHED = """(target) => {
  const focused = document.activeElement;
  if (focused === target) return true;
  const group = target.type === "radio" && focused?.type === "radio" && target.name;
  return Boolean(group) && focused.name === group && focused.form === target.form;
}"""
# How many things Tab stops at lie between the focus and the target, so that most of the way can be
# gone without asking at each step. One too few costs a moment, one too many a whole turn.
STEPS = """(target) => {
  const stops = [...document.querySelectorAll(
    "a[href], button, input:not([type=hidden], [type=radio]), select, textarea, summary",
  )].filter((each) => each.tabIndex >= 0 && !each.disabled && each.checkVisibility());
  const before = (one, other) => one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING;
  const from = document.activeElement;
  const isAhead = (each) => from === document.body || before(from, each);
  const ahead = stops.filter((each) => isAhead(each) && before(each, target));
  return before(from, target) ? ahead.length : 0;
}"""
SPARE_STEPS = 3
UNDER_WAY = ".htmx-request, .htmx-swapping, .htmx-settling"
AT_REST = f"""() => document.readyState === "complete" && !document.querySelector("{UNDER_WAY}")"""
KEPT = f"""() => ({AT_REST})() && (!window.walked || document.activeElement !== document.body)"""


class Hand(Protocol):
    """Somebody's way of working a page."""

    options: dict[str, Any]

    def press(self, page: Page, target: Locator) -> None:
        """A button, a link, or what opens and closes something."""

    def tick(self, page: Page, box: Locator) -> None:
        """A box to tick, or one of several to choose from."""

    def write(self, page: Page, field: Locator, words: str) -> None:
        """Words into a field, in place of those that are there."""

    def choose(self, page: Page, choices: Locator, words: str) -> None:
        """The choice of a list that begins with these words."""

    def stay_at(self, page: Page, target: Locator) -> None:
        """Go to something without doing anything with it; the page may change meanwhile."""

    def rest(self, page: Page) -> None:
        """What has to hold whenever a page stands still."""


class Keys:
    """A keyboard. Whatever it works has the focus, which is seen and never lost."""

    options: dict[str, Any] = {}

    def press(self, page: Page, target: Locator) -> None:
        self.reach(page, target)
        page.keyboard.press("Enter")

    def tick(self, page: Page, box: Locator) -> None:
        self.reach(page, box)
        for _ in range(MAX_ARROWS):
            if box.evaluate("each => each === document.activeElement"):
                break
            page.keyboard.press("ArrowDown")
        if box.get_attribute("type") != "radio" or not box.is_checked():
            page.keyboard.press("Space")

    def write(self, page: Page, field: Locator, words: str) -> None:
        self.reach(page, field)
        page.keyboard.press("Control+a")
        page.keyboard.type(words)
        expect(field).to_have_value(words)

    def choose(self, page: Page, choices: Locator, words: str) -> None:
        self.reach(page, choices)
        page.keyboard.type(words)
        expect(choices.locator("option:checked")).to_have_text(words, use_inner_text=True)

    def stay_at(self, page: Page, target: Locator) -> None:
        self.reach(page, target)

    def reach(self, page: Page, target: Locator) -> None:
        """Press Tab until it has the focus; fails when that cannot be seen."""
        expect(target).to_be_visible()
        self.rest(page)
        for _ in range(target.evaluate(STEPS) - SPARE_STEPS):
            page.keyboard.press("Tab")
        for _ in range(MAX_TABS):
            if target.evaluate(IS_REACHED):
                break
            page.keyboard.press("Tab")
        else:
            raise AssertionError(f"Tab never came to {target}")
        seen = spot_of(page.locator(":focus"))
        assert seen.is_ringed, f"nothing shows that the focus is on {target}"
        assert seen.is_uncovered, f"{target} has the focus and lies beneath something"
        page.evaluate("window.walked = true")

    def rest(self, page: Page) -> None:
        """Nothing is under way, and a page that stayed has kept its focus."""
        page.wait_for_function(KEPT)


class Fingers:
    """A finger on a phone. Whatever it touches is large enough, and no page is wider than the screen."""

    options: dict[str, Any] = {"viewport": PHONE, "has_touch": True, "is_mobile": True}

    def press(self, page: Page, target: Locator) -> None:
        self._touch(page, target)

    def tick(self, page: Page, box: Locator) -> None:
        label = box.locator("xpath=ancestor::label")
        self._touch(page, label.or_(box).first)

    def write(self, page: Page, field: Locator, words: str) -> None:
        self._touch(page, field)
        expect(field).to_be_focused()
        page.keyboard.press("Control+a")
        page.keyboard.type(words)
        expect(field).to_have_value(words)

    def choose(self, page: Page, choices: Locator, words: str) -> None:
        self._touch(page, choices)  # the phone's own list opens, which is not part of the page
        option = choices.locator("option").filter(has_text=words).first
        choices.select_option(option.get_attribute("value"))

    def stay_at(self, page: Page, target: Locator) -> None:
        self.rest(page)
        target.scroll_into_view_if_needed()

    def _touch(self, page: Page, target: Locator) -> None:
        expect(target).to_be_visible()
        self.rest(page)
        target.scroll_into_view_if_needed()
        seen = spot_of(target)
        size = min(seen.width, seen.height)
        assert seen.is_inline or size >= SMALLEST_TARGET_PX, f"{target} is {size} px small"
        assert seen.is_uncovered, f"{target} lies beneath something"
        target.tap()

    def rest(self, page: Page) -> None:
        """Nothing is under way, and nothing is wider than the screen."""
        page.wait_for_function(AT_REST)
        wide = page.evaluate("document.scrollingElement.scrollWidth")
        assert wide <= PHONE["width"], f"{page.url} is {wide} px wide"
