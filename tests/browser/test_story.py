"""A first session with Palace, from creating the owner account to a restart.

The tests run in this order; fixtures prepare the state in which each starts.
"""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.site import fresh_site
from tests.browser.visitors import EXPORT, IMPORT

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
    page = owner.page
    owner.go("/")
    expect(page.get_by_role("heading", level=1)).to_contain_text("owner account")
    owner.sign_up("Alice")
    page.get_by_role("link", name="Import an export").click()
    page.get_by_label("Export file").set_input_files(EXPORT)
    expect(page.get_by_text("Last message")).to_be_visible()
    expect(page.locator("#import-chosen")).to_contain_text(re.compile(r"3 chats\s+New messages\s+10"))
    page.get_by_role("button", name=IMPORT).click()
    expect(page.get_by_text("Import finished")).to_be_visible()
    expect(page.locator(".import-outcome")).to_contain_text("10 new messages")
    expect(page.get_by_text("Everything you imported is saved to memory.")).to_be_visible()
    return owner


def hits(visitor, words):
    """The drawers that a search finds."""
    visitor.go("/memory/search/")
    box = visitor.page.get_by_role("searchbox", name="Search your memory")
    box.fill(words)
    box.press("Enter")
    expect(visitor.page.get_by_role("status").filter(has_text="found")).to_be_visible()
    return visitor.page.locator("article.hit")


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
    expect(hits(reader, "Самарканд").first.locator("blockquote")).to_contain_text("Самарканд")
    found = hits(reader, QUESTION).filter(has_text=WORDS)
    expect(found).to_have_count(1)
    expect(found.locator("mark").filter(has_text="hull")).to_have_count(1)
    expect(found.locator("figcaption")).to_contain_text("9 May 2025")
    found.get_by_text("Details", exact=True).click()
    expect(found.locator(".why progress").first).to_be_visible()
    reader.page.get_by_role("searchbox", name="Search your memory").fill(found.locator("a.aaak").inner_text())
    reader.page.keyboard.press("Enter")
    expect(reader.page.locator(".said-here blockquote")).to_contain_text(WORDS)


def test_palace_is_unchanged_after_a_restart(reader, site):
    reader.go("/memory/")
    before = reader.page.locator(".tree-whole").inner_text()
    reader.page.goto("about:blank")  # an open page would keep polling
    site.stop()
    site.start()
    assert reader.go("/memory/") == 200
    assert reader.page.locator(".tree-whole").inner_text() == before
    expect(hits(reader, QUESTION).filter(has_text=WORDS)).to_have_count(1)
