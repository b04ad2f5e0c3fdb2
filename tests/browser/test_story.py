"""A first session with Palace, from creating the owner account to a restart.

The tests run in this order; fixtures prepare the state in which each starts.
"""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.site import fresh_site
from tests.browser.visitors import EXPORT, IMPORT, SAVED

pytestmark = pytest.mark.drill

WORDS = "Her hull was painted with ochre antifouling in March by Marta Lindqvist, the shipwright."
QUESTION = "Who painted the hull of my boat?"
POINTER = re.compile(r"§ W-\d+/R-\d+/D-\d+")


@pytest.fixture(scope="module")
def site(chromium, new_home, django_db_setup):
    """A site without users."""
    with fresh_site(new_home()) as site:
        yield site


@pytest.fixture(scope="module")
def reader(new_visitor):
    """The owner, with an imported and mined export."""
    owner = new_visitor()
    owner.go("/")
    expect(owner.page.get_by_role("heading", level=1)).to_contain_text("owner account")
    owner.sign_up("Alice")
    owner.go("/accounts/welcome/")
    owner.follow("Import an export")
    owner.choose_file(owner.page.get_by_label("Export file"), EXPORT)
    owner.shows("Last message")
    expect(owner.page.locator("#import-chosen")).to_contain_text(re.compile(r"3 chats\s+New messages\s+10"))
    owner.press(IMPORT)
    owner.shows("Import finished")
    owner.shows("10 new messages")
    owner.shows(SAVED)
    return owner


def test_tree_contains_every_message_and_opens_down_to_a_drawer(reader):
    page = reader.page
    reader.go("/memory/")
    counts = page.locator(".tree-whole > li > .tree-row .tree-count").all_inner_texts()
    assert sum(int(count.split()[0]) for count in counts) == 10
    row = page.locator(".tree-whole > li").first
    for _ in range(3):
        toggle = row.locator(":scope > .tree-row .tree-toggle")
        expect(toggle).to_be_visible()
        toggle.press("Enter")
        expect(toggle).to_have_attribute("aria-expanded", "true")
        row = row.locator(":scope > .tree-branch > li").first
        expect(row).to_be_visible()
    link = row.locator("a.tree-drawer")
    beginning = link.inner_text().split(".")[0]  # the page may add a footnote after it
    link.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text(POINTER)
    expect(page.locator(".said-here blockquote")).to_contain_text(beginning)


def test_search_finds_words_in_any_script_and_pointers(reader):
    expect(reader.search("Самарканд").first.locator("blockquote")).to_contain_text("Самарканд")
    found = reader.search(QUESTION).filter(has_text=WORDS)
    expect(found).to_have_count(1)
    expect(found.locator("mark").filter(has_text="hull")).to_have_count(1)
    expect(found.locator("figcaption")).to_contain_text("9 May 2025")
    found.get_by_text("Details", exact=True).click()
    expect(found.locator(".why progress").first).to_be_visible()
    reader.write("Search your memory", found.locator("a.aaak").inner_text())
    reader.press("Search")
    expect(reader.page.locator(".said-here blockquote")).to_contain_text(WORDS)


def test_palace_is_unchanged_after_a_restart(reader, site):
    tree = reader.page.locator(".tree-whole")
    reader.go("/memory/")
    before = tree.inner_text()
    reader.page.goto("about:blank")  # an open page would keep polling
    site.stop()
    site.start()
    assert reader.go("/memory/") == 200
    assert tree.inner_text() == before
    expect(reader.search(QUESTION).filter(has_text=WORDS)).to_have_count(1)
