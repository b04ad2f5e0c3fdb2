"""The search page, and traces of recalls as their owner reads them."""

import logging
import re
from datetime import date, timedelta

import pytest
from django.urls import reverse

from accounts.owned import NotFound
from llm.errors import EmbedderUnavailable
from memory.forgetting import trash
from memory.models import Fact, MemoryPreferences, RecallTrace
from memory.pages.search.traces import bars, explain_hits, legend, match_of, trace_of, trace_view
from tests.html import parse
from tests.memory.pages.forms import HTMX, page, refused
from tests.memory.palaces import MONDAY, Spot, file, learn, relate
from tests.memory.recall.asking import traced

BREAD = [f"My rye starter number {number} is sour." for number in range(8)]


def search(client, words, **query):
    return page(client, "search", q=words, **query)


def url_of(drawer):
    return reverse("memory:drawer", args=[drawer.id])


def articles(html):
    return [e.words for e in parse(html).elements if e.tag == "article"]


def block_of(html):
    return next(e.words for e in parse(html).elements if "aaak-block" in e.attributes.get("class", ""))


def test_search_marks_words_and_explains_hits(alice_client, bread):
    html = search(alice_client, "when do I feed my starters")
    elements = parse(html).elements
    assert url_of(bread[0]) in html
    assert {"feed", "starter"} <= {e.words for e in elements if e.tag == "mark"}
    shares = [e.attributes for e in elements if e.tag == "progress"]
    assert shares
    assert [each for each in shares if not 0 <= float(each["value"]) <= float(each["max"])] == []
    assert re.search(r"<bdi>It [^<]* your search", html)
    assert not re.search(r"<bdi>It [^<]* your message", html)
    assert "drawers found." in html
    assert any(f"{match} match" in html for match in ("Strong", "Good", "Weak"))
    block = block_of(html)
    assert block.startswith("<memory_context>")
    assert "I feed my rye starter every morning at seven." in block


def test_hits_are_paginated_and_the_block_follows_the_settings(alice_client, as_alice):
    file(as_alice.id, [f"My rye starter number {number} is sour." for number in range(12)])
    MemoryPreferences.objects.create(user_id=as_alice.id, top_k=2)
    pages = [search(alice_client, "my rye starter", k=5, page=number) for number in (1, 2, 3)]
    assert [len(articles(each)) for each in pages] == [5, 5, 2]
    assert len({words for each in pages for words in articles(each)}) == 12
    assert "Showing 5 drawers, best first." in pages[0]
    assert ('rel="next"' in pages[0], 'rel="next"' in pages[2]) == (True, False)
    assert block_of(pages[0]).count("[§ ") == 2
    reasons = [e.words for e in parse(pages[0]).elements if e.tag == "dd"]
    (left_out,) = (words for words in reasons if "enough better matches" in words)
    assert left_out.count("§") == 6, "one is read ahead, to know whether a page follows"


def test_search_finds_what_recall_would_not_inject(alice_client, bread):
    drawer = file(bread[0].user_id, ["Hello dear lighthouse"])[0]
    html = search(alice_client, "hello")
    assert url_of(drawer) in html
    assert "Nothing." in html
    MemoryPreferences.objects.create(user_id=bread[0].user_id, enabled=False)
    html = search(alice_client, "my rye starter")
    assert url_of(bread[0]) in html
    assert "Memory is turned off." in html
    assert "memory_context" not in html


def test_searching_for_a_pointer_redirects_to_its_drawer(alice_client, bread):
    for words in ("§ W-001/R-01/D-002", "w-1/r-1/d-2", " §W001/R01/D002 "):
        url = reverse("memory:search", query={"q": words})
        assert alice_client.get(url)["Location"] == url_of(bread[1])
        assert alice_client.get(url, headers=HTMX)["HX-Redirect"] == url_of(bread[1])
    assert "No drawer has this pointer" in search(alice_client, "§ W-077/R-01/D-002")


def test_empty_results_unusual_queries_and_a_missing_embedder_are_explained(
    alice_client, bread, bob, embedder
):
    assert "What are you looking for?" in search(alice_client, "   ")
    assert "No results" in search(alice_client, "quantum chromodynamics zebra")
    for words in ("\x00", "a\x00b rye", "' | & ! :*", "%", "\\", "😀", "x" * 19_000):
        response = alice_client.get(reverse("memory:search", query={"q": words}))
        assert response.status_code in (200, 422)
    for most in ("0", "21", "x", "-1"):
        assert "notice-error" in refused(alice_client, "search", q="rye", k=most)
    backwards = refused(alice_client, "search", q="rye", since="2024-06-02", until="2024-06-01")
    assert "The first day is after the last." in backwards
    url = reverse("memory:search", query={"q": "rye", "wing": bob.id})
    assert alice_client.get(url).status_code == 404
    embedder.fail_with(EmbedderUnavailable("The model cannot be loaded."))
    html = search(alice_client, "rye starter")
    assert url_of(bread[0]) in html
    assert "notice-warn" in html


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


