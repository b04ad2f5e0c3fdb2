"""A first evening with Palace, from the owner account to the second start. The tests are one
story and run in this order; a fixture brings the owner to where the next chapter begins."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.conftest import Arrive, NewHome
from tests.browser.site import Site, fresh_site
from tests.browser.visitors import EXPORT, Visitor

pytestmark = pytest.mark.drill

WORDS = "Her hull was painted with ochre antifouling in March by Marta Lindqvist, the shipwright."
QUESTION = "Who painted the hull of my boat?"
POINTER = re.compile(r"§ W-\d+/R-\d+/D-\d+")


@pytest.fixture(scope="module")
def site(chromium: str, new_home: NewHome, django_db_setup: None) -> Iterator[Site]:
    """A site of its own, where nobody has been before."""
    with fresh_site(new_home()) as site:
        yield site


@pytest.fixture(scope="module")
def owner(arrive: Arrive) -> Visitor:
    """The first person here, with an account."""
    owner = arrive()
    owner.go("/")
    expect(owner.page.get_by_role("heading", level=1)).to_contain_text("owner account")
    owner.sign_up("Alice")
    return owner


@pytest.fixture(scope="module")
def reader(owner: Visitor) -> Visitor:
    """The owner, once an export is imported and in the palace."""
    page = owner.page
    owner.go("/accounts/welcome/")
    page.get_by_role("link", name="Import an export").click()
    page.get_by_label("Export file").set_input_files(EXPORT)
    page.get_by_role("button", name="Look into the file").click()
    expect(page.get_by_text("This is in the file")).to_be_visible()
    expect(page.locator("dl.pairs")).to_contain_text(re.compile(r"Chats\s+3\s+Messages\s+10"))
    page.get_by_role("button", name="Import now").click()
    expect(page.get_by_text("What came in")).to_be_visible()
    expect(page.locator("dl.pairs")).to_contain_text(re.compile(r"New messages\s+10"))
    expect(page.get_by_text("Everything you imported has been read.")).to_be_visible()
    return owner


@pytest.fixture(autouse=True)
def nothing_to_complain_about(owner: Visitor) -> Iterator[None]:
    """No page breaks the content policy, logs an error or asks another host."""
    yield
    assert owner.complaints == []


def hits(visitor: Visitor, words: str) -> Locator:
    """The drawers found when the owner searches for these words by hand."""
    visitor.go("/memory/search/")
    box = visitor.page.get_by_role("searchbox", name="Search your memory")
    box.fill(words)
    box.press("Enter")
    expect(visitor.page.get_by_role("status").filter(has_text="found")).to_be_visible()
    return visitor.page.locator("article.hit")


def ask(visitor: Visitor, words: str) -> Locator:
    """The finished reply to words sent in a new chat."""
    visitor.go("/chat/")
    box = visitor.page.get_by_role("textbox", name="Message")
    box.fill(words)
    box.press("Enter")
    reply = visitor.page.locator(".message-assistant:not(.message-streaming)")
    expect(reply).to_have_count(1)
    return reply


def save_settings(visitor: Visitor) -> None:
    visitor.page.get_by_role("button", name="Save", exact=True).click()


def test_an_import_is_counted_before_anything_is_kept_and_fills_the_palace(
    reader: Visitor,
) -> None:
    reader.page.get_by_role("link", name="See your palace").click()
    expect(reader.page.locator(".tree-whole")).to_be_visible()
    counts = reader.page.locator(".tree-whole > li > .tree-row .tree-count").all_inner_texts()
    assert sum(int(count.split()[0]) for count in counts) == 10


def test_the_tree_opens_by_keyboard_down_to_a_drawer(reader: Visitor) -> None:
    page = reader.page
    reader.go("/memory/")
    row = page.locator(".tree-whole > li").first
    for _ in range(3):
        toggle = row.locator(":scope > .tree-row .tree-toggle")
        expect(toggle).to_be_visible()
        toggle.focus()
        page.keyboard.press("Enter")
        expect(toggle).to_have_attribute("aria-expanded", "true")
        row = row.locator(":scope > .tree-branch > li").first
        expect(row).to_be_visible()
    link = row.locator("a.tree-drawer")
    beginning = link.inner_text().rstrip("…")
    link.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text(POINTER)
    expect(page.locator(".said-here blockquote")).to_contain_text(beginning)


def test_the_tree_is_also_pages_with_links(reader: Visitor) -> None:
    page = reader.page
    reader.go("/memory/")
    page.locator(".tree-whole a.tree-item").first.click()
    expect(page).to_have_url(re.compile(r"/memory/w/[0-9a-f-]{36}/$"))
    page.locator("main ul.list a").first.click()
    expect(page).to_have_url(re.compile(r"/r/[0-9a-f-]{36}/$"))
    page.locator("main .said a.aaak").first.click()
    expect(page).to_have_url(re.compile(r"/memory/drawers/[0-9a-f-]{36}/$"))


def test_search_finds_the_words_and_says_why(reader: Visitor) -> None:
    found = hits(reader, QUESTION).filter(has_text=WORDS)
    expect(found).to_have_count(1)
    expect(found.locator("mark").filter(has_text="hull")).to_have_count(1)
    expect(found.locator("figcaption")).to_contain_text("9 May 2025")
    expect(found.locator(".written")).to_contain_text(re.compile(r"Why\s+\S+"))
    expect(found.locator(".why progress").first).to_be_visible()


def test_search_takes_any_script(reader: Visitor) -> None:
    expect(hits(reader, "Самарканд").first.locator("blockquote")).to_contain_text("Самарканд")


def test_a_pointer_in_the_search_opens_its_drawer(reader: Visitor) -> None:
    found = hits(reader, QUESTION).filter(has_text=WORDS)
    pointer = found.locator("a.aaak").inner_text()
    reader.page.get_by_role("searchbox", name="Search your memory").fill(pointer)
    reader.page.keyboard.press("Enter")
    expect(reader.page.get_by_role("heading", level=1)).to_contain_text(pointer)
    expect(reader.page.locator(".said-here blockquote")).to_contain_text(WORDS)


def test_a_new_chat_quotes_the_words_with_their_source(reader: Visitor) -> None:
    reply = ask(reader, QUESTION)
    expect(reply.get_by_text("From memory alone")).to_be_visible()
    text = reply.locator(".message-text")
    expect(text).to_contain_text("No language model is connected.")
    expect(text.locator("blockquote").filter(has_text=WORDS)).to_have_count(1)
    expect(text).to_contain_text(POINTER)
    reply.locator(".sources summary").click()
    source = reply.locator("li.source").filter(has_text=WORDS)
    expect(source.locator("time")).to_have_text("9 May 2025")
    expect(source.locator(".written")).to_contain_text("Why")
    pointer = source.locator("a.aaak")
    expect(text).to_contain_text(pointer.inner_text())
    pointer.click()
    expect(reader.page.locator(".said-here blockquote")).to_have_text(WORDS)


def test_a_deleted_drawer_is_found_by_nothing_until_it_is_taken_back(reader: Visitor) -> None:
    page = reader.page
    hits(reader, QUESTION).filter(has_text=WORDS).locator("a.aaak").click()
    page.get_by_role("button", name="Delete").click()
    expect(page.get_by_role("heading", name="This drawer is in the trash")).to_be_visible()
    assert hits(reader, QUESTION).filter(has_text="ochre").count() == 0
    assert ask(reader, QUESTION).filter(has_text="ochre").count() == 0
    reader.go("/memory/trash/")
    page.get_by_role("listitem").filter(has_text="ochre").get_by_role("button").click()
    expect(hits(reader, QUESTION).filter(has_text=WORDS)).to_have_count(1)


def test_memory_switched_off_recalls_nothing(reader: Visitor) -> None:
    page = reader.page
    reader.go("/memory/settings/")
    page.get_by_label("Use memory", exact=True).uncheck()
    save_settings(reader)
    reader.told("Saved. It holds from the next message on.")
    reply = ask(reader, QUESTION)
    assert reply.locator(".sources").count() == 0
    assert reply.filter(has_text="ochre").count() == 0
    reader.go("/memory/settings/")
    page.get_by_label("Use memory", exact=True).check()
    save_settings(reader)
    expect(ask(reader, QUESTION).locator(".sources summary")).to_contain_text("Recalled")


def test_a_setting_out_of_bounds_gets_a_sentence_and_saves_nothing(reader: Visitor) -> None:
    page = reader.page
    reader.go("/memory/settings/")
    page.get_by_label("Use memory", exact=True).uncheck()
    page.get_by_label("Drawers for a reply, at most").fill("50")
    save_settings(reader)
    expect(page.locator("#id_top_k_error")).to_have_text("At most 20.")
    expect(page.get_by_text("Nothing was changed")).to_be_visible()
    reader.go("/memory/settings/")
    expect(page.get_by_label("Use memory", exact=True)).to_be_checked()
    expect(page.get_by_label("Drawers for a reply, at most")).to_have_value("5")


def test_the_pages_of_knowledge_answer(reader: Visitor) -> None:
    for path in ("/memory/facts/", "/memory/graph/", "/memory/activity/", "/memory/note/"):
        assert reader.go(path) == 200
        expect(reader.page.get_by_role("heading", level=1)).to_be_visible()


def test_somebody_else_finds_nothing_at_the_same_addresses(reader: Visitor, arrive: Arrive) -> None:
    drawer = hits(reader, QUESTION).first.locator("a.aaak")
    drawer.click()
    crumbs = reader.page.locator(".crumbs a")
    expect(crumbs).to_have_count(4)  # the palace, and the three places a drawer is in
    addresses = [reader.page.url]
    addresses += [link.evaluate("link => link.href") for link in crumbs.all()[1:]]
    ask(reader, QUESTION)
    addresses.append(reader.page.url)
    reader.go("/chat/import/")
    addresses.append(reader.page.locator("section a[href*='/import/']").first.evaluate("link => link.href"))
    assert len(set(addresses)) == 6
    bob = arrive()
    bob.sign_up("Bob")
    assert [bob.go(address) for address in addresses] == [404] * len(addresses)
    assert hits(bob, QUESTION).count() == 0
    assert bob.complaints == []


def test_all_is_still_there_after_ctrl_c_and_a_second_start(reader: Visitor, site: Site) -> None:
    reader.go("/memory/")
    before = reader.page.locator(".tree-whole").inner_text()
    reader.page.goto("about:blank")  # a page that is left open asks for news
    site.stop()
    site.start()
    assert reader.go("/memory/") == 200
    assert reader.page.locator(".tree-whole").inner_text() == before
    expect(hits(reader, QUESTION).filter(has_text=WORDS)).to_have_count(1)
