"""Using pages: keyboard shortcuts, the sidebar, toasts, the time zone, and the palace as tree and columns."""

import re

import pytest
from playwright.sync_api import expect

from palace.navigation import DESTINATIONS, PLACES
from tests.browser.chat.talking import ask, open_panel
from tests.browser.hands import PHONE

NOTES = {
    "Anchor": ("The anchor is galvanised.", "Chain"),
    "Barometer": ("The barometer falls before rain.", "Weather"),
    "Beacon": ("The beacon blinks twice.", "Light"),
}
LAPTOP = {"width": 1366, "height": 720}
WIDE = {"width": 1280, "height": 800}
CHAT = "chat:chat"
CONTROLS = "main :is(button, input, textarea, select)"
FIRST_TABS = tuple(section.tabs[0] for place in PLACES for section in place.sections)
BLUR = "document.activeElement.blur()"
OVERLAP = """() => {
  const told = [...document.querySelectorAll(".toast")].map((each) => each.getBoundingClientRect());
  const bars = [...document.querySelectorAll("[data-at-edge]")].map((each) => each.getBoundingClientRect());
  const meet = (one, other) => one.top < other.bottom - 1 && other.top < one.bottom - 1
    && one.left < other.right - 1 && other.left < one.right - 1;
  if (!told.length || !bars.length) return "there is nothing to compare";
  if (told.some((each) => each.top < 0 || each.bottom > innerHeight)) return "a toast is out of sight";
  return told.some((each) => bars.some((bar) => meet(each, bar))) ? "a toast lies over a bar" : "";
}"""
WORDMARK_SHOWS = """brand => {
  const words = document.createRange();
  words.selectNodeContents(brand.lastChild);
  return words.getBoundingClientRect().left < brand.getBoundingClientRect().right;
}"""
PALE, INK = "rgb(232, 234, 230)", "rgb(28, 32, 30)"  # --ink, in the dark and the light theme
OFFER = "Your browser’s time zone is Asia/Calcutta, but your setting is Asia/Tokyo."


@pytest.fixture(scope="module")
def dora(new_visitor):
    """A user with three wings and a laptop 720 pixels high."""
    dora = new_visitor("Dora", viewport=LAPTOP)
    for wing, (words, closet) in NOTES.items():
        dora.note(words, wing, closet)
    return dora


def chosen(page):
    return page.locator("#palette [role=option][aria-selected=true]").inner_text()


def test_palette_is_used_by_keyboard_and_returns_the_focus(dora):
    page = dora.page
    dora.go("/memory/")
    page.get_by_role("link", name="Go to…").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("option").first).to_be_visible()
    options = page.locator("#palette-options")
    assert options.evaluate("list => list.scrollWidth <= list.clientWidth"), "no row is cut off"
    first = chosen(page)
    page.keyboard.press("ArrowDown")
    assert chosen(page) != first
    page.keyboard.press("ArrowUp")
    assert chosen(page) == first
    page.keyboard.press("Escape")
    expect(page.locator("#palette")).not_to_be_visible()
    expect(page.get_by_role("link", name="Go to…")).to_be_focused()


def test_palette_opens_pages_and_drawers(dora):
    page = dora.page
    dora.go("/memory/")
    page.keyboard.press("Control+k")
    box = page.get_by_role("combobox")
    expect(box).to_be_focused()
    page.keyboard.type("timel")
    option = page.get_by_role("option").filter(has_text="Timeline")
    expect(option).to_have_attribute("aria-selected", "true")
    expect(box).to_have_attribute("aria-activedescendant", option.get_attribute("id") or "none")
    expect(page.locator("#palette-count")).to_contain_text(re.compile(r"\d places?"))
    page.keyboard.press("Enter")
    dora.wait_for_url(r"/memory/timeline/$")
    page.wait_for_load_state()
    page.keyboard.press("Control+k")
    expect(page.locator("#palette").get_by_role("combobox")).to_be_focused()
    page.keyboard.type("§ w-1/r-1/d-1")
    expect(page.get_by_role("option", name="§ W-001/R-01/D-001")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.locator(".said-here blockquote")).to_contain_text("The anchor is galvanised")


