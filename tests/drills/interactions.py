"""How soon a page responds: the longest time from an input to the next paint, in a real browser.

`python -m tests.drills.interactions` (with `DJANGO_SETTINGS_MODULE=tests.settings`) uses the demo palace and
prints milliseconds per interaction, as Chromium's event timing reports them (in steps of 8).
"""

import shutil
import sys
from collections.abc import Callable
from time import monotonic

from playwright.sync_api import Page, expect, sync_playwright

from tests.browser.screenshots import WIDE, opened_site
from tests.browser.test_graph import SHOWN
from tests.browser.visitors import SWITCHES, Visitor

OBSERVE = """() => {
  window.longest = 0;
  new PerformanceObserver(list => list.getEntries().forEach(entry => {
    if (entry.interactionId) window.longest = Math.max(window.longest, entry.duration);
  })).observe({ type: 'event', durationThreshold: 16, buffered: false });
}"""
SETTLES_WITHIN_MS = 700
MIN_FACTS, MINED_WITHIN_S = 20, 300


def _type(page: Page, words: str) -> None:
    for letter in words:
        page.keyboard.press(letter)
        page.wait_for_timeout(60)


def search_facts(page: Page) -> None:
    page.get_by_role("searchbox").first.click()
    _type(page, "teacher")


def open_facts(page: Page) -> None:
    for row in page.locator(".fact-told").all()[:5]:
        row.click()
        page.wait_for_timeout(100)


def select_facts(page: Page) -> None:
    for box in page.locator("main input[type=checkbox]").all()[:5]:
        box.check()


def open_palette(page: Page) -> None:
    page.keyboard.press("Control+k")
    expect(page.locator("#palette")).to_be_visible()
    _type(page, "timeline")


def write_message(page: Page) -> None:
    page.locator("textarea").first.click()
    _type(page, "where do i live")


def select_node(page: Page) -> None:
    for _ in range(4):
        page.locator(SHOWN).first.click()
        page.wait_for_timeout(200)


def _wait_for_facts(visitor: Visitor) -> None:
    """Reload the facts until the demo palace has enough. Raises TimeoutError."""
    deadline = monotonic() + MINED_WITHIN_S
    while visitor.go("/memory/facts/") and visitor.page.locator(".fact-told").count() < MIN_FACTS:
        if monotonic() > deadline:
            raise TimeoutError(f"The demo palace has fewer than {MIN_FACTS} facts.")
        visitor.page.wait_for_timeout(1_000)


INTERACTIONS: tuple[tuple[str, str, Callable[[Page], None]], ...] = (
    ("search facts", "/memory/facts/", search_facts),
    ("open facts", "/memory/facts/", open_facts),
    ("select facts", "/memory/facts/", select_facts),
    ("open the palette", "/memory/facts/", open_palette),
    ("select in the graph", "/memory/graph/", select_node),
    ("write a message", "/chat/", write_message),
)


def main() -> None:
    """Measure and print every interaction."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    with opened_site() as site, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(SWITCHES))
        context = browser.new_context(**WIDE)
        visitor = Visitor(context, context.new_page(), site.address)
        visitor.sign_up("Ines")
        visitor.page.locator("main button, main a").filter(has_text="demo").first.click()
        visitor.page.wait_for_load_state()
        _wait_for_facts(visitor)
        for name, path, interact in INTERACTIONS:
            visitor.go(path)
            visitor.page.evaluate(OBSERVE)
            interact(visitor.page)
            visitor.page.wait_for_timeout(SETTLES_WITHIN_MS)
            sys.stdout.write(f"{name:20} {visitor.page.evaluate('window.longest'):6.0f} ms\n")
        browser.close()


if __name__ == "__main__":
    main()
