"""The pages of chats with their list, and messages sent from them: attachments, models and titles."""

import re
from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone

from chat.agents import create_agent
from chat.attachments import Attachment, split
from chat.branches import messages_of
from chat.conversations import Choices, NewMessage, ToolUse, append, extend, start
from chat.models import MEMORY_ONLY, Conversation
from chat.replies.jobs import claim, heartbeat, pending, send_message
from llm.errors import ModelUnavailable
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
def send(path, alice_client, model):
    """Send a message from the page of a chat."""

    def post(words, headers=None, files=(), **given):
        form = {"content": words, "attached": list(files), **given}
        return alice_client.post(f"{path}messages/", form, headers=headers)

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


FENCED = "# Notes\n````\n```\ncode\n\n📎 not a file\n"
QUESTION = "How do I bake rye bread?"


def text(name, content):
    return SimpleUploadedFile(name, content if isinstance(content, bytes) else content.encode())


def said(conversation):
    """The newest message of the user, split into its words and files."""
    return split(messages_of(conversation).filter(role="user").latest("sequence").content)


def kept_in(html):
    """The message in the composer, and the attachments that are sent with it."""
    (words,) = [e.words for e in parse(html).elements if e.tag == "textarea"]
    kept = [e for e in parse(html).elements if e.attributes.get("name") == "kept"]
    assert [each for each in kept if "checked" not in each.attributes] == []
    return words.lstrip("\n"), [each.attributes["value"] for each in kept]


def test_attached_text_files_are_stored_in_the_message_and_shown_folded(conversation, alice_client, send):
    send("Look", HTMX, [text("a <b>.md", "# Notes\n````\nx"), text("b.txt", "plain")])
    files = (Attachment("a <b>.md", "# Notes\n````\nx"), Attachment("b.txt", "plain"))
    assert said(conversation) == ("Look", files)
    assert "a &lt;b&gt;.md</bdi></summary>" in page_of(alice_client, conversation)
    conversation.refresh_from_db()
    assert conversation.title == "Look"


def test_text_that_only_looks_like_an_attachment_stays_text():
    for words in (FENCED, "Look\n\n📎 a.md\n```\nopen", "Look\n\n📎 a.md\n\n"):
        assert split(words) == (words, ())


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ([text("a.png", b"\x89PNG\x00")], "is not a text file"),
        ([text("a.txt", b"\xff\xfe")], "is not a text file"),
        ([text("a.txt", "x" * 400_001)], "larger than 400 kB"),
        ([text(f"{n}.txt", "x") for n in range(12)], "at most 10 files"),
    ],
)
def test_invalid_attachments_are_refused(conversation, send, files, words):
    answer = send("Look", HTMX, files)
    html = answer.content.decode()
    assert (answer.status_code, words in html) == (422, True)
    (chosen,) = [e for e in parse(html).elements if e.attributes.get("type") == "file"]
    assert any(words in rule for rule in chosen.attributes.values()), "a script says the same before"
    assert not messages_of(conversation).exists()
    if len(files) > 1:
        refused = [number for number in range(12) if f"“{number}.txt” is one" in html]
        assert refused == [10, 11]


def test_rejected_files_are_named_and_the_rest_stay_attached(conversation, send):
    files = [text("a.png", b"\x89PNG\x00"), text("b.md", "# Notes\n````\nx"), text("c.txt", "x" * 400_001)]
    html = send("My words", HTMX, files).content.decode()
    for words in ("“a.png” is not a text file.", "“c.txt” is larger than 400 kB.", "files stay attached."):
        assert words in html
    words, kept = kept_in(html)
    assert (words, len(kept)) == ("My words", 1)
    send(words, HTMX, [text("d.md", "new")], kept=kept[0].replace("\n", "\r\n"))
    expected = (Attachment("b.md", "# Notes\n````\nx"), Attachment("d.md", "new"))
    assert said(conversation) == ("My words", expected)


