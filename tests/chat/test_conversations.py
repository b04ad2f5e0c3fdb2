"""Messages and their branches, titles, lists, edits, closing, deleting and restoring."""

from datetime import timedelta

import pytest
from django.urls import reverse

from accounts.owned import NotFound
from accounts.tenancy import tenant
from chat.agents import default_agent
from chat.branches import branch, message_at, messages_of, newest_leaf, versions
from chat.conversations import (
    MAX_MESSAGE_LENGTH,
    ROOT,
    Choices,
    ConversationNotFound,
    MessageTooLong,
    NewMessage,
    append,
    close,
    conversations_of,
    find,
    request_conversation_mining,
    show_branch,
    start,
)
from chat.edits import edit_agent, rename_chat
from chat.incognito import erase, open_incognito
from chat.models import Agent, Conversation
from chat.retention import empty_old_chats, remove, restorable_chats, restore
from chat.titles import rename, title_of
from memory.forgetting.requests import erase_now, forget, forget_now
from memory.forgetting.scopes import ForgetRequest
from memory.mining.progress import source_removed_at
from memory.mining.transcripts import CONVERSATION
from memory.models import ChangeSet, Drawer, Forgetting, RowChange
from memory.preferences import change_preferences
from tests.at_once import at_once
from tests.chat.conftest import NOW
from tests.chat.replying import mine_chat, page_of
from tests.html import check_page
from tests.memory.pages.forms import HTMX, undo_in

LATER = NOW + timedelta(hours=1)
CAT = "My cat is called Minka."


def add(conversation, words="…", role="user", **more):
    return append(conversation, NewMessage(role, words, **more), NOW)


def grow(conversation, *parents):
    """Add a message after each of the given ones."""
    for parent in parents:
        add(conversation, parent=parent)


def shown(conversation, **limits):
    return [message.sequence for message in branch(conversation, **limits)]


@pytest.fixture
def chat(conversation, embedder):
    """A mined chat."""
    add(conversation, CAT)
    mine_chat(conversation)
    return conversation


def drawers_of(chat):
    return Drawer.objects.live().filter(user_id=chat.user_id, source_id=chat.id).count()


def test_messages_are_numbered_and_stored_verbatim(conversation):
    words = [
        "  Zeile eins\n\n\tحفظ الكلمات 我在面包店 🎻  ",
        "All about bread. " * 65_000,
        "before\x00after \ud83d and \ud83c\udfbb",
    ]
    for number, text in enumerate(words, 1):
        message = add(conversation, text)
        assert (message.sequence, message.parent_sequence) == (number, number - 1 or None)
    conversation.refresh_from_db()
    assert (conversation.last_sequence, conversation.head_sequence) == (3, 3)
    kept = list(messages_of(conversation).order_by("sequence").values_list("content", flat=True))
    assert kept == [*words[:2], "before\ufffdafter \ufffd and 🎻"]


def test_refused_message_changes_nothing(conversation):
    with pytest.raises(MessageTooLong, match="Split it into several"):
        add(conversation, "x" * (MAX_MESSAGE_LENGTH + 1))
    assert not messages_of(conversation).exists()
    add(conversation, "One")
    with pytest.raises(NotFound):
        add(conversation, "Two", parent=7)
    remove(conversation, NOW, forget_too=False)
    with pytest.raises(ConversationNotFound):
        add(conversation, "Too late")
    conversation.refresh_from_db()
    assert (conversation.last_sequence, messages_of(conversation).count()) == (1, 1)


@pytest.mark.django_db(transaction=True)
def test_concurrent_writers_leave_no_gap(alice):
    with tenant(alice.id):
        conversation = start(alice.id, Choices(), NOW)

    def write(number):
        with tenant(alice.id):
            mine = find(alice.id, conversation.id)
            for turn in range(5):
                add(mine, f"{number}-{turn}")

    at_once(write, 8)
    with tenant(alice.id):
        said = branch(find(alice.id, conversation.id))
        assert [message.sequence for message in said] == list(range(1, 41))
        assert len({message.content for message in said}) == messages_of(conversation).count() == 40


