import logging
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from llm.errors import EmbedderUnavailable
from llm.fake_gateway import FakeEmbedder
from memory.models import Drawer, MemoryPreferences, SavedSearch
from tests.html import check_page, parse
from tests.memory.palaces import MONDAY, Spot, file


def search(client: Client, words: str, **query: object) -> str:
    return check_page(client.get(reverse("memory:search", query={"q": words, **query})))


def test_search_finds_marks_and_explains(alice_client: Client, bread: list[Drawer]):
    html = search(alice_client, "when do I feed my starter")
    page = parse(html)

    assert reverse("memory:drawer", args=[bread[0].id]) in html
    assert {"feed", "starter"} <= {e.words for e in page.elements if e.tag == "mark"}
    bars = [e for e in page.elements if e.tag == "progress"]
    assert bars
    assert all(0 <= float(bar.attributes["value"]) <= 1 for bar in bars)
    assert "Why" in html
    assert "By words" in html or "words" in html


def test_other_forms_of_a_word_are_marked_too(alice_client: Client, as_alice: User):
    file(as_alice.id, ["I was feeding the starters in the mornings."])

    marked = {e.words for e in parse(search(alice_client, "feed starter")).elements if e.tag == "mark"}

    assert marked == {"feeding", "starters"}


def test_what_would_be_injected_obeys_the_settings(alice_client: Client, as_alice: User):
    file(as_alice.id, [f"My rye starter number {number} is sour." for number in range(6)])
    MemoryPreferences.objects.create(user_id=as_alice.id, top_k=2)

    html = search(alice_client, "my rye starter", k=15)
    block = next(e for e in parse(html).elements if "aaak-block" in e.attributes.get("class", ""))

    assert block.words.count("<memory ") == 2
    assert len([e for e in parse(html).elements if e.tag == "article"]) == 6


def test_the_block_is_what_recall_puts_before_a_model(alice_client: Client, bread: list[Drawer]):
    html = search(alice_client, "my rye starter")
    block = next(e for e in parse(html).elements if "aaak-block" in e.attributes.get("class", ""))

    assert block.words.startswith("<memory_context>")
    assert "I feed my rye starter every morning at seven." in block.words


def test_a_search_is_made_even_when_recall_would_not(alice_client: Client, as_alice: User):
    drawer = file(as_alice.id, ["Hello dear lighthouse"])[0]

    html = search(alice_client, "hello")

    assert reverse("memory:drawer", args=[drawer.id]) in html
    assert "Nothing." in html


def test_switched_off_memory_can_be_searched_and_injects_nothing(alice_client: Client, bread: list[Drawer]):
    MemoryPreferences.objects.create(user_id=bread[0].user_id, enabled=False)

    html = search(alice_client, "my rye starter")

    assert reverse("memory:drawer", args=[bread[0].id]) in html
    assert "Memory is switched off." in html
    assert "memory_context" not in html


def test_a_pointer_opens_its_drawer(alice_client: Client, bread: list[Drawer]):
    for words in ("§ W-001/R-01/D-002", "w-1/r-1/d-2", " §W001/R01/D002 "):
        response = alice_client.get(reverse("memory:search", query={"q": words}))
        assert response["Location"] == reverse("memory:drawer", args=[bread[1].id])


def test_a_pointer_typed_into_the_page_leads_the_browser_there(alice_client: Client, bread: list[Drawer]):
    url = reverse("memory:search", query={"q": "W-001/R-01/D-002"})

    response = alice_client.get(url, headers={"HX-Request": "true"})

    assert response["HX-Redirect"] == reverse("memory:drawer", args=[bread[1].id])


def test_what_was_left_out_is_named_with_the_reason(alice_client: Client, as_alice: User):
    drawers = file(as_alice.id, [f"My rye starter number {number}." for number in range(8)])

    html = search(alice_client, "my rye starter", k=5)
    page = parse(html)
    details = [e for e in page.elements if e.tag == "dd" and "enough better ones" in e.words]

    assert len(details) == 1
    assert (
        details[0].words.count("§") == len(drawers) - 6
    )  # one is read ahead, to know whether a page follows


def test_a_pointer_of_nothing_says_so(alice_client: Client, bread: list[Drawer]):
    assert "No drawer has this pointer" in search(alice_client, "§ W-077/R-01/D-002")


def test_nothing_found_says_what_to_try(alice_client: Client, bread: list[Drawer]):
    assert "Nothing fits" in search(alice_client, "quantum chromodynamics zebra")


def test_an_empty_search_teaches(alice_client: Client, bread: list[Drawer]):
    assert "Ask your memory" in search(alice_client, "   ")


def test_without_the_embedder_words_are_found_and_the_page_says_so(
    alice_client: Client, bread: list[Drawer], embedder: FakeEmbedder
):
    embedder.fail_with(EmbedderUnavailable("The model cannot be loaded."))

    html = search(alice_client, "rye starter")

    assert reverse("memory:drawer", args=[bread[0].id]) in html
    assert "notice-warn" in html


