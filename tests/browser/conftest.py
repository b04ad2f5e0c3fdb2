"""One site and one Chromium for all browser tests; neither touches the test database.

Whoever walks through flows does so once by keys alone, once by finger on a phone 360 pixels wide.
"""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from playwright.sync_api import Browser, expect, sync_playwright

from tests.browser.site import Site, fresh_site
from tests.browser.switches import SWITCHES
from tests.browser.visitors import PATIENCE_MS, Visitor
from tests.browser.walks.hands import Fingers, Keys
from tests.browser.walks.walker import Walker
from tests.palace.prepared import prepare
from tests.palace.processes import reachable

HANDS = {"keyboard": Keys, "phone": Fingers}
Arrive = Callable[..., Visitor]
Come = Callable[[], Walker]
Settle = Callable[[str], Walker]


@pytest.fixture(scope="package")
def chromium() -> str:
    """The installed Chromium; without one the tests are skipped, except where CI promises one."""
    found = shutil.which("chromium") or shutil.which("google-chrome")
    if found:
        return found
    if os.environ.get("CI") == "true":
        pytest.fail("Chromium is not installed here, and the browser tests need it.")
    pytest.skip("Chromium is not installed; the pages were not tried in a browser.")


def home_of(factory: pytest.TempPathFactory) -> Path:
    """A home for a site, with a database that has its tables and the models that are here already."""
    home = prepare(reachable(factory.mktemp("palace")), factory)
    models = settings.PALACE_HOME / "models"
    models.mkdir(parents=True, exist_ok=True)
    (home / "models").symlink_to(models.resolve())
    return home


@pytest.fixture(scope="package")
def site(chromium: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """All of Palace, started on a home without users; ends with Ctrl-C and leaves no process."""
    with fresh_site(home_of(tmp_path_factory)) as site:
        yield site


@pytest.fixture(scope="package")
def browser(chromium: str) -> Iterator[Browser]:
    """A headless Chromium."""
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(SWITCHES))
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def arrive(site: Site, browser: Browser) -> Iterator[Arrive]:
    """Makes a visitor with a browser profile of their own; keywords go to Playwright."""
    with ExitStack() as profiles:

        def new_visitor(**options: Any) -> Visitor:
            options.setdefault("viewport", {"width": 1280, "height": 800})
            context = browser.new_context(**options)
            profiles.callback(context.close)
            context.set_default_timeout(PATIENCE_MS)
            visitor = Visitor(context, context.new_page(), site.address)
            visitor.watch()
            return visitor

        yield new_visitor


@pytest.fixture(scope="module", params=sorted(HANDS))
def come(request: pytest.FixtureRequest, arrive: Arrive) -> Iterator[Come]:
    """Lets somebody come who has no account yet. In the end no page may have complained."""
    hand = HANDS[request.param]()
    walkers: list[Walker] = []

    def newcomer() -> Walker:
        walkers.append(Walker(arrive(**hand.options), hand))
        return walkers[-1]

    yield newcomer
    for walker in walkers:
        assert walker.visitor.complaints == []


@pytest.fixture(scope="module")
def settle(come: Come) -> Settle:
    """Lets somebody of a name sign up; nobody else of the site may have it."""

    def sign_up(name: str) -> Walker:
        walker = come()
        walker.settle(name)
        return walker

    return sign_up
