"""The pages of chats, and messages sent from them."""

import re
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from chat.branches import messages_of
from chat.conversations import NewMessage, ToolUse, append, extend
from chat.models import MEMORY_ONLY, Conversation
from chat.replies.jobs import claim, heartbeat, pending, send_message
from tests.chat.conftest import NOW
from tests.chat.replying import add_chat, page_of
from tests.html import check_fragment, check_page, parse
from tests.memory.pages.forms import HTMX
from transfer.demo import DEMO_QUESTIONS

ON = {"recall_memory": "on", "mine": "on"}
HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>{{ 7|add:7 }}"
LINK = 'class="chat-link"'
NO_MODEL = "No language model is connected"


@pytest.fixture
def path(conversation):
    return f"/chat/{conversation.id}/"


@pytest.fixture
def send(path, alice_client):
    """Send a message from the page of a chat."""

    def post(words, headers=None, **given):
        return alice_client.post(f"{path}messages/", {"content": words, **given}, headers=headers)

    return post


@pytest.fixture
def writing(conversation, model):
    """A reply that is being written."""
    _, generation = send_message(conversation, "When is high tide?", timezone.now())
    assert claim(generation, timezone.now())
    return generation


def test_start_page_offers_a_new_chat_and_demo_questions(alice_client, embedder, as_alice):
    question = str(DEMO_QUESTIONS[0])
    html = check_page(alice_client.get("/chat/"))
    for words in ("What would you like to talk about", reverse("chat:import"), NO_MODEL):
        assert words in html
    assert question not in html
    alice_client.post(reverse("chat:demo"))
    assert question not in check_page(alice_client.get("/chat/?incognito=1"))
    html = check_page(alice_client.get("/chat/"))
    (asked,) = (e for e in parse(html).elements if e.attributes.get("value") == question)
    form = next(each for each in asked.ancestors if each.tag == "form")
    assert (form.attributes["action"], asked.attributes["name"]) == (reverse("chat:new"), "content")


def test_messages_stand_under_their_days(alice_client, conversation):
    for days, words in ((400, "An old question"), (400, "Another"), (0, "Back again")):
        append(conversation, NewMessage("user", words), timezone.now() - timedelta(days=days))
    shown = re.findall(r'messages-day"><time[^>]*>([^<]*)<', page_of(alice_client, conversation))
    assert shown == [f"{timezone.localdate() - timedelta(days=400):%-d %B %Y}", "Today"]


def test_chat_list_is_paged_and_searches_titles_and_messages(alice_client, as_alice, conversation):
    for number in range(34):
        add_chat(as_alice, f"Chat number {number} about bread")
    append(conversation, NewMessage("user", "Hello there"), NOW)
    append(conversation, NewMessage("assistant", f"{HOSTILE} Der Kater heißt Ölbaum."), NOW)
    append(conversation, NewMessage("assistant", "A quoted word", model=MEMORY_ONLY), NOW)
    for query, links in (("", 30), ("?page=2", 5), ("?page=99", 5), ("?q=number+33", 1), ("?q=hello", 1)):
        html = check_page(alice_client.get(f"/chat/{query}"))
        assert html.count(LINK) == links, query
        assert "chat-excerpt" not in html
    html = check_page(alice_client.get("/chat/?q=ölbaum+kater"))
    assert html.count(LINK) == 1
    assert "Der Kater heißt Ölbaum. …" in html
    assert "<script>alert" not in html
    for query in ("%22%3E%3Cb%3E", "ölbaum+hund", "quoted"):
        assert "No chat contains these words" in check_page(alice_client.get(f"/chat/?q={query}"))


def test_new_chat_is_answered_at_once_without_scripts_and_streamed_with_them(as_alice, alice_client, model):
    assert alice_client.get("/chat/new/").url == "/chat/"
    assert NO_MODEL not in check_page(alice_client.get("/chat/"))
    model.script("Minka is **grey**.")
    form = {"content": "What\r\nabout Minka?", **ON}
    response = alice_client.post("/chat/new/", form)
    chat = Conversation.objects.get()
    assert response.url == f"/chat/{chat.id}/#m1"
    assert chat.title == "What about Minka?"
    html = page_of(alice_client, chat)
    assert "What\nabout Minka?" in html
    assert "<strong>grey</strong>" in html
    response = alice_client.post("/chat/new/", form, headers=HTMX)
    other = Conversation.objects.exclude(id=chat.id).get()
    assert response.headers["HX-Redirect"] == f"/chat/{other.id}/"
    assert f'sse-connect="/chat/{other.id}/replies/1/stream"' in page_of(alice_client, other)
    assert len(model.requests) == 1


