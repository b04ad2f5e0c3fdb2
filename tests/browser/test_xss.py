"""Hostile text in every field of a palace never becomes markup, never runs, and causes no request to another
host."""

import json
import re
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from tests.browser.furnishing import furnish
from tests.browser.pages import Survey
from tests.browser.poisoning import payloads, poison_beside
from tests.browser.visitors import IMPORT
from tests.exports import as_exported

pytestmark = pytest.mark.drill

EMAIL = "xenia@example.org"
HOSTILE_AGENT = "Mozilla/5.0 <script data-pwned>pwned('agent')</script>"
# What exists if a text became markup, whether or not the policy blocked it.
BREACHES = Path(__file__).with_name("breaches.js").read_text()
WATCH = """document.addEventListener("securitypolicyviolation", (event) =>
  console.error("policy: " + event.violatedDirective + " " + event.blockedURI));"""


@pytest.fixture(scope="module")
def visited():
    """The paths visited while furnishing the palace."""
    return []


@pytest.fixture(scope="module")
def xenia(new_visitor, site, visited, tmp_path_factory):
    """A user whose palace contains only hostile text. At the end none of it may have run."""
    ran: list[str] = []
    xenia = new_visitor(user_agent=HOSTILE_AGENT)
    xenia.context.expose_function("pwned", lambda what="?": ran.append(str(what)))
    xenia.context.add_init_script(WATCH)

    def dismiss(dialog):
        ran.append(dialog.message)
        dialog.dismiss()

    xenia.page.on("dialog", dismiss)
    visited += furnish(xenia, site, "Xenia")
    _import_hostile_titles(xenia, tmp_path_factory.mktemp("export"))
    poison_beside(site, EMAIL)
    yield xenia
    assert ran == []


@pytest.fixture(scope="module")
def site_pages(xenia, new_visitor, site, visited):
    """Every page of the site."""
    survey = Survey(site.address, xenia.context.request, new_visitor().context.request, visited=visited)
    return survey.find()


def breaches(visitor, path):
    """The hostile markup on this page, with all details open."""
    visitor.go(path)
    visitor.page.evaluate("document.querySelectorAll('details').forEach((e) => { e.open = true; })")
    return [f"{path}: {each}" for each in visitor.page.evaluate(BREACHES)]


def _import_hostile_titles(visitor, folder):
    """Import an export with hostile titles, roles and names, and a broken entry."""
    hostile = ((text, ({"author": "user", "name": text, "text": text},)) for text in payloads()[:20])
    chats = [as_exported(title, chat, key=f"hostile-{n}") for n, (title, chat) in enumerate(hostile)]
    chats.append({"title": payloads()[1], "mapping": "broken"})
    file = folder / "conversations.json"
    file.write_text(json.dumps(chats))
    visitor.go("/chat/import/")
    visitor.page.get_by_label("Export file").set_input_files(file)
    expect(visitor.page.get_by_text("Last message")).to_be_visible()
    assert visitor.page.evaluate(BREACHES) == []
    visitor.page.get_by_role("button", name=IMPORT).click()
    expect(visitor.page.get_by_text("Import finished")).to_be_visible()


def test_hostile_text_becomes_no_markup_on_any_page(xenia, site_pages):
    found = [each for site_page in site_pages for each in breaches(xenia, site_page.path)]
    assert not found, "\n".join(found)
    assert len(site_pages) > 50


@pytest.mark.parametrize("view", ["tree", "columns"])
def test_hostile_names_become_no_markup_in_palace_views(xenia, view):
    found = breaches(xenia, f"/memory/?view={view}")
    links = xenia.page.locator("main a[href*='/memory/w/']").evaluate_all(
        "(all) => all.map((each) => each.getAttribute('href'))"
    )
    for link in list(dict.fromkeys(links))[:8]:
        found += breaches(xenia, link)
    assert found == []


def test_hostile_drawers_are_shown_as_text(xenia):
    found, seen = [], set()
    for text in payloads():
        path = f"/memory/search/?q={quote(text[:200])}&k=15"
        found += breaches(xenia, path)
        seen |= set(
            xenia.page.locator("article.hit a.aaak").evaluate_all(
                "(all) => all.map((each) => each.getAttribute('href'))"
            )
        )
    for path in sorted(seen)[:25]:
        found += breaches(xenia, path)
        words = xenia.page.locator(".said-here blockquote").inner_text()
        assert re.search(r"pwned|evil|<|>|gnirts|javascript", words) or words
    assert found == []
    assert len(seen) > 20


def test_hostile_query_strings_become_no_markup(xenia):
    places = (
        "/go/?q={}",
        "/memory/graph/?name={}",
        "/chat/?q={}",
        "/memory/facts/?q={}",
        "/memory/graph/paths/?start={}&end={}",
        "/memory/graph/?kinds={}&entity={}&view=table",
        "/{}",
    )
    found = []
    for text in payloads()[::4]:
        for place in places:
            found += breaches(xenia, place.replace("{}", quote(text[:150], safe="")))
    assert found == []


def test_reply_quoting_hostile_drawers_is_text(xenia):
    xenia.go("/chat/")
    box = xenia.page.get_by_role("textbox", name="Message")
    box.fill("What did I say about the hostile words I keep here?")
    box.press("Enter")
    expect(xenia.page.locator(".message-assistant:not(.message-streaming)")).to_have_count(1)
    assert xenia.page.evaluate(BREACHES) == []
    address = xenia.page.url.removeprefix(xenia.address)
    assert breaches(xenia, address) == []


def test_toasts_show_hostile_names_as_text(xenia):
    for text in payloads()[:12]:
        xenia.go("/memory/?view=tree")
        xenia.page.locator("main a.tree-item").first.click()
        xenia.page.get_by_role("link", name="Change", exact=True).click()
        xenia.page.locator("input[name=name]").first.fill(text.replace("\n", " ")[:100])
        xenia.page.locator("form:has(input[name=name]) button[type=submit]").first.click()
        xenia.page.wait_for_load_state()
        assert xenia.page.evaluate(BREACHES) == []
    assert breaches(xenia, "/memory/activity/") == []
    assert breaches(xenia, "/memory/activity/changes/") == []
