"""The sandbox shows what a model would be given, and keeps nothing."""

import logging

import pytest
from django.apps import apps
from django.test import Client
from django.urls import reverse

from accounts.models import User
from llm import current
from llm.errors import EmbedderUnavailable
from llm.fake_gateway import FakeChat, FakeEmbedder
from memory.models import Drawer, MemoryPreferences, Usage
from memory.pages.search.sandbox import LONGEST, SandboxForm
from memory.recall.pipeline import recall
from memory.recall.settings import settings_from
from memory.recall.types import RecallRequest
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
    models = [
        *apps.get_app_config("memory").get_models(),
        *apps.get_app_config("chat").get_models(),
    ]
    return {model.__name__: model._base_manager.count() for model in models if model.__name__ != "Usage"}


def test_the_page_asks_for_a_message(alice_client: Client, bread: list[Drawer]):
    html = check_page(alice_client.get(URL))
    assert "Sandbox" in html
    assert block(html) == ""
    assert URL in check_page(alice_client.get("/memory/search/"))
    assert URL in check_page(alice_client.get("/memory/settings/"))


def test_the_block_is_word_for_word_what_a_chat_gives_a_model(
    alice_client: Client, as_alice: User, bread: list[Drawer]
):
    html = tried(alice_client, on="2024-05-20")
    settings = settings_from(MemoryPreferences(user=as_alice))
    now = MONDAY.replace(day=20, hour=12, minute=0)
    found = recall(RecallRequest(as_alice.id, QUESTION, now, settings=settings))
    assert "every morning at seven" in found.block
    assert block(html) == found.block


def test_it_says_what_was_looked_for_and_found_and_why(alice_client: Client, bread: list[Drawer]):
    html = tried(alice_client)
    first = articles(html)[0]
    assert "shares the words “feed”, “rye” and “starter” with" in first.words
    assert reverse("memory:drawer", args=[bread[0].id]) in html
    for part in ("By meaning", "By words", "Looked for", "tokens in all", "What the bars mean"):
        assert part in html, part
    meters = [e for e in parse(html).elements if e.tag == "progress"]
    assert meters
    assert all(0 <= float(each.attributes["value"]) <= 1 for each in meters)


def test_what_was_left_out_has_its_stage_and_reason(alice_client: Client, as_alice: User):
    file(as_alice.id, [f"My rye starter number {number} is sour." for number in range(6)])
    html = tried(alice_client, "How sour is my rye starter?", top_k="2")
    assert len(articles(html)) == 2
    cells = [e.words for e in parse(html).elements if e.tag == "td" and "More than asked for" in e.words]
    assert len(cells) == 4
    assert "There were enough better ones already." in cells[0]


def test_a_greeting_is_not_searched_for_and_the_reason_is_given(alice_client: Client, bread: list[Drawer]):
    html = tried(alice_client, "Hello there!")
    assert "A greeting or thanks needs no memory." in html
    assert block(html) == ""


def test_switched_off_memory_says_so(alice_client: Client, bread: list[Drawer]):
    MemoryPreferences.objects.create(user_id=bread[0].user_id, enabled=False)
    assert "Memory is switched off." in tried(alice_client)


def test_earlier_messages_lend_their_words(alice_client: Client, bread: list[Drawer]):
    html = tried(alice_client, "and why?", earlier="I like trains\n\nI keep a rye starter\n")
    assert "earlier turns lent it words" in html
    assert "starter" in block(html)
    assert "starter" not in block(tried(alice_client, "and why?"))


def test_a_long_message_is_cut_to_its_question(alice_client: Client, bread: list[Drawer]):
    paste = "2023-05-30 12:00:01 ERROR billing failed for user 12\n" * 2_000
    html = tried(alice_client, f"{paste}\n{QUESTION}")
    assert "that ask are looked for" in html
    assert "every morning at seven" in block(html)


def test_settings_hold_for_one_try_only(alice_client: Client, as_alice: User):
    file(as_alice.id, [f"My rye starter number {number} is sour." for number in range(6)])
    MemoryPreferences.objects.create(user_id=as_alice.id, top_k=3)
    assert len(articles(tried(alice_client, top_k="1"))) == 1
    assert len(articles(tried(alice_client, top_k="6"))) == 6
    assert MemoryPreferences.objects.get().top_k == 3
    by_address = check_page(alice_client.get(URL, {"message": QUESTION}))
    assert len(articles(by_address)) == 3, "an address goes by the settings that are kept"