def test_attachments_stay_with_an_edited_message_unless_removed(conversation, alice_client, send, model):
    send("Look", HTMX, [text("a.md", "one"), text("b.md", "two")])
    path = f"/chat/{conversation.id}/messages/1/edit/"
    words, kept = kept_in(check_page(alice_client.get(path)))
    assert (words, len(kept)) == ("Look", 2)
    html = check_page(alice_client.post(path, {"content": " ", "kept": kept}), 422)
    assert kept_in(html)[1] == kept
    model.script("Well.")
    alice_client.post(path, {"content": "Look again", "kept": kept[1:]})
    assert said(conversation) == ("Look again", (Attachment("b.md", "two"),))


def test_message_longer_than_the_context_window_needs_confirmation(send):
    words = "word " * 130_000
    html = send(words, HTMX).content.decode()
    assert "longer than the model can read at once" in html
    assert ("Send anyway" in html, words.strip() in html) == (True, True)
    assert send(words, HTMX, oversize="1").status_code == 200


def test_composer_offers_models_and_keeps_the_chosen_one_for_the_chat(
    as_alice, conversation, alice_client, send
):
    def options(query=""):
        return alice_client.get(f"/chat/models/options/{query}").content.decode()

    send("Look", HTMX, model="fake-chat-large")
    conversation.refresh_from_db()
    assert conversation.model == "fake-chat-large"
    assert '<option value="fake-chat-large" selected>' in page_of(alice_client, conversation)
    assert options("?chosen=fake-chat").startswith('<option value="">gpt-4o-mini</option>')
    assert '<option value="fake-chat" selected>' in options("?chosen=fake-chat")
    poet = create_agent(as_alice.id, {"name": "Poet", "model": "typo-1"})
    assert ("fake-chat-large" in options(), "typo-1" in options()) == (True, False)
    assert options(f"?agent={poet.id}").startswith('<option value="">typo-1</option>')
    assert "typo-1" not in check_page(alice_client.get("/chat/"))


@pytest.mark.parametrize(
    ("written", "title"),
    [
        (' **"Rye `bread` for __beginners__":** ', "Rye bread for beginners"),
        (ModelUnavailable("gone"), QUESTION),
    ],
)
def test_model_titles_a_chat_after_its_first_reply(conversation, alice_client, model, written, title):
    model.script("Rye takes a day.", written)
    alice_client.post(f"/chat/{conversation.id}/messages/", {"content": QUESTION})
    answer = alice_client.post(f"/chat/{conversation.id}/title/", headers=HTMX)
    assert (f'value="{title}"' in answer.content.decode()) is (title != QUESTION)
    if title != QUESTION:
        assert alice_client.post(f"/chat/{conversation.id}/title/").status_code == 204
    conversation.refresh_from_db()
    assert conversation.title == title


def test_failed_reply_can_be_retried_and_gives_no_title(conversation, alice_client, model):
    for failed in (" ", ModelUnavailable("gone")):
        model.script(failed)
        alice_client.post(f"/chat/{conversation.id}/messages/", {"content": QUESTION})
        assert page_of(alice_client, conversation).count("Retry") == 1
        asked = len(model.requests)
        assert alice_client.post(f"/chat/{conversation.id}/title/").status_code == 204
        assert len(model.requests) == asked


def test_chats_are_grouped_by_day_with_pinned_ones_first(as_alice, alice_client):
    now = timezone.now()
    for days, title in ((0, "New"), (1, "Newer"), (5, "Recent"), (400, "Old"), (500, "Kept")):
        start(as_alice.id, Choices(title=title), now - timedelta(days=days))
    kept = Conversation.objects.get(title="Kept")
    alice_client.post(f"/chat/{kept.id}/pin/", {"on": "1"})
    html = check_page(alice_client.get("/chat/"))
    listed = [html.index(f">{name}<") for name in ("Pinned", "Kept", "Today", "New", "Yesterday", "Newer")]
    assert listed == sorted(listed)
    assert html.index(">Last week<") < html.index(">Recent<") < html.index(">Old<")
    alice_client.post(f"/chat/{kept.id}/pin/", {"on": "0"})
    assert ">Pinned<" not in check_page(alice_client.get("/chat/"))


def test_sidebar_returns_to_the_chat_list_from_a_form_error(conversation, alice_client):
    answer = alice_client.post(f"/chat/{conversation.id}/messages/", {"content": " "})
    assert '<input type="hidden" name="back" value="/chat/">' in check_page(answer, 422)
