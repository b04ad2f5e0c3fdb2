"""Using pages: keyboard shortcuts, the sidebar, toasts, the time zone, and the palace as tree and columns."""

import re

import pytest
from playwright.sync_api import expect

from palace.navigation import DESTINATIONS, PLACES
from tests.browser.chat.talking import ask, keep_note, open_options
from tests.browser.visitors import PASSWORD

NOTES = {
    "Anchor": ("The anchor is galvanised.", "Chain"),
    "Barometer": ("The barometer falls before rain.", "Weather"),
    "Beacon": ("The beacon blinks twice.", "Light"),
}
DRAWER = re.compile(r"/memory/drawers/[0-9a-f-]{36}/$")
LAPTOP = {"width": 1366, "height": 720}
PHONE = {"width": 390, "height": 844}
CHAT = "chat:chat"
CONTROLS = "main :is(button, input, textarea, select)"
FIRST_TABS = tuple(section.tabs[0] for place in PLACES for section in place.sections)
SIZES = {"phone": {"width": 360, "height": 740}, "wide": {"width": 1280, "height": 800}}
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
EMAIL = "yuki@example.org"
OFFER = "Your browser’s time zone is Asia/Calcutta, but your setting is Asia/Tokyo."


@pytest.fixture(scope="module")
def dora(new_visitor):
    """A user with three wings and a laptop 720 pixels high."""
    dora = new_visitor(viewport=LAPTOP)
    dora.sign_up("Dora")
    for wing, (words, closet) in NOTES.items():
        dora.go("/memory/note/")
        dora.page.locator("textarea").first.fill(words)
        dora.page.locator("main details > summary").click()
        dora.page.get_by_label("Wing", exact=True).fill(wing)
        dora.page.get_by_label("Closet", exact=True).fill(closet)
        dora.page.get_by_role("button", name="Save note").click()
        expect(dora.page).to_have_url(DRAWER)
    return dora


@pytest.fixture
def page(dora):
    dora.go("/memory/")
    return dora.page


def chosen(page):
    return page.locator("#palette [role=option][aria-selected=true]").inner_text()


def test_palette_is_used_by_keyboard_and_opens_pages_and_drawers(page):
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

    page.keyboard.press("Control+k")
    box = page.get_by_role("combobox")
    expect(box).to_be_focused()
    page.keyboard.type("timel")
    option = page.get_by_role("option").filter(has_text="Timeline")
    expect(option).to_have_attribute("aria-selected", "true")
    expect(box).to_have_attribute("aria-activedescendant", option.get_attribute("id") or "none")
    expect(page.locator("#palette-count")).to_contain_text(re.compile(r"\d places?"))
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/memory/timeline/$"))
    page.wait_for_load_state()
    page.keyboard.press("Control+k")
    expect(page.locator("#palette").get_by_role("combobox")).to_be_focused()
    page.keyboard.type("§ w-1/r-1/d-1")
    expect(page.get_by_role("option", name="§ W-001/R-01/D-001")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.locator(".said-here blockquote")).to_contain_text("The anchor is galvanised")


def test_single_keys_open_pages_and_are_listed(page):
    for keys, path in (("gf", "/memory/facts/"), ("gr", "/memory/review/"), ("gc", "/chat/")):
        page.evaluate("document.activeElement.blur()")
        page.keyboard.type(keys)
        expect(page).to_have_url(re.compile(f"{path}$"))
        page.wait_for_load_state()
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("?")
    sheet = page.get_by_role("dialog", name="Keyboard")
    expect(sheet.get_by_text("Undo the last action")).to_be_visible()
    page.keyboard.press("Escape")
    expect(sheet).not_to_be_visible()


def test_shortcuts_are_ignored_in_text_fields(dora):
    dora.go("/memory/search/")
    dora.page.keyboard.press("/")
    box = dora.page.get_by_role("searchbox", name="Search your memory")
    expect(box).to_be_focused()
    dora.page.keyboard.type("g f? j")
    expect(box).to_have_value("g f? j")
    expect(dora.page).to_have_url(re.compile(r"/memory/search/$"))


