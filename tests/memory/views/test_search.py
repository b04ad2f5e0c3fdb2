import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from llm.errors import EmbedderUnavailable
from llm.fake_gateway import FakeEmbedder
from memory.models import Drawer, MemoryPreferences
from tests.html import check_page, parse
from tests.memory.palaces import file


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

    marked = {
        e.words for e in parse(search(alice_client, "feed starter")).elements if e.tag == "mark"
    }

    assert marked == {"feeding", "starters"}


def test_what_would_be_injected_obeys_the_settings(alice_client: Client, as_alice: User):
    file(as_alice.id, [f"My rye starter number {number} is sour." for number in range(6)])
    MemoryPreferences.objects.create(user_id=as_alice.id, top_k=2)

    html = search(alice_client, "my rye starter", k=20)
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


def test_switched_off_memory_can_be_searched_and_injects_nothing(
    alice_client: Client, bread: list[Drawer]
):
    MemoryPreferences.objects.create(user_id=bread[0].user_id, enabled=False)

    html = search(alice_client, "my rye starter")

    assert reverse("memory:drawer", args=[bread[0].id]) in html
    assert "Memory is switched off." in html
    assert "memory_context" not in html


def test_a_pointer_opens_its_drawer(alice_client: Client, bread: list[Drawer]):
    for words in ("§ W-001/R-01/D-002", "w-1/r-1/d-2", " §W001/R01/D002 "):
        response = alice_client.get(reverse("memory:search", query={"q": words}))
        assert response["Location"] == reverse("memory:drawer", args=[bread[1].id])


def test_a_pointer_typed_into_the_page_leads_the_browser_there(
    alice_client: Client, bread: list[Drawer]
):
    url = reverse("memory:search", query={"q": "W-001/R-01/D-002"})

    response = alice_client.get(url, headers={"HX-Request": "true"})

    assert response["HX-Redirect"] == reverse("memory:drawer", args=[bread[1].id])


def test_what_was_left_out_is_named_with_the_reason(alice_client: Client, as_alice: User):
    drawers = file(as_alice.id, [f"My rye starter number {number}." for number in range(8)])

    html = search(alice_client, "my rye starter", k=5)
    page = parse(html)
    details = [e for e in page.elements if e.tag == "dd" and "enough better ones" in e.words]

    assert len(details) == 1
    assert details[0].words.count("§") == len(drawers) - 5


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
def test_more_than_is_offered_is_refused_in_words(
    alice_client: Client, bread: list[Drawer], most: str
):
    response = alice_client.get(reverse("memory:search", query={"q": "rye", "k": most}))

    assert "notice-error" in check_page(response, status=422)


@pytest.mark.parametrize(
    "words", ["\x00", "a\x00b rye", "' | & ! :*", "%", "\\", "😀", "x" * 19_000]
)
def test_odd_words_are_no_fault(alice_client: Client, bread: list[Drawer], words: str):
    response = alice_client.get(reverse("memory:search", query={"q": words}))

    assert response.status_code in (200, 422)


def test_the_words_of_a_search_are_in_no_log(
    alice_client: Client, bread: list[Drawer], caplog: pytest.LogCaptureFixture
):
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