def test_branches_and_versions_of_messages(conversation):
    assert (branch(conversation), versions(conversation, [])) == ([], {})
    grow(conversation, None, None, None, 1, 1, 3)
    assert shown(conversation) == [1, 2, 3, 6]
    assert shown(conversation, limit=2) == [3, 6]
    assert shown(conversation, upto=3, limit=2) == [2, 3]
    found = versions(conversation, branch(conversation, upto=5))
    assert set(found) == {5}
    assert found[5].sequences == (2, 4, 5)
    assert (found[5].number, found[5].before, found[5].after) == (3, 4, None)
    assert versions(conversation, [message_at(conversation, 2)])[2].after == 4
    show_branch(conversation, 2)
    grow(conversation, None)
    assert shown(conversation) == [1, 2, 3, 6, 7]
    assert [newest_leaf(conversation, number) for number in (1, 2, 4)] == [5, 7, 4]
    grow(conversation, ROOT)
    assert versions(conversation, branch(conversation))[8].sequences == (1, 8)
    with pytest.raises(NotFound):
        message_at(conversation, 9)


@pytest.mark.parametrize(
    ("words", "title"),
    [
        ("short", "short"),
        ("word " * 30, "word " * 10 + "word…"),
        ("面包" * 60, "面包" * 29 + "面…"),
        ("x" * 2_000_000, "x" * 59 + "…"),
    ],
    ids=["short", "words", "Chinese", "one long word"],
)
def test_titles_are_cut_between_words(words, title):
    assert title_of(words) == title


def test_title_is_the_first_user_message_or_a_new_name(conversation):
    add(conversation, "Hello, how may I help?", role="assistant")
    add(conversation, "My sister\n\nAnn   moved to Lisbon")
    add(conversation, "And something else")
    assert conversation.title == "My sister Ann moved to Lisbon"
    for name, title in (("  Something\nelse  ", "Something else"), ("   ", "My sister Ann moved to Lisbon")):
        rename(conversation, name, NOW)
        assert conversation.title == title


def test_closing_or_requesting_queues_mining_and_a_message_reopens(
    conversation, queued, django_capture_on_commit_callbacks
):
    for ask in (request_conversation_mining, close):
        with django_capture_on_commit_callbacks(execute=True):
            ask(conversation, NOW)
        assert queued() == [("mine", (str(conversation.user_id),))]
    add(conversation, "One more thing")
    conversation.refresh_from_db()
    assert conversation.closed_at is None


def test_chat_with_messages_dated_in_the_future_is_not_active_in_the_future(conversation):
    assert add(conversation, "From a wrong clock", said_at=NOW + timedelta(days=9)).said_at > NOW
    conversation.refresh_from_db()
    assert conversation.last_message_at == NOW


def test_erased_incognito_and_altogether_forgotten_chats_cannot_be_restored(chat):
    secret = open_incognito(chat.user_id, None, "session", NOW)
    add(secret, "Nobody knows.")
    remove(secret, LATER, forget_too=False)
    assert not Conversation.objects.filter(id=secret.id).exists()
    remove(chat, LATER, forget_too=True)
    erase_now(chat.user_id, Forgetting.objects.get(user_id=chat.user_id).id, LATER)
    forgotten = start(chat.user_id, Choices(), NOW)
    add(forgotten, CAT)
    forget(chat.user_id, ForgetRequest("everything"), LATER)
    assert list(restorable_chats(chat.user_id)) == []
    with pytest.raises(NotFound):
        restore(chat.user_id, chat.id, LATER)


@pytest.mark.parametrize("forget_too", [True, False])
def test_deleted_chat_can_be_restored_with_its_drawers(chat, alice_client, forget_too):
    path, undo = f"/chat/{chat.id}/delete/", f"/chat/{chat.id}/undelete/"
    assert "No deleted chats" in check_page(alice_client.get("/chat/deleted/"))
    assert "1 message of this chat is in your memory" in check_page(alice_client.get(path))
    assert alice_client.post(path, {"forget": "on"} if forget_too else {}).url == "/chat/"
    assert alice_client.get(f"/chat/{chat.id}/").status_code == 404
    assert (drawers_of(chat), list(conversations_of(chat.user_id))) == (int(not forget_too), [])
    assert source_removed_at(chat.user_id, CONVERSATION, chat.id) is not None
    page = check_page(alice_client.get("/chat/"))
    assert ("1 memory of it forgotten" in page) is forget_too
    for html in (page, check_page(alice_client.get("/chat/deleted/"))):
        assert f'action="{undo}"' in html
    assert alice_client.post(undo).url == f"/chat/{chat.id}/"
    page = page_of(alice_client, chat)
    assert ("Chat restored" in page, CAT in page) == (True, True)
    assert (drawers_of(chat), list(conversations_of(chat.user_id))) == (1, [chat])
    assert source_removed_at(chat.user_id, CONVERSATION, chat.id) is None
    assert alice_client.post(undo).status_code == 404


