import logging
import re
from datetime import timedelta

import pytest
from django.urls import reverse

from llm.errors import EmbedderUnavailable
from memory.models import MemoryPreferences
from tests.html import check_page, parse
from tests.memory.palaces import MONDAY, Spot, file


def search(client, words, **query):
    return check_page(client.get(reverse("memory:search", query={"q": words, **query})))


def test_search_marks_words_and_explains_hits(alice_client, bread):
    html = search(alice_client, "when do I feed my starters")
    elements = parse(html).elements
    assert reverse("memory:drawer", args=[bread[0].id]) in html
    assert {"feed", "starter"} <= {e.words for e in elements if e.tag == "mark"}
    bars = [e for e in elements if e.tag == "progress"]
    assert bars
    assert re.search(r"<bdi>It [^<]* your search", html)
    assert not re.search(r"<bdi>It [^<]* your message", html)
    assert "drawers found." in html
    assert all(0 <= float(bar.attributes["value"]) <= float(bar.attributes["max"]) for bar in bars)
    assert any(f"{match} match" in html for match in ("Strong", "Good", "Weak"))
    block = next(e for e in elements if "aaak-block" in e.attributes.get("class", ""))
    assert block.words.startswith("<memory_context>")
    assert "I feed my rye starter every morning at seven." in block.words


def test_hits_are_paginated_and_the_block_follows_the_settings(alice_client, as_alice):
    file(as_alice.id, [f"My rye starter number {number} is sour." for number in range(12)])
    MemoryPreferences.objects.create(user_id=as_alice.id, top_k=2)
    pages = [search(alice_client, "my rye starter", k=5, page=page) for page in (1, 2, 3)]
    assert [len(articles(page)) for page in pages] == [5, 5, 2]
    assert len({words for page in pages for words in articles(page)}) == 12
    assert "Showing 5 drawers, best first." in pages[0]
    assert 'rel="next"' in pages[0]
    assert 'rel="next"' not in pages[2]

    elements = parse(pages[0]).elements
    block = next(e for e in elements if "aaak-block" in e.attributes.get("class", ""))
    assert block.words.count("[§ ") == 2
    (left_out,) = [e for e in elements if e.tag == "dd" and "enough better matches" in e.words]
    assert left_out.words.count("§") == 6, "one is read ahead, to know whether a page follows"


def test_search_finds_what_recall_would_not_inject(alice_client, bread):
    drawer = file(bread[0].user_id, ["Hello dear lighthouse"])[0]
    html = search(alice_client, "hello")
    assert reverse("memory:drawer", args=[drawer.id]) in html
    assert "Nothing." in html
    MemoryPreferences.objects.create(user_id=bread[0].user_id, enabled=False)
    html = search(alice_client, "my rye starter")
    assert reverse("memory:drawer", args=[bread[0].id]) in html
    assert "Memory is turned off." in html
    assert "memory_context" not in html


def test_searching_for_a_pointer_redirects_to_its_drawer(alice_client, bread):
    drawer = reverse("memory:drawer", args=[bread[1].id])
    for words in ("§ W-001/R-01/D-002", "w-1/r-1/d-2", " §W001/R01/D002 "):
        url = reverse("memory:search", query={"q": words})
        assert alice_client.get(url)["Location"] == drawer
        assert alice_client.get(url, headers={"HX-Request": "true"})["HX-Redirect"] == drawer
    assert "No drawer has this pointer" in search(alice_client, "§ W-077/R-01/D-002")


def test_the_page_explains_an_empty_result_and_a_missing_embedder(alice_client, bread, embedder):
    assert "What are you looking for?" in search(alice_client, "   ")
    assert "No results" in search(alice_client, "quantum chromodynamics zebra")
    embedder.fail_with(EmbedderUnavailable("The model cannot be loaded."))
    html = search(alice_client, "rye starter")
    assert reverse("memory:drawer", args=[bread[0].id]) in html
    assert "notice-warn" in html


def test_unusual_queries_are_handled_and_invalid_filters_rejected(alice_client, bread, bob):
    for words in ("\x00", "a\x00b rye", "' | & ! :*", "%", "\\", "😀", "x" * 19_000):
        response = alice_client.get(reverse("memory:search", query={"q": words}))
        assert response.status_code in (200, 422)
    for most in ("0", "21", "x", "-1"):
        response = alice_client.get(reverse("memory:search", query={"q": "rye", "k": most}))
        assert "notice-error" in check_page(response, status=422)
    query = {"q": "rye", "since": "2024-06-02", "until": "2024-06-01"}
    response = alice_client.get(reverse("memory:search", query=query))
    assert "The first day is after the last." in check_page(response, status=422)
    url = reverse("memory:search", query={"q": "rye", "wing": bob.id})
    assert alice_client.get(url).status_code == 404


def test_a_search_is_not_logged_and_finds_nothing_of_another_user(
    alice_client, bob_client, bread, bobs, caplog
):
    caplog.set_level(logging.INFO)
    mine, theirs = search(alice_client, "rye starter"), search(bob_client, "unmistakable rye starter")
    assert "Bob keeps" not in mine
    assert "every morning at seven" not in theirs
    assert "Bob keeps his own" in theirs.replace("<mark>", "").replace("</mark>", "")
    assert caplog.records
    assert "unmistakable" not in caplog.text


@pytest.fixture
def two_wings(as_alice):
    bread = file(as_alice.id, ["My rye starter is sour."])
    pan = file(
        as_alice.id,
        ["My rye pan is black."],
        Spot(wing="Pans", kind="topic", start=MONDAY + timedelta(days=40)),
        role="assistant",
    )
    return [*bread, *pan]


def articles(html):
    return [e.words for e in parse(html).elements if e.tag == "article"]


def test_filters_restrict_the_results(alice_client, two_wings):
    bread, pan = two_wings
    for query, expected in (
        ({}, {bread, pan}),
        ({"kind": "topic"}, {pan}),
        ({"role": "assistant"}, {pan}),
        ({"wing": pan.wing_id}, {pan}),
        ({"since": "2024-06-01"}, {pan}),
        ({"until": "2024-06-01"}, {bread}),
        ({"since": "2024-06-01", "until": "2024-06-10"}, set()),
    ):
        html = search(alice_client, "my rye", **query)
        found = {drawer for drawer in two_wings if reverse("memory:drawer", args=[drawer.id]) in html}
        assert found == expected, query
