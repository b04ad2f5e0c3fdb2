"""Ways to operate pages: a mouse, a keyboard without a mouse, or touch on a phone.

All have the same methods, so that each flow is written once. The keyboard and the phone also check the pages:
controls are reached by real keys, or touched where they are visible.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, Page, expect

MAX_TABS = 250
MAX_ARROWS = 80
SMALLEST_TARGET_PX = 24  # WCAG 2.2 AA, 2.5.8
PHONE = {"width": 360, "height": 740}
STOPS, _NEAR, IS_REACHED, LOOK = Path(__file__).with_name("hands.js").read_text().split("\n\n")
COME_NEAR = _NEAR.replace("STOPS", f"({STOPS})")
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


class Mouse:
    """A mouse; `options` are those of the browser context."""

    options: dict[str, Any] = {}

    def press(self, page: Page, target: Locator) -> None:
        """Press a button, a link or a summary."""
        target.click()

    def check(self, page: Page, box: Locator) -> None:
        """Toggle a checkbox, or select a radio button."""
        self.press(page, box)

    def write(self, page: Page, field: Locator, words: str) -> None:
        """Replace the text of a field."""
        field.fill(words)

    def choose(self, page: Page, choices: Locator, words: str) -> None:
        """Select the option that contains these words."""
        option = choices.locator("option").filter(has_text=words).first
        choices.select_option(option.get_attribute("value"))

    def wait_until_idle(self, page: Page) -> None:
        """Wait until the page is idle, and check it."""
        page.wait_for_load_state()

    def _type(self, page: Page, field: Locator, words: str) -> None:
        expect(field).to_be_focused()
        page.keyboard.press("Control+a")
        page.keyboard.type(words)
        expect(field).to_have_value(words)


class Keys(Mouse):
    """A keyboard. The operated element has the focus, which is visible and never lost."""

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
        self._type(page, field, words)

    def choose(self, page: Page, choices: Locator, words: str) -> None:
        self.reach(page, choices)
        page.keyboard.type(words)
        expect(choices.locator("option:checked")).to_have_text(words, use_inner_text=True)

    def reach(self, page: Page, target: Locator) -> None:
        """Press Tab until an element has the focus; fails if that is not visible. Starts close to distant
        elements, because `make drill` tabs through every page."""
        expect(target).to_be_visible()
        self.wait_until_idle(page)
        target.evaluate(COME_NEAR)
        for _ in range(MAX_TABS):
            if target.evaluate(IS_REACHED):
                break
            page.keyboard.press("Tab")
        else:
            raise AssertionError(f"Tab did not reach {target}")
        seen = spot_of(page.locator(":focus"))
        assert seen.is_ringed, f"nothing shows that the focus is on {target}"
        assert seen.is_uncovered, f"{target} has the focus but is covered"
        page.evaluate("window.walked = true")

    def wait_until_idle(self, page: Page) -> None:
        page.wait_for_function(IDLE_WITH_FOCUS)


class Fingers(Mouse):
    """A finger on a phone. Touched elements are large enough, and no page is wider than the screen."""

    options: dict[str, Any] = {"viewport": PHONE, "has_touch": True, "is_mobile": True}

    def press(self, page: Page, target: Locator) -> None:
        expect(target).to_be_visible()
        self.wait_until_idle(page)
        target.scroll_into_view_if_needed()
        seen = spot_of(target)
        size = min(seen.width, seen.height)
        assert seen.is_inline or size >= SMALLEST_TARGET_PX, f"{target} is {size} px small"
        assert seen.is_uncovered, f"{target} is covered"
        target.tap()

    def check(self, page: Page, box: Locator) -> None:
        self.press(page, box.locator("xpath=ancestor::label").or_(box).first)

    def write(self, page: Page, field: Locator, words: str) -> None:
        self.press(page, field)
        self._type(page, field, words)

    def choose(self, page: Page, choices: Locator, words: str) -> None:
        self.press(page, choices)  # opens the phone's own list, which is not part of the page
        super().choose(page, choices, words)

    def wait_until_idle(self, page: Page) -> None:
        page.wait_for_function(IDLE)
        wide = page.evaluate("document.scrollingElement.scrollWidth")
        assert wide <= PHONE["width"], f"{page.url} is {wide} px wide"