@pytest.mark.parametrize(
    "wrong",
    [
        {"message": ""},
        {"message": " \n "},
        {"message": "x" * (LONGEST + 1)},
        {"top_k": "0"},
        {"top_k": "21"},
        {"token_budget": "99"},
        {"similarity_floor": "1.1"},
        {"recipe": "magic"},
        {"on": "2024-13-45"},
    ],
)
def test_what_is_out_of_bounds_is_refused_in_words(
    alice_client: Client, bread: list[Drawer], wrong: dict[str, str]
):
    response = alice_client.post(URL, ASKED | {"message": QUESTION} | wrong)
    html = check_page(response, status=422)
    assert "notice-error" in html
    assert block(html) == ""


def test_nothing_is_kept(alice_client: Client, as_alice: User, bread: list[Drawer]):
    fact = learn(bread[1], "My sister Ines", "Has a sister called Ines.")
    before = rows()
    tried(alice_client)
    tried(alice_client, "Who is Ines?", top_k="9")
    assert rows() == before
    fact.refresh_from_db()
    assert (fact.times_recalled, fact.last_recalled_at) == (0, None)


def test_the_form_cannot_save():
    with pytest.raises(TypeError):
        SandboxForm().save()


MARKUP = "<script>alert(1)</script><img src=x onerror=alert(1)>\"'</textarea>{{ 7|add:7 }}"


def test_markup_stays_words_wherever_it_comes_from(alice_client: Client, as_alice: User):
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


@pytest.mark.parametrize(
    ("kept", "asked"),
    [
        ("我住在上海，我的妻子叫王敏。", "我的妻子叫什么？"),
        ("Моя сестра живёт в Новосибирске.", "Где живёт моя сестра?"),
        ("حساسيتي من الفول السوداني شديدة", "ما هي حساسيتي من الفول؟"),
        ("My lucky sign is 🦦🎷", "What did I say about 🦦?"),
    ],
)
def test_any_script_is_shown_as_it_is(
    alice_client: Client, as_alice: User, embedder: FakeEmbedder, kept: str, asked: str
):
    file(as_alice.id, [kept])
    embedder.fail_with(EmbedderUnavailable("Away."))
    html = tried(alice_client, asked)
    assert kept in block(html)
    assert "shares the word" in articles(html)[0].words


def test_without_an_embedder_words_answer_and_it_is_said(
    alice_client: Client, bread: list[Drawer], embedder: FakeEmbedder
):
    embedder.fail_with(EmbedderUnavailable("Away."))
    html = tried(alice_client)
    assert "by their words alone" in html
    assert "every morning at seven" in block(html)


def test_an_empty_palace_gives_nothing(alice_client: Client, as_alice: User):
    assert "Nothing was found." in tried(alice_client)


def test_a_reader_is_asked_on_the_button_and_never_while_typing(alice_client: Client, as_alice: User):
    file(as_alice.id, [f"My rye starter number {number} is sour." for number in range(3)])
    model = FakeChat(answer=lambda request: '{"order": [3]}')
    with current.using(chat=model):
        live = check_page(
            alice_client.post(f"{URL}?live=1", ASKED | {"message": QUESTION, "use_rerank": "on"})
        )
        assert model.requests == []
        assert "no model chooses" in live
        html = tried(alice_client, use_rerank="on")
        assert len(model.requests) == 1
    assert "chosen by the model" in articles(html)[0].words


def test_with_a_spent_budget_the_order_stays_and_it_is_said(alice_client: Client, as_alice: User):
    MemoryPreferences.objects.create(user_id=as_alice.id, monthly_budget=1)
    Usage.objects.create(user_id=as_alice.id, source="chat", model="m", cost_usd=2)
    file(as_alice.id, [f"My rye starter number {number} is sour." for number in range(3)])
    with current.using(chat=FakeChat(answer=lambda request: '{"order": [3]}')):
        html = tried(alice_client, "How sour is my rye starter?", use_rerank="on")
    assert "so the reranking step was left out" in html
    assert len(articles(html)) == 3


def test_a_fragment_is_asked_for_with_htmx(alice_client: Client, bread: list[Drawer]):
    answer = alice_client.post(
        URL, ASKED | {"message": QUESTION}, headers={"HX-Request": "true", "HX-Target": "tried"}
    )
    assert 'id="tried"' in check_page(answer)


def test_nobody_tries_with_somebody_elses_words(
    alice_client: Client, bob_client: Client, bread: list[Drawer], bobs: list[Drawer]
):
    pointer = "§ W-001/R-01/D-001"
    mine, theirs = (tried(client, f"Show my rye starter {pointer}") for client in (alice_client, bob_client))
    assert "Bob keeps" not in mine
    assert "every morning at seven" not in theirs
    assert "Bob keeps" in theirs


def test_the_words_of_a_try_are_in_no_log(
    alice_client: Client, bread: list[Drawer], caplog: pytest.LogCaptureFixture
):
    caplog.set_level(logging.INFO)
    tried(alice_client, "unmistakable rye starter")
    assert caplog.records
    assert "unmistakable" not in caplog.text
