"""What walks through the pages: a keyboard without a mouse, or a finger on a phone.

Both do the same things by the same words, so that a flow is written once and walked by each. Neither
calls `click` or `fill`: keys are keys, and a finger touches where something is to be seen.
"""

from dataclasses import dataclass
from typing import Any, Protocol

from playwright.sync_api import Locator, Page, expect

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


LOOK = """(target) => {
  const style = getComputedStyle(target);
  const inline = style.display === "inline" && target.tagName === "A";
  const box = inline ? target.getClientRects()[0] : target.getBoundingClientRect();
  const form = getComputedStyle(target.closest("form:focus-within") ?? target);
  const ring = target.matches(":focus-visible") && (
    (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0)
    || style.boxShadow !== "none"
    || target.matches("textarea") && form.boxShadow !== "none"
  );
  const left = Math.max(0, box.left), right = Math.min(innerWidth, box.right);
  const top = Math.max(0, box.top), bottom = Math.min(innerHeight, box.bottom);
  const points = [[0.5, 0.5], [0.2, 0.5], [0.8, 0.5], [0.5, 0.2], [0.5, 0.8]];
  const label = target.closest("label");
  const open = right > left && bottom > top && points.some(([across, down]) => {
    const there = document.elementFromPoint(
      left + across * (right - left), top + down * (bottom - top),
    );
    return there && (target.contains(there) || there.contains(target) && there === label);
  });
  return [box.width, box.height, ring, open, inline];
}"""


@dataclass(frozen=True, slots=True)
class Spot:
    """Where something stands, in CSS pixels, and how it is seen there.

    A text that fills its form, as where a message is written, is ringed by the ring of the form.
    `is_inline` says that it is a link among words, whose size is that of the line. One that goes on in
    the next line stands where it begins.
    """

    width: float
    height: float
    is_ringed: bool
    is_uncovered: bool
    is_inline: bool


def spot_of(target: Locator) -> Spot:
    """How something is seen at this moment."""
    return Spot(*target.evaluate(LOOK))


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
