"""The chat's pages and what a person writes in them."""

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from accounts.tenancy import tenant
from chat.branches import messages_of
from chat.conversations import Choices, NewMessage, append, start
from chat.models import MEMORY_ONLY, Agent, Conversation, Message
from chat.replies.jobs import claim, say
from llm.fake_gateway import FakeChat, FakeEmbedder
from tests.chat.conftest import NOW
from tests.chat.remembering import mined
from tests.html import check_fragment, check_page, parse
from transfer.demo import DEMO_QUESTIONS, load_demo

HTMX = {"HX-Request": "true"}
ON = {"use_memory": "on", "learn": "on"}
HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>{{ 7|add:7 }}"


def page_of(client: Client, conversation: Conversation, query: str = "") -> str:
    return check_page(client.get(f"/chat/{conversation.id}/{query}"))


def only_chat(user: User) -> Conversation:
    with tenant(user.id):
        return Conversation.objects.get(user_id=user.id)


def test_the_first_page_offers_a_new_chat(alice_client: Client, model: FakeChat, as_alice: User) -> None:
    html = check_page(alice_client.get("/chat/"))
    assert "What would you like to talk about" in html
    assert reverse("chat:import") in html
    assert "No language model is connected" not in html


def test_whoever_loaded_the_demo_is_told_what_to_ask(
    alice_client: Client, embedder: FakeEmbedder, as_alice: User
) -> None:
    question = str(DEMO_QUESTIONS[0])
    assert question not in check_page(alice_client.get("/chat/"))
    load_demo(as_alice.id, NOW)
    assert question not in check_page(alice_client.get("/chat/?incognito=1"))
    html = check_page(alice_client.get("/chat/"))
    (asked,) = (e for e in parse(html).elements if e.attributes.get("value") == question)
    form = next(each for each in asked.ancestors if each.tag == "form")
    assert form.attributes["action"] == reverse("chat:new")
    assert asked.attributes["name"] == "content"
    alice_client.post(reverse("chat:new"), {"content": question, **ON})
    chat = Conversation.objects.get(user_id=as_alice.id, source=Conversation.Source.CHAT)
    assert messages_of(chat).order_by("sequence")[0].content == question


def test_it_says_when_no_model_is_connected(
    alice_client: Client, embedder: FakeEmbedder, as_alice: User
) -> None:
    assert "No language model is connected" in check_page(alice_client.get("/chat/"))


def test_the_list_is_searched_and_paged(alice_client: Client, as_alice: User) -> None:
    for number in range(35):
        chat = start(as_alice.id, Choices(), NOW)
        append(chat, NewMessage("user", f"Chat number {number} about bread"), NOW)
    first = check_page(alice_client.get("/chat/"))
    assert first.count('class="chat-link"') == 30
    assert check_page(alice_client.get("/chat/?page=2")).count('class="chat-link"') == 5
    assert check_page(alice_client.get("/chat/?page=99")).count('class="chat-link"') == 5
    found = check_page(alice_client.get("/chat/?q=number+34"))
    assert found.count('class="chat-link"') == 1
    assert "No chat has these words" in check_page(alice_client.get("/chat/?q=%22%3E%3Cb%3E"))


def test_chats_are_found_by_what_was_said_in_them(
    alice_client: Client, as_alice: User, conversation: Conversation
) -> None:
    append(conversation, NewMessage("user", "Hello there"), NOW)
    append(conversation, NewMessage("assistant", f"{HOSTILE} Der Kater heißt Ölbaum."), NOW)
    append(conversation, NewMessage("assistant", "A secret word", model=MEMORY_ONLY), NOW)
    html = check_page(alice_client.get("/chat/?q=ölbaum+kater"))
    assert html.count('class="chat-link"') == 1
    assert "Der Kater heißt Ölbaum. …" in html
    assert "<script>alert" not in html
    assert "No chat has these words" in check_page(alice_client.get("/chat/?q=ölbaum+hund"))
    assert "No chat has these words" in check_page(alice_client.get("/chat/?q=secret"))
    assert "chat-excerpt" not in check_page(alice_client.get("/chat/?q=hello"))


