"""Every page is open to everybody: no violation of WCAG 2.2 AA that axe can find, in any look, no
complaint of the browser, and nothing wider than a narrow screen, not even within a table."""

from collections.abc import Iterator
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.browser.conftest import Arrive
from tests.browser.furnishing import furnish
from tests.browser.pages import Sight, Survey
from tests.browser.site import Site
from tests.browser.visitors import Visitor

pytestmark = pytest.mark.drill

RULES = {
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    "resultTypes": ["violations"],
}
COLOURS = {"runOnly": ["color-contrast", "link-in-text-block"], "resultTypes": ["violations"]}
NARROWEST = {"width": 320, "height": 640}
ENLARGED = {"width": 320, "height": 256}  # 1280 by 1024 pixels enlarged four times
MAX_COVERED = 0.5
WIDE = {"width": 1280, "height": 800}
RESTS_AFTER_MS = 300
PUSHED_ASIDE = """() => [...document.querySelectorAll(".table-scroll")].some(
  (table) => table.scrollWidth > table.clientWidth + 1)"""
# The share of the window that elements keep covered however far the page is scrolled.
COVERED = """() => {
  const holding = [...document.querySelectorAll("main *")].filter(
    (each) => ["sticky", "fixed"].includes(getComputedStyle(each).position) && each.checkVisibility(),
  );
  return holding.reduce((sum, each) => sum + each.getBoundingClientRect().height, 0) / innerHeight;
}"""
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
# After a change of look colours are on their way for a moment, and axe would read those.
SETTLED = """() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(
  () => Promise.allSettled(document.getAnimations().map((each) => each.finished)).then(done))))"""
AXE = Axe()


@pytest.fixture(scope="module")
def mira(arrive: Arrive) -> Visitor:
    """A person whose palace has something on every page."""
    return arrive()


@pytest.fixture(scope="module")
def sights(mira: Visitor, arrive: Arrive, site: Site) -> list[Sight]:
    """Every page of the site."""
    been = furnish(mira, site)
    stranger = arrive()
    survey = Survey(site.address, mira.context.request, stranger.context.request, been=been)
    return survey.look_around()


@pytest.fixture(scope="module")
def visitor(arrive: Arrive) -> Visitor:
    """Somebody who is not signed in."""
    return arrive()


def test_no_page_hinders_anybody(mira: Visitor, visitor: Visitor, sights: list[Sight]) -> None:
    found: list[str] = []
    for sight in sights:
        person = visitor if sight.for_visitors else mira
        person.go(sight.path)
        found += [f"{sight.name}: {fault}" for fault in faults(person.page, whole=sight == sights[0])]
    assert not found, "\n".join(found)
    assert len(sights) > 50


def test_every_page_can_be_read_from_right_to_left(
    mira: Visitor, arrive: Arrive, sights: list[Sight]
) -> None:
    state = mira.context.storage_state()
    reader = arrive(locale="ar", viewport=NARROWEST, storage_state=state)
    stranger = arrive(locale="ar", viewport=NARROWEST)
    found: list[str] = []
    for sight in sights:
        person = stranger if sight.for_visitors else reader
        person.go(sight.path)
        assert person.page.locator("html").get_attribute("dir") == "rtl", sight.name
        if person.page.evaluate(OVERFLOW) > 0:
            found.append(sight.name)
    assert not found, f"wider than 320 px: {', '.join(found)}"
    reader.page.set_viewport_size(WIDE)
    reader.go("/memory/")
    navigation = reader.page.get_by_role("navigation", name="Main").bounding_box()
    assert navigation is not None
    assert navigation["x"] > WIDE["width"] / 2


def faults(page: Page, *, whole: bool) -> Iterator[str]:
    """What is wrong with the page before us: with everything in light, with colours in the other
    looks, and with its width on the narrowest screen. The frame has the same colours on every page and is
    looked at in these looks only on a `whole` one."""
    within = "html" if whole else "main"
    page.emulate_media(color_scheme="light", contrast="no-preference", reduced_motion="reduce")
    page.evaluate(AXE.axe_script)
    yield from _violations(page, "light", RULES)
    page.emulate_media(color_scheme="dark")
    yield from _violations(page, "dark", COLOURS, within)
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme, contrast="more")
        yield from _violations(page, f"{scheme}, more contrast", COLOURS, within)
    page.set_viewport_size(NARROWEST)
    yield from _violations(page, "narrow", {**RULES, "runOnly": ["target-size"]})
    if page.evaluate(OVERFLOW) > 0:
        yield "wider than 320 px"
    if page.evaluate(PUSHED_ASIDE):
        yield "a table has to be pushed aside to be read"
    page.set_viewport_size(ENLARGED)
    if page.evaluate(COVERED) > MAX_COVERED:
        yield "enlarged four times, what stays in place covers most of the page"
    page.set_viewport_size(WIDE)


def _violations(page: Page, look: str, options: dict[str, Any], within: str = "html") -> Iterator[str]:
    found = _asked(page, options, within)
    if found:  # a colour may have been on its way still
        page.wait_for_timeout(RESTS_AFTER_MS)
        found = _asked(page, options, within)
    for violation in found:
        nodes = [f"{node['target']} {node['failureSummary']}" for node in violation["nodes"][:3]]
        yield f"{look}: {violation['id']}: {'; '.join(nodes)}"


def _asked(page: Page, options: dict[str, Any], within: str) -> list[dict[str, Any]]:
    page.evaluate(SETTLED)
    asked = "([within, options]) => axe.run(within, options)"
    answer: dict[str, Any] = page.evaluate(asked, [within, options])
    return list(answer["violations"])
