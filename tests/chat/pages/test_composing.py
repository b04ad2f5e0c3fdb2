"""Attachments, the model of a message, titles and the list of chats."""

from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from chat.agents import create_agent
from chat.attachments import Attachment, split
from chat.branches import messages_of
from chat.conversations import Choices, start
from chat.models import Conversation
from llm.errors import ModelUnavailable
from tests.chat.replying import page_of
from tests.html import check_page, parse
from tests.memory.pages.forms import HTMX

FENCED = "# Notes\n````\n```\ncode\n\n📎 not a file\n"
QUESTION = "How do I bake rye bread?"


@pytest.fixture
def send(conversation, alice_client, model):
    """Send a message, by a script."""

    def post(words="Look", files=(), **more):
        form = {"content": words, "attached": list(files), **more}
        return alice_client.post(f"/chat/{conversation.id}/messages/", form, headers=HTMX)

    return post


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
    send("Look", [text("a <b>.md", "# Notes\n````\nx"), text("b.txt", "plain")])
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
    answer = send("Look", files)
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
    html = send("My words", files).content.decode()
    for words in ("“a.png” is not a text file.", "“c.txt” is larger than 400 kB.", "files stay attached."):
        assert words in html
    words, kept = kept_in(html)
    assert (words, len(kept)) == ("My words", 1)
    send(words, [text("d.md", "new")], kept=kept[0].replace("\n", "\r\n"))
    expected = (Attachment("b.md", "# Notes\n````\nx"), Attachment("d.md", "new"))
    assert said(conversation) == ("My words", expected)


def test_attachments_stay_with_an_edited_message_unless_removed(conversation, alice_client, send, model):
    send("Look", [text("a.md", "one"), text("b.md", "two")])
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
    html = send(words).content.decode()
    assert "longer than the model can read at once" in html
    assert ("Send anyway" in html, words.strip() in html) == (True, True)
    assert send(words, oversize="1").status_code == 200


def test_composer_offers_models_and_keeps_the_chosen_one_for_the_chat(
    as_alice, conversation, alice_client, send
):
    def options(query=""):
        return alice_client.get(f"/chat/models/options/{query}").content.decode()

    send(model="fake-chat-large")
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