def test_a_new_chat_without_scripts_answers_at_once(
    alice: User, alice_client: Client, model: FakeChat
) -> None:
    model.script("Minka is **grey**.")
    response = alice_client.post("/chat/new/", {"content": "What\r\nabout Minka?", **ON})
    chat = only_chat(alice)
    assert response.status_code == 302
    assert response.url == f"/chat/{chat.id}/#m1"
    assert chat.title == "What about Minka?"
    html = page_of(alice_client, chat)
    assert "What\nabout Minka?" in html
    assert "<strong>grey</strong>" in html


def test_two_windows_tell_each_other_the_truth(
    conversation: Conversation, alice_client: Client, model: FakeChat
) -> None:
    path = f"/chat/{conversation.id}/messages/"
    model.script("Well.")
    alice_client.post(path, {"content": "From the one window", "seen": 0})
    late = {"content": "From the other", "seen": 0}
    html = check_page(alice_client.post(path, late), 422)
    assert "went on in another window" in html
    assert "From the one window" in html
    assert ">\nFrom the other</textarea>" in html
    response = alice_client.post(path, late, headers=HTMX)
    assert (response.headers["HX-Retarget"], response.headers["HX-Reselect"]) == (".chat", ".chat")
    assert "From the one window" in check_page(response, 422)
    assert messages_of(conversation).count() == 2
    assert 'id="seen" value="2"' in html
    html = check_fragment(alice_client.post(path, late | {"seen": 2}, headers=HTMX))
    assert 'id="seen" value="3" hx-swap-oob="true"' in html


def test_a_new_chat_with_scripts_is_followed_on_its_page(
    alice: User, alice_client: Client, model: FakeChat
) -> None:
    response = alice_client.post("/chat/new/", {"content": "Hello there", **ON}, headers=HTMX)
    chat = only_chat(alice)
    assert response.headers["HX-Redirect"] == f"/chat/{chat.id}/"
    html = page_of(alice_client, chat)
    assert f'sse-connect="/chat/{chat.id}/replies/1/stream"' in html
    assert model.requests == []


def test_a_message_with_scripts_brings_itself_and_the_reply_to_come(
    conversation: Conversation, alice_client: Client, model: FakeChat
) -> None:
    path = f"/chat/{conversation.id}/messages/"
    response = alice_client.post(path, {"content": HOSTILE}, headers=HTMX)
    html = check_fragment(response)
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
    assert "{{ 7|add:7 }}" in html
    assert f'sse-connect="/chat/{conversation.id}/replies/1/stream"' in html
    assert 'id="remembered"' in html
    assert "hx-swap-oob" in html


@pytest.mark.parametrize("words", ["", "  \r\n\t "])
def test_an_empty_message_is_refused(
    alice: User, conversation: Conversation, alice_client: Client, model: FakeChat, words: str
) -> None:
    for path in ("/chat/new/", f"/chat/{conversation.id}/messages/"):
        html = check_page(alice_client.post(path, {"content": words, **ON}), 422)
        assert "Write something first." in html
        fragment = alice_client.post(path, {"content": words, **ON}, headers=HTMX)
        assert "Write something first." in check_fragment(fragment, 422)
        assert fragment.headers["HX-Retarget"] == "#composer"
    assert only_chat(alice).last_sequence == 0


def test_a_message_that_is_too_long_is_refused_with_its_words_kept(
    alice: User, alice_client: Client, model: FakeChat
) -> None:
    words = "bread " * 340_000
    response = alice_client.post("/chat/new/", {"content": words, **ON})
    html = check_page(response, 422)
    assert "at most 2,000,000 characters" in html
    assert words in html
    with tenant(alice.id):
        assert not Conversation.objects.filter(user_id=alice.id).exists()


def test_a_message_of_a_megabyte_is_kept_and_its_beginning_shown(
    conversation: Conversation, alice_client: Client, model: FakeChat
) -> None:
    words = "Ein Brot. 面包。 " * 90_000
    model.script("That was long.")
    alice_client.post(f"/chat/{conversation.id}/messages/", {"content": words})
    assert messages_of(conversation).get(sequence=1).content == words
    html = page_of(alice_client, conversation)
    assert len(html) < 100_000
    assert "Show the whole message" in html
    whole = check_page(alice_client.get(f"/chat/{conversation.id}/messages/1/"))
    assert words in whole