def test_drawer_can_be_pinned_deleted_and_restored_by_keys(dora):
    page = dora.page
    dora.go("/memory/p/W-1/R-1/D-1/")
    page.keyboard.press("p")
    expect(page.get_by_role("button", name="Pinned")).to_be_visible()
    page.keyboard.press("#")
    expect(page.get_by_role("heading", name="This drawer is in the trash")).to_be_visible()
    page.keyboard.press("u")
    expect(page.locator(".said-here blockquote")).to_contain_text("The anchor is galvanised")


def test_single_keys_can_be_switched_off_except_the_palette(dora):
    page = dora.page
    dora.go("/keys/")
    page.get_by_role("button", name="Turn them off").click()
    expect(page.get_by_text("Single keys are off")).to_be_visible()
    page.keyboard.type("gf")
    page.keyboard.press("Control+k")
    expect(page.get_by_role("combobox")).to_be_focused()
    expect(page).to_have_url(re.compile(r"/keys/$"))
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Turn them on").click()
    expect(page.get_by_role("button", name="Turn them off")).to_be_visible()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keyboard")).to_be_visible()


def test_pages_print_in_dark_ink_without_forms_in_the_dark_theme(dora):
    page = dora.page
    for path, words in (("/memory/p/W-1/R-1/D-1/", ".said-here blockquote"), ("/memory/profile/", "h1")):
        dora.go(path)
        page.evaluate("document.documentElement.dataset.theme = 'dark'")
        expect(page.locator(words).first).to_have_css("color", PALE)
        page.emulate_media(media="print")
        expect(page.locator(words).first).to_have_css("color", INK)
        expect(page.locator(CONTROLS).locator("visible=true")).to_have_count(0)
        page.emulate_media(media="screen")
        expect(page.locator(CONTROLS).locator("visible=true")).not_to_have_count(0)


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
    page.keyboard.press("Home")
    assert focused(page) == "Beacon"
    page.keyboard.press("End")
    assert focused(page) == "Anchor"
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
    expect(page).to_have_url(re.compile(r"/memory/w/[0-9a-f-]{36}/\?view=columns$"))
    deep = page.url
    page.locator(".column").nth(1).locator("a").click()
    expect(page).to_have_url(re.compile(r"/r/[0-9a-f-]{36}/\?view=columns$"))

    page.go_back()
    expect(page).to_have_url(deep)
    page.go_back()
    expect(page.get_by_role("tree")).to_be_visible()
    page.go_forward()
    expect(page.locator(".column")).to_have_count(2)

    other = dora.context.new_page()
    other.goto(deep)
    expect(other.get_by_role("heading", level=1)).to_contain_text("Beacon")
    expect(other.locator(".miller")).to_be_visible()
    other.close()


def edge(page):
    """The left edge of the page's heading, in pixels."""
    box = page.locator("main h1").bounding_box()
    assert box is not None
    return box["x"]


@pytest.mark.parametrize("pages", [FIRST_TABS, pytest.param(DESTINATIONS, marks=pytest.mark.drill)])
def test_sidebar_neither_scrolls_nor_shifts_the_page(dora, pages):
    edges = set()
    for to in pages:
        dora.go(to.url)
        scrolls = dora.page.locator("#nav").evaluate("each => each.scrollHeight > each.clientHeight")
        assert not scrolls, to.view
        if to.view != CHAT:
            edges.add(edge(dora.page))
    assert len(edges) == 1


def test_sidebar_collapses_and_expands_without_scripts(dora, new_visitor):
    state = dora.context.storage_state()
    plain = new_visitor(storage_state=state, java_script_enabled=False, viewport=LAPTOP)
    nav = plain.page.locator("#nav")
    plain.go("/memory/facts/")
    plain.page.get_by_role("button", name="Collapse sidebar").click()
    plain.go("/memory/timeline/")
    box = nav.bounding_box()
    assert box is not None
    assert box["width"] < 80
    assert not nav.locator(".brand").evaluate(WORDMARK_SHOWS)
    plain.go("/chat/?q=x")
    nav.get_by_role("link", name="New chat").click()
    expect(plain.page).to_have_url(re.compile(r"/chat/$"))
    plain.go("/memory/timeline/")
    nav.get_by_role("link", name="Facts").click()
    expect(plain.page).to_have_url(re.compile(r"/memory/facts/$"))
    plain.page.get_by_role("button", name="Expand sidebar").click()
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


