"""`make screenshots`: every page of a furnished palace in each look and width, into a folder."""

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

django.setup()  # the furnishing imports models

from tests.browser.furnishing import furnish  # noqa: E402
from tests.browser.pages import Sight, Survey  # noqa: E402
from tests.browser.site import Site, free_port  # noqa: E402
from tests.browser.visitors import SWITCHES, Visitor  # noqa: E402
from tests.palace.processes import reachable  # noqa: E402

TALLEST = 2_400
ASKS_WITHIN_MS = 200
VIEW = re.compile(r'class="view-choice" href="([^"]+)"')


@dataclass(frozen=True, slots=True)
class Look:
    """How a page is looked at. Options go to a browser context of Playwright."""

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
    """A site on an empty home that is thrown away afterwards."""
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
    """The pages and the looks whose names have one of these words; all, where there are none."""

    pages: Sequence[str] = ()
    looks: Sequence[str] = ()

    def shows(self, sight: Sight) -> bool:
        """Whether a picture of this page is wanted."""
        return not self.pages or any(word in sight.name for word in self.pages)

    def in_looks(self) -> list[Look]:
        """The looks that are wanted."""
        return [look for look in LOOKS if not self.looks or any(w in look.name for w in self.looks)]


def take(browser: Browser, site: Site, wanted: Wanted, folder: Path) -> int:
    """Photograph the pages that are wanted; returns how many files."""
    owner = browser.new_context(**WIDE)
    been = furnish(Visitor(owner, owner.new_page(), site.address), site)
    stranger = browser.new_context()
    survey = Survey(site.address, owner.request, stranger.request, been=been)
    sights = [sight for sight in in_each_view(owner, site, survey.look_around()) if wanted.shows(sight)]
    looks = wanted.in_looks()
    for look in looks:
        say(f"{look.name}: {len(sights)} pages")
        with _looking(browser, look, owner) as person, _looking(browser, look, None) as visitor:
            for sight in sights:
                _photograph(visitor if sight.for_visitors else person, site, sight, folder / look.name)
    return len(sights) * len(looks)


def in_each_view(owner: BrowserContext, site: Site, sights: Iterable[Sight]) -> Iterator[Sight]:
    """The same pages; one that can be looked at in several views comes once in each."""
    for sight in sights:
        links = [] if sight.for_visitors else _views_of(owner, site.address + sight.path)
        for link in links:
            parts = urlsplit(urljoin(sight.path, link))
            (view,) = parse_qs(parts.query)["view"]
            yield replace(sight, name=f"{sight.name} {view}", path=parts.geturl())
        if not links:
            yield sight


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


def _photograph(context: BrowserContext, site: Site, sight: Sight, folder: Path) -> None:
    page = context.new_page()
    page.goto(site.address + sight.path)
    page.wait_for_timeout(ASKS_WITHIN_MS)  # for parts, once it is there
    expect(page.locator(".htmx-request")).to_have_count(0)
    size = page.viewport_size or {"width": 0, "height": 0}
    height = page.evaluate("document.documentElement.scrollHeight")
    if height > size["height"]:
        page.set_viewport_size({"width": size["width"], "height": min(height, TALLEST)})
    folder.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=folder / f"{re.sub(r'[^a-z]+', '-', sight.name.lower())}.png")
    page.close()


def say(sentence: str) -> None:
    """Tell whoever waits how far it is."""
    sys.stderr.write(f"{sentence}\n")


def main() -> None:
    """Take the screenshots that the command line asks for."""
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
