"""Other words, other replies, stopping and asking again."""

from django.test import Client
from django.utils import timezone

from chat.branches import branch, messages_of
from chat.conversations import NewMessage, append, find
from chat.models import MEMORY_ONLY, Conversation
from chat.replies.jobs import beat, claim, pending, say
from llm.errors import ModelUnavailable
from llm.fake_gateway import FakeChat
from tests.chat.conftest import NOW
from tests.html import check_page

HTMX = {"HX-Request": "true"}


def page_of(client: Client, conversation: Conversation) -> str:
    return check_page(client.get(f"/chat/{conversation.id}/"))


def test_a_message_is_said_in_other_words_in_a_branch_of_its_own(
    conversation: Conversation, alice_client: Client, model: FakeChat
) -> None:
    model.script("First.", "Second.")
    alice_client.post(f"/chat/{conversation.id}/messages/", {"content": "One question"})
    path = f"/chat/{conversation.id}/messages/1/edit/"
    assert "One question" in check_page(alice_client.get(path))
    response = alice_client.post(path, {"content": "Another question"})
    assert response.status_code == 302
    fresh = find(conversation.user_id, conversation.id)
    assert [each.content for each in branch(fresh)] == ["Another question", "Second."]
    html = page_of(alice_client, conversation)
    assert "2/2" in html
    assert "One question" not in html.split('<ol id="thread">')[1]
    alice_client.post(f"/chat/{conversation.id}/messages/1/show/")
    html = page_of(alice_client, conversation)
    assert "1/2" in html
    assert "First." in html
    assert messages_of(conversation).get(sequence=1).content == "One question"


def test_a_reply_is_not_the_persons_to_edit(
    conversation: Conversation, alice_client: Client, model: FakeChat
) -> None:
    append(conversation, NewMessage("user", "Hello"), NOW)
    append(conversation, NewMessage("assistant", "Hi"), NOW)
    path = f"/chat/{conversation.id}/messages/2/edit/"
    assert alice_client.post(path, {"content": "I said that"}).status_code == 302
    assert messages_of(conversation).count() == 2


def test_another_reply_stands_beside_the_first(
    conversation: Conversation, alice_client: Client, model: FakeChat
) -> None:
    model.script("First.", "Second.")
    alice_client.post(f"/chat/{conversation.id}/messages/", {"content": "One question"})
    alice_client.post(f"/chat/{conversation.id}/replies/1/retry")
    html = page_of(alice_client, conversation)
    assert "Second." in html
    assert "2/2" in html


def test_another_reply_with_scripts_is_followed(
    conversation: Conversation, alice_client: Client, model: FakeChat
) -> None:
    model.script("First.")
    alice_client.post(f"/chat/{conversation.id}/messages/", {"content": "One question"})
    response = alice_client.post(f"/chat/{conversation.id}/replies/1/retry", headers=HTMX)
    assert response.headers["HX-Redirect"] == f"/chat/{conversation.id}/"
    html = page_of(alice_client, conversation)
    assert "/replies/1/stream" in html
    assert "First." not in html


def test_stopping_a_waiting_reply(conversation: Conversation, alice_client: Client, model: FakeChat) -> None:
    say(conversation, "Hello there", NOW)
    path = f"/chat/{conversation.id}/replies/1/stop"
    assert alice_client.post(path, headers=HTMX).status_code == 204
    assert pending(conversation) is None
    assert "before it began" in page_of(alice_client, conversation)


def test_the_degraded_reply_is_labelled_and_can_be_retried(
    conversation: Conversation, alice_client: Client, model: FakeChat
) -> None:
    model.fail_with(ModelUnavailable("x"))
    alice_client.post(f"/chat/{conversation.id}/messages/", {"content": "What of my cat?"})
    html = page_of(alice_client, conversation)
    assert "From memory alone" in html
    assert "The language model cannot be reached." in html
    assert f"/chat/{conversation.id}/replies/1/retry" in html
    assert messages_of(conversation).get(sequence=2).model == MEMORY_ONLY


def test_asking_again_while_a_reply_is_written_leads_back_to_it(
    conversation: Conversation, alice_client: Client, model: FakeChat
) -> None:
    _, generation = say(conversation, "Hello there", NOW)
    assert claim(generation, timezone.now())
    path = f"/chat/{conversation.id}/replies/1/retry"
    assert alice_client.post(path).url == f"/chat/{conversation.id}/"
    response = alice_client.post(path, headers=HTMX)
    assert response.headers["HX-Redirect"] == f"/chat/{conversation.id}/"
    assert pending(conversation) == generation


def test_a_page_loaded_again_tells_which_tools_are_at_work(
    conversation: Conversation, alice_client: Client
) -> None:
    now = timezone.now()
    _, generation = say(conversation, "When is high tide?", now)
    assert claim(generation, now)
    beat(generation, "", now, {"used": ["recall_memory"], "using": ["<b>潮汐</b>"]})
    page = check_page(alice_client.get(f"/chat/{conversation.id}/"))
    assert "Looked into memory" in page
    assert "Using a tool … <bdi>&lt;b&gt;潮汐&lt;/b&gt;</bdi>" in page
    beat(generation, "", now, {"used": ["recall_memory", "save_note"], "using": []})
    page = check_page(alice_client.get(f"/chat/{conversation.id}/"))
    assert "Wanted to keep a note" in page
    assert "data-now" not in page