@pytest.fixture(scope="module", params=sorted(SIZES))
def olga(request, new_visitor):
    """A user with a few notes."""
    olga = new_visitor(viewport=SIZES[request.param])
    olga.sign_up(f"Olga{request.param}")
    for number in range(6):
        keep_note(olga, f"Lighthouse {number} burns {number} lamps.")
    return olga


def check_no_overlap(page):
    page.wait_for_function(f"() => ({OVERLAP})() === ''")


@pytest.mark.drill
def test_toasts_do_not_cover_the_selection_bar(olga):
    page = olga.page
    olga.go("/memory/search/?q=lighthouse")
    page.locator("main .choose").first.check()
    page.locator(".selecting").get_by_role("button", name="Move to trash").click()
    expect(page.locator(".toast")).to_contain_text("moved to the trash")
    page.get_by_role("button", name="Select all").click()
    for place in ("0", "document.body.scrollHeight / 2", "document.body.scrollHeight"):
        page.evaluate(f"scrollTo(0, {place})")
        check_no_overlap(page)


@pytest.mark.drill
def test_toasts_do_not_cover_the_message_field(olga):
    page = olga.page
    ask(olga, "Good morning")
    open_options(page)
    page.get_by_role("link", name="Rename").click()
    page.get_by_label("Title").fill("Lamps")
    page.get_by_role("button", name="Rename").click()
    expect(page.locator(".toast")).to_contain_text("Chat renamed.")
    check_no_overlap(page)
    page.get_by_role("textbox", name="Message").fill("One\ntwo\nthree\nfour\nfive\nsix")
    check_no_overlap(page)


@pytest.fixture(scope="module")
def sign_in_from(new_visitor):
    """Signs in Yuki, who lives in Tokyo, with a browser in another time zone."""
    yuki = new_visitor(timezone_id="Asia/Tokyo")
    yuki.sign_up("Yuki")

    def sign_in(zone):
        there = new_visitor(timezone_id=zone)
        there.go("/accounts/sign-in/")
        there.page.get_by_label("Email").fill(EMAIL)
        there.page.locator("input[type=password]").fill(PASSWORD)
        there.page.get_by_role("button", name="Sign in", exact=True).click()
        expect(there.page.get_by_role("heading", name="New chat")).to_be_visible()
        return there

    return sign_in


def zone_in_settings(visitor):
    visitor.go("/memory/settings/")
    return visitor.page.get_by_label("Time zone").input_value()


def offer(page):
    return page.locator("#toasts").inner_text()


def test_time_zone_is_detected_and_offered_elsewhere_until_declined(sign_in_from):
    home = sign_in_from("Asia/Tokyo")
    assert zone_in_settings(home) == "Asia/Tokyo"
    assert offer(home.page) == ""

    elsewhere = sign_in_from("Asia/Kolkata")
    expect(elsewhere.page.locator("#toasts")).to_contain_text(OFFER)
    elsewhere.page.get_by_role("button", name="Keep my setting").click()
    assert zone_in_settings(elsewhere) == "Asia/Tokyo"
    assert offer(elsewhere.page) == ""


def test_accepting_the_offer_changes_the_time_zone(sign_in_from):
    elsewhere = sign_in_from("America/New_York")
    elsewhere.go("/memory/facts/?q=tea")
    elsewhere.page.get_by_role("button", name="Change my setting").click()
    elsewhere.notice("Dates are now shown in the time zone America/New York.")
    assert elsewhere.page.url.endswith("/memory/facts/?q=tea")
    assert zone_in_settings(elsewhere) == "America/New_York"
