"""Ways to operate pages: a keyboard without a mouse, or touch on a phone.

Both have the same methods, so that a flow is written once and tested with each. Neither calls `click` or
`fill`: keys are pressed, and touches hit visible positions.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from playwright.sync_api import Locator, Page, expect

MAX_TABS = 250
MAX_ARROWS = 80
SMALLEST_TARGET_PX = 24  # WCAG 2.2 AA, 2.5.8
PHONE = {"width": 360, "height": 740}
# The number of steps is that of Tab stops between the focus and the target, so that most of them can be
# pressed without checking each. One too few costs little time, one too many a whole round.
IS_REACHED, STEPS, LOOK = Path(__file__).with_name("hands.js").read_text().split("\n\n")
SPARE_STEPS = 3
BUSY = ".htmx-request, .htmx-swapping, .htmx-settling"
IDLE = f"""() => document.readyState === "complete" && !document.querySelector("{BUSY}")"""
IDLE_WITH_FOCUS = f"""() => ({IDLE})() && (!window.walked || document.activeElement !== document.body)"""


@dataclass(frozen=True, slots=True)
class Spot:
    """The size of an element in CSS pixels, and how visible it is.

    A text area that fills its form, such as that for messages, has the focus ring of the form.
    `is_inline` marks a link within text, whose size is that of the line. For a link across lines, the first
    line counts.
    """

    width: float
    height: float
    is_ringed: bool
    is_uncovered: bool
    is_inline: bool


def spot_of(target: Locator) -> Spot:
    """The current size and visibility of an element."""
    return Spot(*target.evaluate(LOOK))


class Hand(Protocol):
    """A way to operate a page."""

    options: dict[str, Any]

    def press(self, page: Page, target: Locator) -> None:
        """Press a button, a link or a summary."""

    def check(self, page: Page, box: Locator) -> None:
        """Select a checkbox or a radio button."""

    def write(self, page: Page, field: Locator, words: str) -> None:
        """Replace the text of a field."""

    def choose(self, page: Page, choices: Locator, words: str) -> None:
        """Select the option that starts with these words."""

    def go_to(self, page: Page, target: Locator) -> None:
        """Move to an element without using it."""

    def wait_until_idle(self, page: Page) -> None:
        """Wait until the page is idle, and check it."""


class Keys:
    """A keyboard. The operated element has the focus, which is visible and never lost."""

    options: dict[str, Any] = {}

    def press(self, page: Page, target: Locator) -> None:
        self.reach(page, target)
        page.keyboard.press("Enter")

    def check(self, page: Page, box: Locator) -> None:
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

    def go_to(self, page: Page, target: Locator) -> None:
        self.reach(page, target)

    def reach(self, page: Page, target: Locator) -> None:
        """Press Tab until an element has the focus; fails if that is not visible."""
        expect(target).to_be_visible()
        self.wait_until_idle(page)
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

    def wait_until_idle(self, page: Page) -> None:
        """Wait until the page is idle; a page that was not left must keep its focus."""
        page.wait_for_function(IDLE_WITH_FOCUS)


class Fingers:
    """A finger on a phone. Touched elements are large enough, and no page is wider than the screen."""

    options: dict[str, Any] = {"viewport": PHONE, "has_touch": True, "is_mobile": True}

    def press(self, page: Page, target: Locator) -> None:
        self._touch(page, target)

    def check(self, page: Page, box: Locator) -> None:
        label = box.locator("xpath=ancestor::label")
        self._touch(page, label.or_(box).first)

    def write(self, page: Page, field: Locator, words: str) -> None:
        self._touch(page, field)
        expect(field).to_be_focused()
        page.keyboard.press("Control+a")
        page.keyboard.type(words)
        expect(field).to_have_value(words)

    def choose(self, page: Page, choices: Locator, words: str) -> None:
        self._touch(page, choices)  # opens the phone's own list, which is not part of the page
        option = choices.locator("option").filter(has_text=words).first
        choices.select_option(option.get_attribute("value"))

    def go_to(self, page: Page, target: Locator) -> None:
        self.wait_until_idle(page)
        target.scroll_into_view_if_needed()

    def _touch(self, page: Page, target: Locator) -> None:
        expect(target).to_be_visible()
        self.wait_until_idle(page)
        target.scroll_into_view_if_needed()
        seen = spot_of(target)
        size = min(seen.width, seen.height)
        assert seen.is_inline or size >= SMALLEST_TARGET_PX, f"{target} is {size} px small"
        assert seen.is_uncovered, f"{target} lies beneath something"
        target.tap()

    def wait_until_idle(self, page: Page) -> None:
        """Wait until the page is idle, and check that nothing is wider than the screen."""
        page.wait_for_function(IDLE)
        wide = page.evaluate("document.scrollingElement.scrollWidth")
        assert wide <= PHONE["width"], f"{page.url} is {wide} px wide"
