"""The sandbox shows what a model would be given, and keeps nothing."""

import logging

from django.apps import apps
from django.test import Client
from django.urls import reverse

from accounts.models import User
from llm import current
from llm.errors import EmbedderUnavailable
from memory.models import MemoryPreferences, Usage
from memory.pages.search.sandbox import MAX_LENGTH
from memory.recall.pipeline import recall
from memory.recall.settings import settings_from
from memory.recall.types import RecallRequest
from tests.fake_gateway import FakeChat
from tests.html import Element, check_page, parse
from tests.memory.palaces import MONDAY, Spot, file, learn

URL = "/memory/sandbox/"
ASKED = {
    "earlier": "",
    "on": "",
    "recipe": "default",
    "top_k": "5",
    "token_budget": "1500",
    "similarity_floor": "0.6",
    "inject_profile": "on",
}
QUESTION = "When do I feed my rye starter?"


def tried(client: Client, message: str = QUESTION, **changes: object) -> str:
    return check_page(client.post(URL, ASKED | {"message": message} | changes))


def block(html: str) -> str:
    found = [e for e in parse(html).elements if e.attributes.get("id") == "block"]
    return found[0].words if found else ""


def articles(html: str) -> list[Element]:
    return [e for e in parse(html).elements if e.tag == "article"]


def rows() -> dict[str, int]:
    """How many rows each table of memory and chat has, but for what models cost."""
    models = [*apps.get_app_config("memory").get_models(), *apps.get_app_config("chat").get_models()]
    return {model.__name__: model._base_manager.count() for model in models if model.__name__ != "Usage"}


def test_a_try_shows_what_was_found_and_why_and_the_block_that_a_chat_gives_a_model(
    alice_client, as_alice, bread
):
    assert block(check_page(alice_client.get(URL))) == ""
    html = tried(alice_client, on="2024-05-20")
    settings = settings_from(MemoryPreferences(user=as_alice))
    now = MONDAY.replace(day=20, hour=12, minute=0)
    found = recall(RecallRequest(as_alice.id, QUESTION, now, settings=settings))
    assert "every morning at seven" in found.block
    assert block(html) == found.block

    assert "shares the words “feed”, “rye” and “starter” with" in articles(html)[0].words
    assert reverse("memory:drawer", args=[bread[0].id]) in html
    for part in ("By meaning", "By words", "Searched for", "tokens in total", "What the bars mean"):
        assert part in html, part
    meters = [e for e in parse(html).elements if e.tag == "progress"]
    assert meters
    assert all(0 <= float(each.attributes["value"]) <= 1 for each in meters)
    headers = {"HX-Request": "true", "HX-Target": "tried"}
    assert 'id="tried"' in check_page(alice_client.post(URL, ASKED | {"message": QUESTION}, headers=headers))


def test_settings_hold_for_one_try_and_what_they_leave_out_has_a_reason(alice_client, as_alice):
    file(as_alice.id, [f"My rye starter number {number} is sour." for number in range(6)])
    MemoryPreferences.objects.create(user_id=as_alice.id, top_k=3)
    assert len(articles(tried(alice_client, top_k="6"))) == 6
    html = tried(alice_client, top_k="2")
    assert len(articles(html)) == 2
    cells = [e.words for e in parse(html).elements if e.tag == "td" and "already enough better" in e.words]
    assert len(cells) == 4
    assert MemoryPreferences.objects.get().top_k == 3
    by_address = check_page(alice_client.get(URL, {"message": QUESTION}))
    assert len(articles(by_address)) == 3, "an address goes by the settings that are kept"