@pytest.mark.parametrize("most", ["0", "21", "x", "-1"])
def test_more_than_is_offered_is_refused_in_words(alice_client: Client, bread: list[Drawer], most: str):
    response = alice_client.get(reverse("memory:search", query={"q": "rye", "k": most}))

    assert "notice-error" in check_page(response, status=422)


@pytest.mark.parametrize("words", ["\x00", "a\x00b rye", "' | & ! :*", "%", "\\", "😀", "x" * 19_000])
def test_odd_words_are_no_fault(alice_client: Client, bread: list[Drawer], words: str):
    response = alice_client.get(reverse("memory:search", query={"q": words}))

    assert response.status_code in (200, 422)


def test_the_words_of_a_search_are_in_no_log(
    alice_client: Client, bread: list[Drawer], caplog: pytest.LogCaptureFixture
):
    caplog.set_level(logging.INFO)
    search(alice_client, "unmistakable rye starter")

    assert caplog.records
    assert "unmistakable" not in caplog.text


def test_nobody_finds_what_is_somebody_elses(
    alice_client: Client, bob_client: Client, bread: list[Drawer], bobs: list[Drawer]
):
    mine, theirs = search(alice_client, "rye starter"), search(bob_client, "rye starter")

    assert "Bob keeps" not in mine
    assert "every morning at seven" not in theirs
    assert "Bob keeps his own" in theirs.replace("<mark>", "").replace("</mark>", "")


@pytest.fixture
def two_wings(as_alice: User) -> list[Drawer]:
    bread = file(as_alice.id, ["My rye starter is sour."])
    pan = file(
        as_alice.id,
        ["My rye pan is black."],
        Spot(wing="Pans", kind="topic", start=MONDAY + timedelta(days=40)),
        role="assistant",
    )
    return [*bread, *pan]


def articles(html: str) -> list[str]:
    return [e.words for e in parse(html).elements if e.tag == "article"]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({}, 2),
        ({"kind": "topic"}, 1),
        ({"role": "assistant"}, 1),
        ({"since": "2024-06-01"}, 1),
        ({"until": "2024-06-01"}, 1),
        ({"since": "2024-06-01", "until": "2024-06-10"}, 0),
    ],
)
def test_filters_leave_out_what_was_not_wanted(
    alice_client: Client, two_wings: list[Drawer], query: dict[str, str], expected: int
):
    assert len(articles(search(alice_client, "my rye", **query))) == expected


def test_one_wing_alone_is_searched(alice_client: Client, two_wings: list[Drawer], bob: User):
    (found,) = articles(search(alice_client, "my rye", wing=two_wings[1].wing_id))
    assert "pan" in found
    url = reverse("memory:search", query={"q": "rye", "wing": bob.id})
    assert alice_client.get(url).status_code == 404


def test_days_in_the_wrong_order_are_refused(alice_client: Client, as_alice: User):
    query = {"q": "rye", "since": "2024-06-02", "until": "2024-06-01"}
    response = alice_client.get(reverse("memory:search", query=query))
    assert response.status_code == 422
    assert "The first day comes after the last." in response.content.decode()


def test_further_hits_stand_on_further_pages(alice_client: Client, as_alice: User):
    file(as_alice.id, [f"My rye starter number {number} is sour." for number in range(12)])
    pages = [search(alice_client, "my rye starter", k=5, page=page) for page in (1, 2, 3)]

    assert [len(articles(page)) for page in pages] == [5, 5, 2]
    assert len({words for page in pages for words in articles(page)}) == 12
    assert 'rel="next"' in pages[0]
    assert 'rel="next"' not in pages[2]


def test_a_search_is_kept_dropped_and_taken_back(alice_client: Client, two_wings: list[Drawer]):
    query = "q=my+rye&kind=topic"
    keep = {"name": "<i>Rye</i>", "query": query}
    html = check_page(alice_client.post(reverse("memory:keep_search"), keep, follow=True))
    assert "&lt;i&gt;Rye&lt;/i&gt;" in html
    assert len(articles(html)) == 1
    saved = SavedSearch.objects.get()

    alice_client.post(reverse("memory:drop_search", args=[saved.id]))
    assert "Rye&lt;" not in search(alice_client, "")
    alice_client.post(reverse("memory:restore_search", args=[saved.id]))
    assert "Rye&lt;" in search(alice_client, "")


def test_a_search_without_a_name_is_not_kept(alice_client: Client, as_alice: User):
    given = {"name": " ", "query": "q=x"}
    html = alice_client.post(reverse("memory:keep_search"), given, follow=True).content.decode()
    assert "needs a name" in html
    assert not SavedSearch.objects.exists()
