"""Hostile text in every field of a palace never becomes markup, never runs, and causes no request to another
host."""

import re
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.browser.chat.talking import ask
from tests.browser.furnishing import furnish
from tests.browser.pages import Survey
from tests.browser.poisoning import payloads, poison_beside
from tests.browser.visitors import IMPORT, as_file
from tests.exports import as_exported, exported

pytestmark = pytest.mark.drill

EMAIL = "xenia@example.org"
HOSTILE_AGENT = "Mozilla/5.0 <script data-pwned>pwned('agent')</script>"
# What exists if a text became markup, whether or not the policy blocked it.
BREACHES = Path(__file__).with_name("breaches.js").read_text()
WATCH = """document.addEventListener("securitypolicyviolation", (event) =>
  console.error("policy: " + event.violatedDirective + " " + event.blockedURI));"""


@pytest.fixture(scope="module")
def xenia(new_visitor):
    """A user whose palace contains only hostile text. At the end none of it may have run."""
    ran: list[str] = []
    xenia = new_visitor(user_agent=HOSTILE_AGENT)
    xenia.context.expose_function("pwned", lambda what="?": ran.append(str(what)))
    xenia.context.add_init_script(WATCH)

    def dismiss(dialog):
        ran.append(dialog.message)
        dialog.dismiss()

    xenia.page.on("dialog", dismiss)
    yield xenia
    assert ran == []


@pytest.fixture(scope="module", autouse=True)
def site_pages(xenia, new_visitor, site):
    """Every page of the site, with the poisoned palace."""
    visited = furnish(xenia, site, "Xenia")
    _import_hostile_titles(xenia)
    poison_beside(site, EMAIL)
    survey = Survey(site.address, xenia.context.request, new_visitor().context.request, visited)
    return survey.find()


def breaches(visitor, path):
    """The hostile markup on this page, with all details open."""
    visitor.go(path)
    visitor.page.evaluate("document.querySelectorAll('details').forEach((e) => { e.open = true; })")
    return [f"{path}: {each}" for each in visitor.page.evaluate(BREACHES)]


def _import_hostile_titles(visitor):
    """Import an export with hostile titles, roles and names, and a broken entry."""
    hostile = ((text, ({"author": "user", "name": text, "text": text},)) for text in payloads()[:20])
    chats = [as_exported(title, chat, key=f"hostile-{n}") for n, (title, chat) in enumerate(hostile)]
    chats.append({"title": payloads()[1], "mapping": "broken"})
    visitor.preview_import(as_file(exported(chats)))
    assert visitor.page.evaluate(BREACHES) == []
    visitor.press(IMPORT)
    visitor.shows("See what was saved")


def links(visitor, selector):
    """The URLs of these links."""
    return visitor.page.locator(selector).evaluate_all(
        "(all) => all.map((each) => each.getAttribute('href'))"
    )


def test_hostile_text_becomes_no_markup_on_any_page(xenia, site_pages):
    found = [each for site_page in site_pages for each in breaches(xenia, site_page.path)]
    assert not found, "\n".join(found)
    assert len(site_pages) > 50


@pytest.mark.parametrize("view", ["tree", "columns"])
def test_hostile_names_become_no_markup_in_palace_views(xenia, view):
    found = breaches(xenia, f"/memory/?view={view}")
    for link in list(dict.fromkeys(links(xenia, "main a[href*='/memory/w/']")))[:8]:
        found += breaches(xenia, link)
    assert found == []


def test_hostile_drawers_are_shown_as_text(xenia):
    found, seen = [], set()
    for text in payloads():
        path = f"/memory/search/?q={quote(text[:200])}&k=15"
        found += breaches(xenia, path)
        seen |= set(links(xenia, "article.hit a.aaak"))
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
    ask(xenia, "What did I say about the hostile words I keep here?")
    assert xenia.page.evaluate(BREACHES) == []
    assert breaches(xenia, xenia.page.url) == []


def test_toasts_show_hostile_names_as_text(xenia):
    for text in payloads()[:12]:
        xenia.go("/memory/?view=tree")
        xenia.page.locator("main a.tree-item").first.click()
        xenia.page.get_by_role("link", name="Change", exact=True).click()
        xenia.page.locator("input[name=name]").first.fill(text.replace("\n", " ")[:100])
        xenia.page.locator("form:has(input[name=name]) button[type=submit]").first.click()
        xenia.page.wait_for_load_state()
        assert xenia.page.evaluate(BREACHES) == []
    for path in ("/memory/activity/", "/memory/activity/changes/"):
        assert breaches(xenia, path) == []