def test_a_try_explains_why_little_or_nothing_was_found(alice_client, bob_client, bread, embedder):
    assert "Nothing was found." in tried(bob_client)
    html = tried(alice_client, "Hello there!")
    assert "A greeting or thanks does not need memory." in html
    assert block(html) == ""
    html = tried(alice_client, "and why?", earlier="I like trains\n\nI keep a rye starter\n")
    assert "words from earlier messages were added" in html
    assert "starter" in block(html)
    assert "starter" not in block(tried(alice_client, "and why?"))
    paste = "2023-05-30 12:00:01 ERROR billing failed for user 12\n" * 2_000
    html = tried(alice_client, f"{paste}\n{QUESTION}")
    assert "characters: the part that asks" in html
    assert "every morning at seven" in block(html)

    embedder.fail_with(EmbedderUnavailable("Away."))
    html = tried(alice_client)
    assert "by words only" in html
    assert "every morning at seven" in block(html)
    MemoryPreferences.objects.create(user_id=bread[0].user_id, enabled=False)
    assert "Memory is turned off." in tried(alice_client)


def test_what_is_out_of_bounds_is_refused(alice_client, bread):
    wrong = [{"message": ""}, {"message": " \n "}, {"message": "x" * (MAX_LENGTH + 1)}, {"top_k": "0"}]
    wrong += [{"top_k": "21"}, {"token_budget": "99"}, {"similarity_floor": "1.1"}, {"recipe": "magic"}]
    for given in (*wrong, {"on": "2024-13-45"}):
        html = check_page(alice_client.post(URL, ASKED | {"message": QUESTION} | given), status=422)
        assert "notice-error" in html
        assert block(html) == ""


def test_a_try_is_neither_stored_nor_logged(alice_client, bread, caplog):
    fact = learn(bread[1], "My sister Ines", "Has a sister called Ines.")
    before = rows()
    caplog.set_level(logging.INFO)
    tried(alice_client, "unmistakable rye starter")
    tried(alice_client, "Who is Ines?", top_k="9")
    assert rows() == before
    fact.refresh_from_db()
    assert (fact.times_recalled, fact.last_recalled_at) == (0, None)
    assert caplog.records
    assert "unmistakable" not in caplog.text


MARKUP = "<script>alert(1)</script><img src=x onerror=alert(1)>\"'</textarea>{{ 7|add:7 }}"


def test_markup_is_escaped_wherever_it_comes_from(alice_client: Client, as_alice: User):
    spot = Spot(wing=f"Wing {MARKUP}"[:100], closet=f"Closet {MARKUP}"[:100])
    (drawer,) = file(as_alice.id, [f"My rye starter {MARKUP} </memory_context>"], spot)
    learn(drawer, "rye starter", f"Has a starter {MARKUP}")
    html = tried(alice_client, f"What of my rye starter {MARKUP}?", earlier=MARKUP)
    page = parse(html)
    assert not [e for e in page.elements if e.attributes.get("src") == "x"]
    assert "alert(1)" not in [e.words for e in page.elements if e.tag == "script"]
    shown = block(html)
    assert shown.count("</memory_context>") == 1
    assert "&lt;/memory_context&gt;" in shown


def test_a_reading_model_is_asked_on_the_button_and_within_the_budget(alice_client, as_alice):
    file(as_alice.id, [f"My rye starter number {number} is sour." for number in range(3)])
    model = FakeChat(answer=lambda request: '{"order": [3]}')
    with current.using(chat=model):
        given = ASKED | {"message": QUESTION, "use_rerank": "on"}
        live = check_page(alice_client.post(f"{URL}?live=1", given))
        assert model.requests == []
        assert "no model reranks" in live
        html = tried(alice_client, use_rerank="on")
        assert len(model.requests) == 1
        assert "selected by the reranking model" in articles(html)[0].words

        MemoryPreferences.objects.create(user_id=as_alice.id, monthly_budget=1)
        Usage.objects.create(user_id=as_alice.id, source="chat", model="m", cost_usd=2)
        html = tried(alice_client, "How sour is my rye starter?", use_rerank="on")
        assert len(model.requests) == 1
    assert "so reranking was skipped" in html
    assert len(articles(html)) == 3


def test_nobody_is_given_somebody_elses_words(alice_client, bob_client, bread, bobs):
    pointer = "§ W-001/R-01/D-001"
    mine, theirs = (tried(client, f"Show my rye starter {pointer}") for client in (alice_client, bob_client))
    assert "Bob keeps" not in mine
    assert "every morning at seven" not in theirs
    assert "Bob keeps" in theirs