def test_chat_settings_and_closing(conversation, alice_client, as_alice, bob):
    with tenant(bob.id):
        theirs = Agent.objects.create(user_id=bob.id, name="Bob's")
    other, before = Agent.objects.create(user_id=as_alice.id, name="Other"), conversation.agent_id
    path = f"/chat/{conversation.id}/switches/"
    for agent, status, kept in ((theirs, 404, (before, True)), (other, 204, (other.id, False))):
        chosen = {"agent": agent.id, "mine": "on"}
        assert alice_client.post(path, chosen).status_code == 302
        assert alice_client.post(path, chosen, headers=HTMX).status_code == status
        conversation.refresh_from_db()
        assert (conversation.agent_id, conversation.recall_memory) == kept
    assert conversation.mine
    assert alice_client.post(f"/chat/{conversation.id}/close/").url == "/chat/"
    conversation.refresh_from_db()
    assert conversation.closed_at is not None


def test_change_log_drops_titles_of_erased_and_expired_chats(conversation):
    rename_chat(conversation, "Bread", NOW)
    assert rename_chat(conversation, "Bread", NOW) is None
    chat = open_incognito(conversation.user_id, None, "session", NOW)
    rename_chat(chat, "Secret", NOW)
    erase(chat)
    assert ChangeSet.objects.get().subject_id == conversation.id
    change_preferences(conversation.user_id, {"retention_days": 7}, NOW)
    empty_old_chats(conversation.user_id, NOW + timedelta(days=8))
    assert not ChangeSet.objects.exists()


def test_change_log_drops_forgotten_words(conversation, embedder):
    user_id = conversation.user_id
    add(conversation, "Kittiwakes nest on the cliff.")
    mine_chat(conversation)
    rename_chat(conversation, "Kittiwakes", NOW)
    agent = default_agent(user_id)
    for name, value in (
        ("instructions", "Speak of kittiwakes."),
        ("instructions", "Be brief."),
        ("name", "Friend"),
    ):
        edit_agent(agent, {name: value}, NOW)
    forget_now(user_id, ForgetRequest("source", conversation.id), LATER)
    assert [each.after for each in RowChange.objects.all()] == [{"name": "Friend"}]


def test_rename_can_be_undone_from_its_toast(conversation, alice_client):
    add(conversation, "About bread")
    path = f"/chat/{conversation.id}/rename/"
    assert 'value="About bread"' in check_page(alice_client.get(path))
    assert "most 300 characters" in check_page(alice_client.post(path, {"title": "x" * 301}), 422)
    page = check_page(alice_client.post(path, {"title": "<b>猫</b>"}, follow=True))
    assert "Chat renamed." in page
    assert "<b>猫" not in page
    address = undo_in(page, "/memory/undo/")
    for _ in range(2):
        assert "Undone." in check_page(alice_client.post(address, follow=True))
        conversation.refresh_from_db()
        assert conversation.title == "About bread"
    page = check_page(alice_client.post(path, {"title": "About bread"}, follow=True))
    assert "/memory/undo/" not in page


def test_agent_page_reports_unchanged_forms_and_expired_undo(as_alice, alice_client):
    agent = default_agent(as_alice.id)
    same = {"name": "Palace", "recall_memory": "on", "mine": "on"}
    page = check_page(alice_client.post(f"/chat/agents/{agent.id}/", same, follow=True))
    assert "Nothing was changed." in page
    assert "/memory/undo/" not in page
    edit = edit_agent(agent, {"name": "Poet"}, NOW)
    edit_agent(agent, {"name": "Friend"}, NOW)
    page = check_page(alice_client.post(reverse("memory:undo", args=[edit.id]), follow=True))
    assert "changed again later" in page
    agent.refresh_from_db()
    assert agent.name == "Friend"