def test_single_keys_open_pages_change_drawers_and_are_ignored_in_text_fields(dora):
    page = dora.page
    dora.go("/memory/")
    for keys, path in (("gr", "/memory/review/"), ("gc", "/chat/")):
        page.evaluate(BLUR)
        page.keyboard.type(keys)
        dora.wait_for_url(f"{path}$")
        page.wait_for_load_state()
    page.evaluate(BLUR)
    page.keyboard.press("?")
    sheet = page.get_by_role("dialog", name="Keyboard")
    expect(sheet.get_by_text("Undo the last action")).to_be_visible()
    page.keyboard.press("Escape")
    expect(sheet).not_to_be_visible()

    dora.go("/memory/p/W-1/R-1/D-1/")
    page.keyboard.press("p")
    expect(page.get_by_role("button", name="Pinned")).to_be_visible()
    page.keyboard.press("#")
    expect(page.get_by_role("heading", name="This drawer is in the trash")).to_be_visible()
    page.keyboard.press("u")
    expect(page.locator(".said-here blockquote")).to_contain_text("The anchor is galvanised")

    dora.go("/memory/search/")
    page.keyboard.press("/")
    box = page.get_by_role("searchbox", name="Search your memory")
    expect(box).to_be_focused()
    page.keyboard.type("g f? j")
    expect(box).to_have_value("g f? j")
    dora.wait_for_url(r"/memory/search/$")


def test_single_keys_can_be_switched_off_except_the_palette(dora):
    page = dora.page
    dora.go("/keys/")
    dora.press("Turn them off")
    dora.shows("Single keys are off")
    page.keyboard.type("gf")
    page.keyboard.press("Control+k")
    expect(page.get_by_role("combobox")).to_be_focused()
    dora.wait_for_url(r"/keys/$")
    page.keyboard.press("Escape")
    dora.press("Turn them on")
    expect(page.get_by_role("button", name="Turn them off")).to_be_visible()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keyboard")).to_be_visible()


def test_pages_print_in_dark_ink_without_forms_in_the_dark_theme(dora):
    page, controls = dora.page, dora.page.locator(CONTROLS).locator("visible=true")
    dora.go("/memory/p/W-1/R-1/D-1/")
    words = page.locator(".said-here blockquote")
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    expect(words).to_have_css("color", PALE)
    page.emulate_media(media="print")
    expect(words).to_have_css("color", INK)
    expect(controls).to_have_count(0)
    page.emulate_media(media="screen")
    expect(controls).not_to_have_count(0)


def focused(page):
    """The name of the focused tree item."""
    return str(page.evaluate("document.activeElement.querySelector('.tree-name')?.textContent"))


def test_tree_keyboard_navigation(dora):
    page = dora.page
    dora.go("/memory/?view=tree")
    tree = page.get_by_role("tree")
    expect(tree.get_by_role("treeitem")).to_have_count(3)
    expect(tree.locator("[role=treeitem][tabindex='0']")).to_have_count(1)
    tree.locator("[role=treeitem][tabindex='0']").focus()
    for key, name in (("Home", "Beacon"), ("End", "Anchor")):
        page.keyboard.press(key)
        assert focused(page) == name
    page.keyboard.type("ba")
    assert focused(page) == "Barometer"
    page.keyboard.press("ArrowRight")
    wing = tree.get_by_role("treeitem").filter(has_text="Barometer")
    expect(wing).to_have_attribute("aria-expanded", "true")
    expect(tree.get_by_role("treeitem")).to_have_count(4)
    page.keyboard.press("ArrowRight")
    expect(tree.locator("[aria-level='2']:focus")).to_have_count(1)
    page.keyboard.press("ArrowLeft")
    assert focused(page) == "Barometer"
    page.keyboard.press("ArrowLeft")
    expect(wing).to_have_attribute("aria-expanded", "false")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Barometer")


def test_tree_and_columns_share_urls_and_browser_history(dora):
    page = dora.page
    dora.go("/memory/?view=tree")
    page.locator(".tree-whole a.tree-item").filter(has_text="Beacon").click()
    page.get_by_role("link", name="Columns", exact=True).click()
    expect(page.locator(".column")).to_have_count(2)
    expect(page.locator(".column [aria-current]")).to_contain_text("Beacon")
    deep = dora.wait_for_url(r"/memory/w/[0-9a-f-]{36}/\?view=columns$")
    page.locator(".column").nth(1).locator("a").click()
    dora.wait_for_url(r"/r/[0-9a-f-]{36}/\?view=columns$")
    page.go_back()
    expect(page).to_have_url(deep)
    page.go_back()
    expect(page.get_by_role("tree")).to_be_visible()
    page.go_forward()
    expect(page.locator(".column")).to_have_count(2)
    page.reload()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Beacon")
    expect(page.locator(".miller")).to_be_visible()