def test_nothing_is_said_while_a_reply_is_written(
    conversation: Conversation, alice_client: Client, model: FakeChat
) -> None:
    _, generation = say(conversation, "Hello there", NOW)
    assert claim(generation, timezone.now())
    path = f"/chat/{conversation.id}/messages/"
    html = check_page(alice_client.post(path, {"content": "Are you there?"}), 422)
    assert "still being written" in html
    assert "Are you there?" in html
    assert messages_of(conversation).count() == 1


def test_a_five_thousand_message_chat_is_shown_in_parts(
    conversation: Conversation,
    alice_client: Client,
    embedder: FakeEmbedder,
    django_assert_max_num_queries,
) -> None:
    Message.objects.bulk_create(
        Message(
            user_id=conversation.user_id,
            conversation_id=conversation.id,
            sequence=number,
            parent_sequence=number - 1 or None,
            role="assistant" if number % 2 == 0 else "user",
            content=f"Message number {number}.",
        )
        for number in range(1, 5001)
    )
    conversation.last_sequence = conversation.head_sequence = 5000
    conversation.save()
    page_of(alice_client, conversation)
    with django_assert_max_num_queries(32):
        html = page_of(alice_client, conversation)
    assert html.count('class="message message-') == 60
    assert "Message number 5000." in html
    assert "Message number 4941." in html
    assert 'href="?before=4940"' in html
    earlier = page_of(alice_client, conversation, "?before=4940")
    assert "Message number 4881." in earlier
    assert "To the newest messages" in earlier
    assert "?before=" not in page_of(alice_client, conversation, "?before=60")


@pytest.mark.parametrize("query", ["?before=x", "?before=-1", "?before=99999999999", "?page=x"])
def test_an_address_that_makes_no_sense_shows_something(
    conversation: Conversation, alice_client: Client, embedder: FakeEmbedder, query: str
) -> None:
    append(conversation, NewMessage("user", "Hello"), NOW)
    page_of(alice_client, conversation, query)


def test_hostile_words_are_only_words_everywhere(
    as_alice: User, conversation: Conversation, alice_client: Client, model: FakeChat
) -> None:
    append(conversation, NewMessage("user", f"{HOSTILE} Minka is a cat of mine"), NOW)
    tool = append(conversation, NewMessage("tool", HOSTILE), NOW)
    Message.objects.filter(id=tool.id).update(tool_name=HOSTILE)
    append(conversation, NewMessage("assistant", HOSTILE, notice=HOSTILE), NOW)
    Agent.objects.filter(user_id=as_alice.id).update(name=HOSTILE[:120])
    mined(conversation)
    model.script(HOSTILE)
    alice_client.post("/chat/new/", {"content": "Is Minka a cat of mine, or is she not?", **ON})
    other = Conversation.objects.exclude(id=conversation.id).get(user_id=as_alice.id)
    for path in (
        "/chat/",
        f"/chat/{conversation.id}/",
        f"/chat/{other.id}/",
        f"/chat/{conversation.id}/rename/",
        f"/chat/{conversation.id}/delete/",
        f"/chat/{conversation.id}/messages/1/",
        f"/chat/{conversation.id}/messages/1/edit/",
        "/chat/agents/",
    ):
        html = check_page(alice_client.get(path))
        assert "alert(1)</script>" not in html
        assert "<img" not in html
    assert "Recalled " in page_of(alice_client, other)


def test_an_empty_chat_and_a_chat_without_a_reply_are_shown(
    conversation: Conversation, alice_client: Client, model: FakeChat
) -> None:
    assert "Untitled" in page_of(alice_client, conversation)
    append(conversation, NewMessage("user", "Is anybody there?"), NOW)
    assert "There is no reply to this yet." in page_of(alice_client, conversation)


def test_the_page_asks_few_questions(
    as_alice: User,
    conversation: Conversation,
    alice_client: Client,
    model: FakeChat,
    django_assert_max_num_queries,
) -> None:
    model.script(*["Yes."] * 6)
    for number in range(6):
        path = f"/chat/{conversation.id}/messages/"
        alice_client.post(path, {"content": f"Is my cat number {number} called Minka?"})
    with django_assert_max_num_queries(32):
        page_of(alice_client, conversation)
