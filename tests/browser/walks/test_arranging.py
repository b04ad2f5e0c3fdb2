"""The order of the palace: other names, merging, moving and other kinds, each taken back."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Settle
from tests.browser.walks.walker import Walker


@pytest.fixture(scope="module")
def otto(settle: Settle) -> Walker:
    """Somebody with two subjects."""
    otto = settle("Otto")
    otto.note("The compass needs a new card.", "Compass", "Card")
    otto.note("The sextant is from Hull.", "Sextant", "Origin")
    return otto


def change(walker: Walker, words: str) -> None:
    """Open what can be changed about the wing where something was said."""
    walker.go(f"/memory/search/?q={words}")
    walker.follow("§ W")
    walker.hand.press(walker.page, walker.page.locator(".crumbs a").nth(1))
    walker.follow("Change")
    walker.reads("Change this wing")


def heading(walker: Walker, words: str) -> None:
    """The page is about this."""
    expect(walker.page.get_by_role("heading", level=1)).to_contain_text(words)


@pytest.mark.phone
def test_a_wing_is_renamed_and_named_back(otto: Walker) -> None:
    page = otto.page
    change(otto, "compass")
    otto.write("Name", "Great Compass")
    otto.press("Rename")
    heading(otto, "Great Compass")
    wing = otto.arrive(r"/memory/w/[0-9a-f-]{36}/")
    otto.undo()
    otto.told("back")
    otto.go(wing)
    heading(otto, "Compass")
    expect(page.get_by_role("heading", level=1)).not_to_contain_text("Great")


def test_a_wing_becomes_of_another_kind_and_back(otto: Walker) -> None:
    page = otto.page
    change(otto, "compass")
    otto.tick(page.locator("[name=kind][value=project]"))
    otto.press("Change the kind")
    otto.told("Changed.")
    change(otto, "compass")
    expect(page.locator("[name=kind][value=project]")).to_be_checked()
    otto.press("Take back")
    otto.told("Taken back")
    change(otto, "compass")
    expect(page.locator("[name=kind][value=topic]")).to_be_checked()


def test_two_wings_become_one_and_part_again(otto: Walker) -> None:
    page = otto.page
    change(otto, "compass")
    otto.write("Find a place by its name", "Sextant")
    otto.press("Find")
    otto.tick(page.get_by_role("radio", name="Sextant").first)
    otto.press("Merge it here")
    heading(otto, "Compass")
    otto.go("/memory/?view=tree")
    expect(page.get_by_role("treeitem")).to_have_count(1)
    page.go_back()
    otto.go("/memory/activity/")
    otto.press("Undo")
    otto.told("Taken back")
    otto.go("/memory/?view=tree")
    expect(page.get_by_role("treeitem")).to_have_count(2)


def test_a_drawer_moves_and_returns(otto: Walker) -> None:
    page = otto.page
    otto.go("/memory/search/?q=sextant")
    otto.follow("§ W")
    drawer = otto.arrive(r"/memory/drawers/")
    otto.press("Move…")
    otto.tick(page.get_by_role("radio", name="Compass").first)
    otto.press("Move them there")
    otto.told("Done")
    otto.go(drawer)
    crumbs = page.get_by_role("navigation", name="Where you are")
    expect(crumbs).to_contain_text("Compass")
    otto.go("/memory/activity/")
    otto.press("Undo")
    otto.told("back")
    otto.go(drawer)
    expect(crumbs).to_contain_text("Sextant")


def test_several_wings_are_deleted_and_restored(otto: Walker) -> None:
    page = otto.page
    spots = page.locator("a.map-spot")
    otto.go("/memory/?view=map")
    expect(spots).to_have_count(2)
    otto.tick(page.get_by_label("Choose Sextant"))
    otto.press("Delete", within=page.locator(".selecting"))
    otto.told("Done")
    expect(spots).to_have_count(1)
    otto.undo()
    otto.told("back")
    otto.go("/memory/?view=map")
    expect(spots).to_have_count(2)


@pytest.mark.parametrize("view", ["Tree", "Columns", "Map"])
def test_each_view_is_a_page_of_its_own(otto: Walker, view: str) -> None:
    otto.go("/memory/?view=map" if view == "Tree" else "/memory/?view=tree")
    otto.follow(view)
    otto.arrive(f"view={view.lower()}$")
    expect(otto.page.get_by_role("link", name=view, exact=True)).to_have_attribute("aria-current", "true")
    otto.still_reads("Sextant")