def test_sending_from_a_stale_window_shows_the_newer_messages(conversation, path, send, model):
    model.script("Well.")
    send("From the one window", seen=0)
    late = check_page(send("From the other", seen=0), 422)
    for words in ("continued in another window", "From the one window", ">\nFrom the other</textarea>"):
        assert words in late
    assert 'id="seen" value="2"' in late
    response = send("From the other", HTMX, seen=0)
    assert (response.headers["HX-Retarget"], response.headers["HX-Reselect"]) == (".chat", ".chat")
    assert "From the one window" in check_page(response, 422)
    assert messages_of(conversation).count() == 2
    html = check_fragment(send(HOSTILE, HTMX, seen=2))
    for words in ('id="seen" value="3" hx-swap-oob="true"', f'sse-connect="{path}replies/3/stream"'):
        assert words in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html


def test_empty_and_too_long_messages_are_refused_and_their_text_kept(path, alice_client, model):
    long = "bread " * 340_000
    for address in ("/chat/new/", f"{path}messages/"):
        for words, reason in (
            ("", "Write something first."),
            ("  \r\n\t ", "Write something first."),
            (long, "at most 2,000,000 characters"),
        ):
            form = {"content": words, "oversize": "1", **ON}
            html = check_page(alice_client.post(address, form), 422)
            assert (reason in html, words.strip() in html) == (True, True)
            fragment = alice_client.post(address, form, headers=HTMX)
            assert reason in check_fragment(fragment, 422)
            assert fragment.headers["HX-Retarget"] == "#composer"
    assert Conversation.objects.get().last_sequence == 0


def test_long_message_is_stored_whole_and_shown_in_part(conversation, path, alice_client, send, model):
    words = "Ein Brot. 面包。 " * 20_000
    model.script("That was long.")
    send(words, oversize="1")
    html = page_of(alice_client, conversation)
    assert len(html) < 100_000
    assert "Show the whole message" in html
    assert words in check_page(alice_client.get(f"{path}messages/1/"))


def test_sending_and_retrying_wait_while_a_reply_is_written(conversation, writing, path, alice_client, send):
    html = check_page(send("Are you there?"), 422)
    assert "still being written" in html
    assert "Are you there?" in html
    assert messages_of(conversation).count() == 1
    assert alice_client.post(f"{path}replies/1/retry").url == path
    response = alice_client.post(f"{path}replies/1/retry", headers=HTMX)
    assert response.headers["HX-Redirect"] == path
    assert pending(conversation) == writing


def test_reloaded_page_shows_tools_in_use(conversation, writing, alice_client):
    heartbeat(writing, "", timezone.now(), {"used": ["recall_memory"], "using": ["<b>潮汐</b>"]})
    html = page_of(alice_client, conversation)
    assert "Searched memory" in html
    assert "Using a tool… <bdi>&lt;b&gt;潮汐&lt;/b&gt;</bdi>" in html
    heartbeat(writing, "", timezone.now(), {"used": ["recall_memory", "save_note"], "using": []})
    html = page_of(alice_client, conversation)
    assert ("Tried to save a note" in html, "data-now" in html) == (True, False)


def test_chat_of_five_hundred_messages_is_paged(
    conversation, alice_client, embedder, django_assert_max_num_queries
):
    extend(conversation, [NewMessage("user", f"Message number {n}.") for n in range(1, 501)], NOW)
    page_of(alice_client, conversation)
    with django_assert_max_num_queries(34):
        html = page_of(alice_client, conversation)
    assert html.count('class="message message-') == 60
    for words in ("Message number 500.", "Message number 441.", 'href="?before=440"'):
        assert words in html
    earlier = page_of(alice_client, conversation, "?before=440")
    assert "Message number 381." in earlier
    assert "Go to the newest messages" in earlier
    assert "?before=" not in page_of(alice_client, conversation, "?before=60")


def test_chat_without_a_reply_and_invalid_query_strings_are_shown(conversation, alice_client, model):
    assert "Untitled" in page_of(alice_client, conversation)
    append(conversation, NewMessage("user", "Is anybody there?"), NOW)
    for query in ("", "?before=x", "?before=-1", "?before=99999999999", "?page=x"):
        html = page_of(alice_client, conversation, query)
        assert query or "No reply yet." in html


def test_tools_and_internal_names_of_chatgpt_are_shown_in_plain_words(conversation, alice_client):
    append(conversation, NewMessage("user", "Hm?"), NOW)
    for words, name in (("Vegetarian.", "user_editable_context"), (HOSTILE, HOSTILE)):
        append(conversation, NewMessage("tool", words, tool=ToolUse(name)), NOW)
    html = page_of(alice_client, conversation)
    assert ("Your custom instructions" in html, "editable" in html) == (True, False)
    assert ("<script>alert" in html, "<img" in html) == (False, False)
