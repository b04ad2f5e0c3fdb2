"""The navigation, the front page, and docs/undo.md, which lists every form and how to undo it."""

import asyncio
import inspect
import re
from collections import Counter
from pathlib import Path

from django.http import HttpResponse
from django.test import RequestFactory
from django.urls import URLResolver, get_resolver, reverse
from django.urls.resolvers import RegexPattern, RoutePattern
from django.utils import timezone

from accounts.models import User
from accounts.tenancy import tenant
from palace.navigation import DESTINATIONS, PLACES, key_groups, links, tabs
from tests.conftest import create_user
from tests.html import check_page, parse
from tests.memory.palaces import Spot, file


def test_pages_below_destinations_exist_have_one_parent_and_unique_keys():
    owned = Counter(view for each in DESTINATIONS for view in (each.view, *each.owns))
    assert [view for view, times in owned.items() if times > 1] == []
    assert owned.keys() <= {name for name, _ in addresses(get_resolver())}
    strokes = Counter(key.strokes for _, keys in key_groups() for key in keys)
    assert max(strokes.values()) == 1
    assert {f"g {to.key}" for to in DESTINATIONS if to.key} <= set(strokes)


def test_only_the_current_section_of_four_shows_its_pages():
    assert [str(place.name) for place in PLACES] == ["Chat", "Memory", "Activity", "Settings"]
    chat, memory, activity, settings = links("memory:drawer")
    assert (chat.current, memory.current, settings.current) == ("", "true", "")
    assert [str(part.name) for part in memory.parts if part.current] == ["Palace"]
    counting = [link.name for link in (chat, memory, activity, settings, *memory.parts) if link.reviews]
    assert counting == ["Activity"], "its page begins with the review"
    assert [link.name for link in tabs("memory:changes") if link.reviews] == ["Review"]
    assert chat.parts == ()
    assert [str(link.name) for link in tabs("memory:day")] == ["List", "Days"]
    assert [link.current for link in tabs("memory:day")] == ["", "true"]


def test_title_heading_and_palette_use_the_same_name(alice_client):
    palette = alice_client.get(reverse("go")).content.decode()
    for to in DESTINATIONS:
        html = check_page(alice_client.get(to.url))
        (title,) = re.findall(r"(?s)<title>(.*?)</title>", html)
        assert " ".join(title.split()) == f"{to.name} · Palace"
        headings = [" ".join(each.words.split()) for each in parse(html).elements if each.tag == "h1"]
        assert headings == [str(to.name) if to.view != "chat:chat" else "New chat"]
        assert f">{to.name}<" in palette, to.view


def test_sidebar_collapses_and_expands_without_scripts(alice_client):
    here = reverse("memory:facts")
    for sent, is_off in (({"sidebar": "off"}, True), ({}, False)):
        answer = alice_client.post(reverse("sidebar"), {"back": here, **sent}, follow=True)
        assert answer.redirect_chain[-1][0] == here
        assert ('data-sidebar="off"' in check_page(answer)) == is_off


def test_front_page_leads_to_sign_up_sign_in_consent_or_chats(client, db):
    def leads_to(view):
        return client.get("/").headers["Location"] == reverse(view)

    assert leads_to("account_signup")
    alice = create_user("alice")
    assert leads_to("account_login")
    User.objects.filter(pk=alice.pk).update(agreed_at=None)
    client.force_login(alice)
    assert leads_to("memory:consent")
    alice.agree(timezone.now())
    assert leads_to("chat:chat")


def test_palette_is_a_page_or_only_its_options_with_the_wings_of_the_user(alice, alice_client, bob_client):
    assert reverse("memory:timeline") in check_page(alice_client.get("/go/"))
    options = alice_client.get("/go/?q=time", headers={"HX-Request": "true"}).content.decode()
    assert "<html" not in options
    assert 'role="option"' in options
    assert reverse("memory:timeline") in options
    assert reverse("memory:facts") not in options
    with tenant(alice.id):
        file(alice.id, ["Bread rises."], Spot(wing="Sour <b>Dough</b>"))
    assert "Sour &lt;b&gt;Dough&lt;/b&gt;" in alice_client.get("/go/?q=dough").content.decode()
    assert "Sour" not in bob_client.get("/go/?q=dough").content.decode()


ROOT = Path(__file__).parents[2]
OURS = {"accounts", "memory", "chat", "transfer", "palace", "api"}
PROGRAMS = ("api:", "mcp:", "openai:", "admin:")
NAME = re.compile(r"`((?:\w+:)?\w+)`")


def addresses(resolver, space=""):
    """Every URL pattern by its full name."""
    for pattern in resolver.url_patterns:
        if isinstance(pattern, URLResolver):
            inner = f"{space}{pattern.namespace}:" if pattern.namespace else space
            yield from addresses(pattern, inner)
        else:
            assert isinstance(pattern.pattern, RoutePattern | RegexPattern)
            yield f"{space}{pattern.name}", pattern


def allowed(pattern):
    """The methods in the Allow header of a view."""
    answer = pattern.callback(RequestFactory().generic("NOSUCH", "/"))
    answer = asyncio.run(answer) if inspect.iscoroutine(answer) else answer
    assert isinstance(answer, HttpResponse)
    return set(answer.headers.get("Allow", "").split(", "))


def forms():
    """The views of pages that accept forms."""
    found = {
        name: pattern
        for name, pattern in addresses(get_resolver())
        if not name.startswith(PROGRAMS) and pattern.callback.__module__.partition(".")[0] in OURS
    }
    return {name for name, pattern in found.items() if "POST" in allowed(pattern)}


def tables():
    """The rows of each table in docs/undo.md, as cells."""
    text = (ROOT / "docs" / "undo.md").read_text()
    parts = re.split(r"(?m)^## .*\n", text)[1:]
    rows = [[line.strip("|").split("|") for line in part.splitlines()] for part in parts]
    return [[[cell.strip() for cell in row] for row in part if len(row) > 1][2:] for part in rows]


def test_undo_page_lists_exactly_the_existing_forms_each_with_an_undo_or_a_reason():
    sources = [*(ROOT / "templates").rglob("*.html")]
    sources += [path for package in OURS for path in (ROOT / package).rglob("*.py")]
    offered = "\n".join(path.read_text() for path in sources)
    existing = forms()
    undone, *others = tables()
    assert len(others) == 2
    assert {name for table in tables() for row in table for name in NAME.findall(row[0])} == existing
    for row in undone:
        (undo,) = NAME.findall(row[1])
        assert undo in existing
        assert re.search(rf"""["']{undo}["']""", offered), undo
    for row in (row for table in tables() for row in table):
        assert NAME.findall(row[0])
        assert len(row[-1].replace("`", "")) > 5, "every row has a reason"
