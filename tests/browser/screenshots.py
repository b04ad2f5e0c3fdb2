"""`make screenshots`: save every page of a furnished palace in each look and width to a folder."""

import argparse
import re
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urljoin, urlsplit

import django
from django.conf import settings
from playwright.sync_api import Browser, BrowserContext, expect, sync_playwright

django.setup()  # tests.browser.furnishing imports models

from tests.browser.furnishing import furnish  # noqa: E402
from tests.browser.pages import SitePage, Survey  # noqa: E402
from tests.browser.site import Site, running  # noqa: E402
from tests.browser.visitors import SWITCHES, Visitor  # noqa: E402
from tests.palace.processes import reachable  # noqa: E402

TALLEST = 2_400
ASKS_WITHIN_MS = 200
VIEW = re.compile(r'class="segment view-choice" href="([^"]+)"')


WIDE = {"viewport": {"width": 1366, "height": 850}}
PHONE = {"viewport": {"width": 390, "height": 844}}
SCHEMES: dict[str, dict[str, Any]] = {
    "light": {"color_scheme": "light"},
    "dark": {"color_scheme": "dark"},
    "contrast": {"color_scheme": "light", "contrast": "more"},
    "forced": {"color_scheme": "dark", "forced_colors": "active"},
    "from-the-right": {"color_scheme": "light", "locale": "ar"},
}
# How pages are displayed, by name: options for a browser context of Playwright.
LOOKS: dict[str, dict[str, Any]] = {
    f"{scheme}-{width}": {**options, **size, "reduced_motion": "reduce"}
    for scheme, options in SCHEMES.items()
    for width, size in (("wide", WIDE), ("phone", PHONE))
}


def take(browser: Browser, site: Site, words: Sequence[str], looks: Sequence[str], folder: Path) -> int:
    """Take screenshots of the pages and looks whose names contain one of these words, or of all; returns
    their number."""

    def wanted(name: str, words: Sequence[str]) -> bool:
        return not words or any(word in name for word in words)

    owner, stranger = browser.new_context(**WIDE), browser.new_context()
    visited = furnish(Visitor(owner, owner.new_page(), site.address), site, "Mira")
    survey = Survey(site.address, owner.request, stranger.request, visited)
    views = in_each_view(owner, site, survey.find_all())
    site_pages = [site_page for site_page in views if wanted(site_page.name, words)]
    chosen = {name: options for name, options in LOOKS.items() if wanted(name, looks)}
    for look, options in chosen.items():
        say(f"{look}: {len(site_pages)} pages")
        person = browser.new_context(**options, storage_state=owner.storage_state())
        visitor = browser.new_context(**options)
        for site_page in site_pages:
            _photograph(visitor if site_page.for_visitors else person, site, site_page, folder / look)
        person.close()
        visitor.close()
    return len(site_pages) * len(chosen)


def in_each_view(owner: BrowserContext, site: Site, site_pages: Iterable[SitePage]) -> Iterator[SitePage]:
    """The same pages, with one entry for each view of a page."""
    for site_page in site_pages:
        text = "" if site_page.for_visitors else owner.request.get(site.address + site_page.path).text()
        links = [unescape(link) for link in VIEW.findall(text)]
        for link in links:
            parts = urlsplit(urljoin(site_page.path, link))
            (view,) = parse_qs(parts.query)["view"]
            yield replace(site_page, name=f"{site_page.name} {view}", path=parts.geturl())
        if not links:
            yield site_page


def _photograph(context: BrowserContext, site: Site, site_page: SitePage, folder: Path) -> None:
    page = context.new_page()
    page.goto(site.address + site_page.path)
    page.wait_for_timeout(ASKS_WITHIN_MS)  # for fragments that are requested after loading
    expect(page.locator(".htmx-request")).to_have_count(0)
    size = page.viewport_size or {"width": 0, "height": 0}
    height = page.evaluate("document.documentElement.scrollHeight")
    if height > size["height"]:
        page.set_viewport_size({"width": size["width"], "height": min(height, TALLEST)})
    folder.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=folder / f"{re.sub(r'[^a-z]+', '-', site_page.name.lower())}.png")
    page.close()


def say(sentence: str) -> None:
    """Print the progress."""
    sys.stderr.write(f"{sentence}\n")


def main() -> None:
    """Take the screenshots selected on the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("words", nargs="*", help="only pages whose name has one of these words")
    parser.add_argument("--looks", nargs="+", default=(), help="only looks with such a word")
    parser.add_argument("--out", type=Path, default=Path("screenshots"))
    arguments = parser.parse_args()
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        parser.error("Chromium is not installed here, and screenshots need it.")
    with tempfile.TemporaryDirectory(prefix="palace-screenshots-") as folder:
        home, models = reachable(Path(folder)), settings.PALACE_HOME / "models"
        if models.exists():
            (home / "models").symlink_to(models.resolve())
        with running(home) as site, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium, args=list(SWITCHES))
            count = take(browser, site, arguments.words, arguments.looks, arguments.out)
            browser.close()
    say(f"{count} screenshots are in {arguments.out}/.")


if __name__ == "__main__":
    main()
