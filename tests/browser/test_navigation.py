"""The frame of every page: a sidebar that never scrolls or jumps, without scripts and on a phone."""

import re

import pytest
from playwright.sync_api import Page, expect

from palace.navigation import DESTINATIONS, PLACES, Destination
from tests.browser.conftest import Arrive
from tests.browser.visitors import Visitor

PHONE = {"width": 390, "height": 844}
CHAT = "chat:chat"
FIRST_TABS = tuple(section.tabs[0] for place in PLACES for section in place.sections)


@pytest.fixture(scope="module")
def nils(arrive: Arrive) -> Visitor:
    """Somebody with a laptop 720 pixels high."""
    nils = arrive(viewport={"width": 1366, "height": 720})
    nils.sign_up("Nils")
    return nils


def edge(page: Page) -> float:
    """Where the heading of the page begins, in pixels."""
    box = page.locator("main h1").bounding_box()
    assert box is not None
    return box["x"]


@pytest.mark.parametrize("pages", [FIRST_TABS, pytest.param(DESTINATIONS, marks=pytest.mark.drill)])
def test_the_sidebar_neither_scrolls_nor_moves_the_page(
    nils: Visitor, pages: tuple[Destination, ...]
) -> None:
    edges = set()
    for to in pages:
        nils.go(to.url)
        scrolls = nils.page.locator("#nav").evaluate("each => each.scrollHeight > each.clientHeight")
        assert not scrolls, to.view
        if to.view != CHAT:
            edges.add(edge(nils.page))
    assert len(edges) == 1
    assert nils.complaints == []


def test_it_collapses_and_expands_without_scripts_and_stays_so(nils: Visitor, arrive: Arrive) -> None:
    state = nils.context.storage_state()
    plain = arrive(storage_state=state, java_script_enabled=False, viewport={"width": 1366, "height": 720})
    nav = plain.page.locator("#nav")
    plain.go("/memory/facts/")
    plain.page.get_by_role("button", name="Collapse sidebar").click()
    plain.go("/memory/timeline/")
    box = nav.bounding_box()
    assert box is not None
    assert box["width"] < 80
    nav.get_by_role("link", name="Facts").click()
    expect(plain.page).to_have_url(re.compile(r"/memory/facts/$"))
    plain.page.get_by_role("button", name="Expand sidebar").click()
    expect(nav.get_by_text("Facts", exact=True)).to_be_visible()
    assert plain.complaints == []


@pytest.mark.drill
def test_a_phone_lists_every_section_in_its_menu(nils: Visitor, arrive: Arrive) -> None:
    phone = arrive(storage_state=nils.context.storage_state(), java_script_enabled=False, viewport=PHONE)
    nav = phone.page.locator("#nav")
    for section in (section for place in PLACES for section in place.sections):
        phone.go("/memory/activity/")
        phone.page.get_by_role("button", name="Menu").click()
        nav.get_by_role("link", name=str(section.name), exact=True).last.click()
        expect(phone.page).to_have_url(f"{phone.address}{section.tabs[0].url}")
    assert phone.page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    assert phone.complaints == []
