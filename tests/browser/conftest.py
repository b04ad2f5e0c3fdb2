"""One site and one Chromium for the browser tests of a process; neither uses Django's test connection.

Flows are tested by keyboard alone. `make drill` also tests those marked `phone` by touch, on a phone
360 pixels wide.
"""

import fcntl
import os
import shutil
from contextlib import ExitStack
from ipaddress import IPv4Network
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.test import override_settings
from playwright.sync_api import expect, sync_playwright

from palace.preparation import collect_static_files
from palace.settings import STORAGES
from tests.browser.hands import Fingers, Keys, Mouse
from tests.browser.site import fresh_site
from tests.browser.visitors import SWITCHES, TIMEOUT_MS, Visitor

HANDS = {"keyboard": Keys, "phone": Fingers}
NETWORKS = IPv4Network("198.18.0.0/15").hosts()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Test each flow by keyboard, and in the drill the essential ones also by phone."""
    if "new_walker" in metafunc.fixturenames:
        essential = metafunc.definition.get_closest_marker("phone") is not None
        by_phone = [pytest.param("phone", marks=pytest.mark.drill)] if essential else []
        metafunc.parametrize("new_walker", ["keyboard", *by_phone], indirect=True, scope="module")


@pytest.fixture(scope="package")
def chromium():
    """The installed Chromium; without one the tests are skipped, except where CI promises one."""
    found = shutil.which("chromium") or shutil.which("google-chrome")
    if found:
        return found
    if os.environ.get("CI") == "true":
        pytest.fail("Chromium is not installed here, and the browser tests need it.")
    pytest.skip("Chromium is not installed; the pages were not tried in a browser.")


@pytest.fixture(scope="session")
def new_home(tmp_path_factory):
    """Creates homes for sites, with the existing models and static files, which are kept between runs."""
    static, models = (settings.PALACE_HOME / name for name in ("static-test", "models"))
    for each in (static, models):
        each.mkdir(parents=True, exist_ok=True)
    with (
        (static / "lock").open("a") as lock,
        override_settings(STATIC_ROOT=static / "files", STORAGES=STORAGES),
    ):
        fcntl.flock(lock, fcntl.LOCK_EX)
        collect_static_files()

    def make() -> Path:
        home = tmp_path_factory.mktemp("palace")
        (home / "models").symlink_to(models.resolve())
        (home / "static").symlink_to((static / "files").resolve())
        return home

    return make


@pytest.fixture(scope="package")
def site(chromium, new_home, django_db_setup):
    """All of Palace, shared by the tests of a process: each signs up its own users."""
    with fresh_site(new_home()) as site:
        yield site


@pytest.fixture(scope="package")
def browser(chromium):
    """A headless Chromium."""
    expect.set_options(timeout=TIMEOUT_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(SWITCHES))
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def new_visitor(site, browser):
    """Creates visitors with separate browser profiles, and signs them up if a name is given, which must be
    unique on the site; keywords go to Playwright. At the end no page may have violated the content policy,
    logged an error or requested another host."""
    visitors: list[Visitor] = []
    with ExitStack() as profiles:

        def new_visitor(name: str = "", hand: Mouse | None = None, **options: Any) -> Visitor:
            hand = hand or Mouse()
            options = {"viewport": {"width": 1280, "height": 800}, **hand.options, **options}
            # Each from another network, since sign-ups are limited per network; the site trusts the header.
            options["extra_http_headers"] = {"X-Forwarded-For": str(next(NETWORKS))}
            context = browser.new_context(**options)
            profiles.callback(context.close)
            context.set_default_timeout(TIMEOUT_MS)
            visitor = Visitor(context, context.new_page(), site.address, hand)
            visitor.watch()
            visitors.append(visitor)
            if name:
                visitor.sign_up(name)
            return visitor

        yield new_visitor
        assert [complaint for visitor in visitors for complaint in visitor.complaints] == []


@pytest.fixture(scope="module")
def new_walker(request, new_visitor):
    """Creates visitors with a keyboard or a phone, each with a different user name."""
    hand = HANDS[request.param]
    return lambda name="": new_visitor(name and name + hand.__name__, hand())
