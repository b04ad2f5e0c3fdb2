"""`make screenshots`: save every page of a furnished palace in each look and width to a folder."""

import argparse
import re
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from html import unescape
from pathlib import Path
from urllib.parse import parse_qs, urljoin, urlsplit

import django
from django.conf import settings
from playwright.sync_api import Browser, BrowserContext, expect, sync_playwright

django.setup()  # tests.browser.furnishing imports models

from tests.browser.furnishing import furnish  # noqa: E402
from tests.browser.pages import SitePage, Survey  # noqa: E402
from tests.browser.site import Site, free_port  # noqa: E402
from tests.browser.visitors import SWITCHES, Visitor  # noqa: E402
from tests.palace.processes import reachable  # noqa: E402

TALLEST = 2_400
ASKS_WITHIN_MS = 200
VIEW = re.compile(r'class="view-choice" href="([^"]+)"')


@dataclass(frozen=True, slots=True)
class Look:
    """How a page is displayed: options for a browser context of Playwright."""

    name: str
    options: dict[str, object]


WIDE = {"viewport": {"width": 1366, "height": 850}}
PHONE = {"viewport": {"width": 390, "height": 844}}
SCHEMES: dict[str, dict[str, object]] = {
    "light": {"color_scheme": "light"},
    "dark": {"color_scheme": "dark"},
    "contrast": {"color_scheme": "light", "contrast": "more"},
    "forced": {"color_scheme": "dark", "forced_colors": "active"},
    "from-the-right": {"color_scheme": "light", "locale": "ar"},
}
LOOKS = tuple(
    Look(f"{scheme}-{width}", {**options, **size})
    for scheme, options in SCHEMES.items()
    for width, size in (("wide", WIDE), ("phone", PHONE))
)


@contextmanager
def opened_site() -> Iterator[Site]:
    """A site with a temporary home."""
    with tempfile.TemporaryDirectory(prefix="palace-screenshots-") as folder:
        home = reachable(Path(folder))
        models = settings.PALACE_HOME / "models"
        if models.exists():
            (home / "models").symlink_to(models.resolve())
        site = Site(home, free_port())
        try:
            site.start()
            yield site
        finally:
            site.kill()


@dataclass(frozen=True, slots=True)
class Wanted:
    """The pages and looks whose names contain one of these words; all, if there are none."""

    pages: Sequence[str] = ()
    looks: Sequence[str] = ()

    def shows(self, site_page: SitePage) -> bool:
        """Whether this page is wanted."""
        return not self.pages or any(word in site_page.name for word in self.pages)

    def in_looks(self) -> list[Look]:
        """The looks that are wanted."""
        return [look for look in LOOKS if not self.looks or any(w in look.name for w in self.looks)]


def take(browser: Browser, site: Site, wanted: Wanted, folder: Path) -> int:
    """Take screenshots of the wanted pages; returns their number."""
    owner = browser.new_context(**WIDE)
    visited = furnish(Visitor(owner, owner.new_page(), site.address), site)
    stranger = browser.new_context()
    survey = Survey(site.address, owner.request, stranger.request, visited=visited)
    site_pages = [
        site_page for site_page in in_each_view(owner, site, survey.find_all()) if wanted.shows(site_page)
    ]
    looks = wanted.in_looks()
    for look in looks:
        say(f"{look.name}: {len(site_pages)} pages")
        with _looking(browser, look, owner) as person, _looking(browser, look, None) as visitor:
            for site_page in site_pages:
                _photograph(
                    visitor if site_page.for_visitors else person, site, site_page, folder / look.name
                )
    return len(site_pages) * len(looks)


def in_each_view(owner: BrowserContext, site: Site, site_pages: Iterable[SitePage]) -> Iterator[SitePage]:
    """The same pages, with one entry for each view of a page."""
    for site_page in site_pages:
        links = [] if site_page.for_visitors else _views_of(owner, site.address + site_page.path)
        for link in links:
            parts = urlsplit(urljoin(site_page.path, link))
            (view,) = parse_qs(parts.query)["view"]
            yield replace(site_page, name=f"{site_page.name} {view}", path=parts.geturl())
        if not links:
            yield site_page


def _views_of(owner: BrowserContext, address: str) -> list[str]:
    return [unescape(link) for link in VIEW.findall(owner.request.get(address).text())]


@contextmanager
def _looking(browser: Browser, look: Look, who: BrowserContext | None) -> Iterator[BrowserContext]:
    state = who.storage_state() if who else None
    context = browser.new_context(**look.options, storage_state=state, reduced_motion="reduce")  # type: ignore[arg-type]
    try:
        yield context
    finally:
        context.close()


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
    with opened_site() as site, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(SWITCHES))
        wanted = Wanted(arguments.words, arguments.looks)
        count = take(browser, site, wanted, arguments.out)
        browser.close()
    say(f"{count} screenshots are in {arguments.out}/.")


if __name__ == "__main__":
    main()