@pytest.mark.parametrize("pages", [FIRST_TABS, pytest.param(DESTINATIONS, marks=pytest.mark.drill)])
def test_sidebar_neither_scrolls_nor_shifts_the_page(dora, pages):
    edges = set()
    for to in pages:
        dora.go(to.url)
        scrolls = dora.page.locator("#nav").evaluate("each => each.scrollHeight > each.clientHeight")
        assert not scrolls, to.view
        if to.view != CHAT:
            edges.add(dora.main.locator("h1").bounding_box()["x"])
    assert len(edges) == 1


def test_sidebar_collapses_and_expands_without_scripts(dora, new_visitor):
    state = dora.context.storage_state()
    plain = new_visitor(storage_state=state, java_script_enabled=False, viewport=LAPTOP)
    nav = plain.page.locator("#nav")
    plain.go("/memory/facts/")
    plain.press("Collapse sidebar", within=nav)
    plain.go("/memory/timeline/")
    assert nav.bounding_box()["width"] < 80
    assert not nav.locator(".brand").evaluate(WORDMARK_SHOWS)
    plain.go("/chat/?q=x")
    plain.follow("New chat", within=nav)
    plain.wait_for_url(r"/chat/$")
    plain.go("/memory/timeline/")
    plain.follow("Facts", within=nav)
    plain.wait_for_url(r"/memory/facts/$")
    plain.press("Expand sidebar", within=nav)
    expect(nav.get_by_text("Facts", exact=True)).to_be_visible()


@pytest.mark.drill
def test_menu_on_a_phone_lists_every_section(dora, new_visitor):
    phone = new_visitor(storage_state=dora.context.storage_state(), java_script_enabled=False, viewport=PHONE)
    nav = phone.page.locator("#nav")
    for section in (section for place in PLACES for section in place.sections):
        phone.go("/memory/activity/")
        phone.page.get_by_role("button", name="Menu").click()
        nav.get_by_role("link", name=str(section.name), exact=True).last.click()
        expect(phone.page).to_have_url(f"{phone.address}{section.tabs[0].url}")
    assert phone.page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


@pytest.mark.drill
@pytest.mark.parametrize("size", [PHONE, WIDE], ids=["phone", "wide"])
def test_toasts_cover_neither_the_selection_bar_nor_the_message_field(new_visitor, size):
    olga = new_visitor(f"Olga{size['width']}", viewport=size)
    page = olga.page
    for number in range(6):
        olga.note(f"Lighthouse {number} burns {number} lamps.")

    def check_no_overlap():
        page.wait_for_function(f"() => ({OVERLAP})() === ''")

    olga.go("/memory/search/?q=lighthouse")
    olga.check(page.locator("main .choose").first)
    olga.press("Move to trash", within=page.locator(".selecting"))
    olga.notice("moved to the trash")
    olga.press("Select all")
    for place in ("0", "document.body.scrollHeight / 2", "document.body.scrollHeight"):
        page.evaluate(f"scrollTo(0, {place})")
        check_no_overlap()

    ask(olga, "Good morning")
    open_panel(olga)
    page.get_by_role("link", name="Rename").click()
    olga.write("Title", "Lamps")
    olga.press("Rename")
    olga.notice("Chat renamed.")
    check_no_overlap()
    olga.write("Message", "One\ntwo\nthree\nfour\nfive\nsix")
    check_no_overlap()


def test_time_zone_is_detected_and_offered_elsewhere_until_answered(new_visitor):
    def toasts(visitor):
        return visitor.page.locator("#toasts")

    def arrive(zone):
        """Sign in Yuki, who lives in Tokyo, with a browser in a time zone."""
        there = new_visitor(timezone_id=zone)
        there.sign_in("yuki@example.org")
        expect(there.page.get_by_role("heading", name="New chat")).to_be_visible()
        return there

    def zone_in_settings(visitor):
        visitor.go("/memory/settings/")
        return visitor.page.get_by_label("Time zone").input_value()

    home = new_visitor(timezone_id="Asia/Tokyo")
    home.go(home.create_account("Yuki"))
    home.press("I agree: save my chats to memory")
    home.shows("Welcome to your palace")
    assert zone_in_settings(home) == "Asia/Tokyo"
    assert toasts(home).inner_text() == ""

    elsewhere = arrive("Asia/Kolkata")
    expect(toasts(elsewhere)).to_contain_text(OFFER)
    elsewhere.press("Keep my setting", within=toasts(elsewhere))
    assert zone_in_settings(elsewhere) == "Asia/Tokyo"
    assert toasts(elsewhere).inner_text() == ""

    far = arrive("America/New_York")
    far.go("/memory/facts/?q=tea")
    far.press("Change my setting", within=toasts(far))
    far.notice("Dates are now shown in the time zone America/New York.")
    assert far.page.url.endswith("/memory/facts/?q=tea")
    assert zone_in_settings(far) == "America/New_York"
