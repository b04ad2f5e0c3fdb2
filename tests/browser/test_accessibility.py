"""Accessibility of every page: no violation of WCAG 2.2 AA that axe finds in any look, no browser error,
nothing wider than a narrow screen, not even a table, and everything within reach of the keyboard."""

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.browser.furnishing import furnish
from tests.browser.hands import LOOK, STOPS
from tests.browser.pages import Survey

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
TABLE_SCROLLS = """() => [...document.querySelectorAll(".table-scroll")].some(
  (table) => table.scrollWidth > table.clientWidth + 1)"""
# The share of the window that elements keep covered however far the page is scrolled.
COVERED = """() => {
  const holding = [...document.querySelectorAll("main *")].filter(
    (each) => ["sticky", "fixed"].includes(getComputedStyle(each).position) && each.checkVisibility(),
  );
  return holding.reduce((sum, each) => sum + each.getBoundingClientRect().height, 0) / innerHeight;
}"""
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
# Colours are animated after a change of look, and axe would check intermediate ones.
SETTLED = """() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(
  () => Promise.allSettled(document.getAnimations().map((each) => each.finished)).then(done))))"""
FOCUSED = f"""() => {{
  const each = document.activeElement;
  const number = window.stops.indexOf(each);
  return [number, each.outerHTML.slice(0, 160), number < 0 ? [] : ({LOOK.strip()})(each)];
}}"""
NAME = "(number) => window.stops[number].outerHTML.slice(0, 160)"
SPARE_TABS = 10
MAX_FILTER_HEIGHT = 60
MIN_FACTS = {(1366, 850): 20, (1920, 1080): 40, (2560, 1440): 40, (390, 844): 1}
VISIBLE_ROWS = """(rows) => rows.filter((row) => {
  const box = row.getBoundingClientRect();
  return box.top >= 0 && box.bottom <= innerHeight;
}).length"""
FILL = """
from django.utils import timezone
from accounts.models import User
from accounts.tenancy import tenant
from memory.facts.review.wording import NewFact, Wording, add
user, now = User.objects.get(email="mira@example.org"), timezone.now()
with tenant(user.id):
    for kind in ("identity", "relationship", "preference", "constraint", "project", "goal", "skill"):
        for number in range(8):
            add(user.id, NewFact(Wording(f"My {kind} has the number {number}.", kind, "", now)), now)
"""
AXE = Axe()


@pytest.fixture(scope="module")
def mira(new_visitor):
    """A user whose palace has content on every page."""
    return new_visitor()


@pytest.fixture(scope="module")
def visitor(new_visitor):
    """A visitor who is not signed in."""
    return new_visitor()


@pytest.fixture(scope="module")
def site_pages(mira, visitor, site):
    """Every page of the site."""
    visited = furnish(mira, site, "Mira")
    survey = Survey(site.address, mira.context.request, visitor.context.request, visited)
    return survey.find_all()


@pytest.fixture(scope="module")
def many_facts(site, site_pages):
    """Eight more facts in each of seven groups."""
    site.manage("shell", "-c", FILL)


def test_pages_have_no_accessibility_problems(mira, visitor, site_pages):
    found: list[str] = []
    for site_page in site_pages:
        person = visitor if site_page.for_visitors else mira
        person.go(site_page.path)
        found += [
            f"{site_page.name}: {fault}" for fault in faults(person.page, whole=site_page == site_pages[0])
        ]
    assert not found, "\n".join(found)
    assert len(site_pages) > 50


def test_pages_fit_right_to_left_on_a_narrow_screen(mira, new_visitor, site_pages):
    state = mira.context.storage_state()
    reader = new_visitor(locale="ar", viewport=NARROWEST, storage_state=state)
    stranger = new_visitor(locale="ar", viewport=NARROWEST)
    found: list[str] = []
    for site_page in site_pages:
        person = stranger if site_page.for_visitors else reader
        person.go(site_page.path)
        assert person.page.locator("html").get_attribute("dir") == "rtl", site_page.name
        if person.page.evaluate(OVERFLOW) > 0:
            found.append(site_page.name)
    assert not found, f"wider than 320 px: {', '.join(found)}"
    reader.page.set_viewport_size(WIDE)
    reader.go("/memory/")
    navigation = reader.page.get_by_role("navigation", name="Main").bounding_box()
    assert navigation is not None
    assert navigation["x"] > WIDE["width"] / 2


def test_every_control_is_reached_by_tab_and_shows_its_focus(mira, visitor, site_pages):
    found: list[str] = []
    for site_page in site_pages:
        person = visitor if site_page.for_visitors else mira
        person.go(site_page.path)
        found += [f"{site_page.name}: {fault}" for fault in unreachable(person.page)]
    assert not found, "\n".join(found)


def unreachable(page):
    """Controls that Tab does not reach, or whose focus is covered or cannot be seen."""
    stops = page.evaluate(f"() => {{ window.stops = ({STOPS})(); return window.stops.length; }}")
    reached = set()
    for _ in range(stops + SPARE_TABS):
        page.keyboard.press("Tab")
        (number, name, look) = page.evaluate(FOCUSED)
        if number in reached or number < 0:
            continue
        reached.add(number)
        _width, _height, is_ringed, is_uncovered, _is_inline = look
        if not is_ringed or not is_uncovered:
            yield f"the focus on {name} is {'covered' if is_ringed else 'not visible'}"
    for number in sorted(set(range(stops)) - reached):
        yield f"Tab did not reach {page.evaluate(NAME, number)}"


@pytest.mark.parametrize("screen", MIN_FACTS, ids=str)
def test_facts_page_shows_many_facts_under_a_low_filter_row(mira, many_facts, screen):
    width, height = screen
    mira.page.set_viewport_size({"width": width, "height": height})
    mira.go("/memory/facts/")
    assert mira.page.locator(".filter-row").bounding_box()["height"] <= MAX_FILTER_HEIGHT
    assert mira.page.locator(".fact").evaluate_all(VISIBLE_ROWS) >= MIN_FACTS[screen]


def faults(page, *, whole):
    """The problems of the current page: all rules in the light look, colours in the other looks, and the
    width on the narrowest screen. The frame has the same colours on every page, so its colours are
    checked in those looks only if `whole` is set."""
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
    if page.evaluate(TABLE_SCROLLS):
        yield "a table scrolls sideways"
    page.set_viewport_size(ENLARGED)
    if page.evaluate(COVERED) > MAX_COVERED:
        yield "enlarged four times, sticky elements cover most of the page"
    page.set_viewport_size(WIDE)


def _violations(page, look, options, within="html"):
    found = _run_axe(page, options, within)
    if found:  # a colour may still have been animated
        page.wait_for_timeout(RESTS_AFTER_MS)
        found = _run_axe(page, options, within)
    for violation in found:
        nodes = [f"{node['target']} {node['failureSummary']}" for node in violation["nodes"][:3]]
        yield f"{look}: {violation['id']}: {'; '.join(nodes)}"


def _run_axe(page, options, within):
    page.evaluate(SETTLED)
    script = "([within, options]) => axe.run(within, options)"
    answer: dict[str, Any] = page.evaluate(script, [within, options])
    return list(answer["violations"])