def test_filters_restrict_the_results(alice_client, as_alice):
    (bread,) = file(as_alice.id, ["My rye starter is sour."])
    spot = Spot(wing="Pans", kind="topic", start=MONDAY + timedelta(days=40))
    (pan,) = file(as_alice.id, ["My rye pan is black."], spot, role="assistant")
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
        assert {drawer for drawer in (bread, pan) if url_of(drawer) in html} == expected, query


def searched(user, message="How sour is my rye starter?", **settings):
    _, row = traced(user, message, now=MONDAY, settings=settings)
    return trace_view(user.id, row.trace, row.hits)


def test_every_drawer_found_is_included_or_says_why_and_at_which_stage_it_is_not(as_alice):
    file(as_alice.id, BREAD)
    trace = searched(as_alice, 'What did I say about my sour "rye starter" in April 2024?', top_k=3)
    assert [each["recalled"] for each in trace["considered"]].count(True) == 3
    assert [bool(each["used"]) for each in trace["considered"]].count(True) == 3, "each with its reason"
    left = [each for each in trace["considered"] if not each["recalled"]]
    assert {str(each["stage"]) for each in left} == {"Over the limit"}
    assert trace["left_out"] == {left[0]["left_out"]: left}
    assert [each for each in trace["considered"] if not each["bars"]] == []
    assert (trace["query"]["first"], trace["query"]["last"]) == (date(2024, 4, 1), date(2024, 4, 30))
    assert str(trace["retrievers"][0]["name"]) == "Embedding your message"
    for message, settings, stage in (
        ("How sour is my rye starter?", {"token_budget": 15}, "Over the token budget"),
        ("What of quantum chromodynamics?", {}, "Nothing similar enough"),
    ):
        found = searched(as_alice, message, **settings)["considered"]
        assert stage in {str(each["stage"]) for each in found}
        for each in found:
            assert (each["minimum"] is not None) == (str(each["stage"]) == "Nothing similar enough")
            assert each["minimum"] is None or each["similarity"] < each["minimum"]
    file(as_alice.id, [f"My rye starter number {number} is sour." for number in range(8, 50)])
    trace = searched(as_alice)
    assert (len(trace["considered"]), trace["more"]) == (40, 10)


def test_a_trace_shows_no_deleted_text_and_nothing_to_other_users(as_alice, bob):
    first, *_ = file(as_alice.id, BREAD[:2])
    _, row = traced(as_alice, "How sour is my rye starter?", now=MONDAY)
    with pytest.raises(NotFound):
        trace_of(RecallTrace.objects.filter(user_id=bob.id), row.id)
    trash.delete(as_alice.id, "drawer", first.id, MONDAY)
    trace = trace_of(RecallTrace.objects.filter(user_id=as_alice.id), row.id)
    deleted = next(each for each in trace["considered"] if each["drawer_id"] == first.id)
    assert (deleted["pointer"], deleted["words"]) == ("", "")


def row(reason="It fits.", **given):
    return {"reason": reason, "scores": {}, **given}


def test_bars_are_ordered_by_share_the_legend_lists_each_signal_once_and_matches_are_graded():
    found = bars(row(shares={"meaning": 0.999, "wording": 0.001, "speaker": -0.09}))
    shown = [(bar.key, bar.percent, bar.against) for bar in found]
    assert shown == [("meaning", 100, False), ("speaker", 9, True)]
    thirds = bars(row(shares={"meaning": 1 / 3, "wording": 1 / 3, "time": 1 / 3}))
    assert sorted(bar.percent for bar in thirds) == [33, 33, 34]
    assert bars(row()) == ()
    both = [bars(row(shares={"meaning": 1.0})), bars(row(shares={"meaning": 0.5, "odd": 0.5}))]
    assert [str(signal.name) for signal in legend(both)] == ["Meaning", "Odd"]
    for scores, match in (
        ({"similarity": 0.75, "coverage": 0.4}, "strong"),
        ({"pointer": 1.0}, "strong"),
        ({"similarity": 0.3, "known": 0.95}, "good"),
        ({"similarity": 0.45, "coverage": 0.1}, "weak"),
        ({}, "weak"),
    ):
        assert match_of(scores) == match


def test_facts_and_entities_of_a_hit_are_shown_in_their_current_state_to_the_owner(as_alice, bob):
    (drawer,) = file(as_alice.id, ["I love rye bread. Anna is my sister."])
    fact = learn(drawer, "rye bread", "Loves rye bread.")
    relation = relate(drawer, "Anna", "sister_of", "Berta")
    hit = row(retrievers={"facts": [str(fact.id)], "graph": [str(relation.subject_id)]})

    def known_items(user=as_alice):
        plain, ground = explain_hits(user.id, [row("One."), hit])
        assert plain.reason == "One."
        return [(each.words, each.is_fact, each.state, each.until) for each in ground.understood]

    anna = ("Anna", False, "", None)
    assert known_items() == [("Loves rye bread.", True, "", None), anna]
    assert known_items(bob) == []
    Fact.objects.filter(id=fact.id).update(status=Fact.Status.SUPERSEDED, valid_to=MONDAY)
    assert known_items() == [("Loves rye bread.", True, "Past", MONDAY), anna]
    fact.delete()
    assert known_items() == [anna]
