"""Renaming chats and changing agents, and undoing it."""

import re
from datetime import timedelta

import pytest
from django.urls import reverse

from accounts.owned import NotFound
from accounts.tenancy import tenant
from chat.agents import default_agent, remove_agent
from chat.conversations import NewMessage, append
from chat.edits import edit_agent, rename_chat, undo
from chat.incognito import erase, open_incognito
from chat.models import Agent
from chat.retention import empty_old_chats
from memory.changes.log import expire
from memory.forgetting.requests import forget_now
from memory.forgetting.scopes import ForgetRequest
from memory.models import ChangeSet, RowChange
from memory.preferences import change_preferences
from tests.chat.conftest import NOW
from tests.chat.replying import mine_chat
from tests.html import check_page

LATER = NOW + timedelta(hours=1)
BEFORE = "猫 и хлеб"


@pytest.fixture
def renamed(conversation):
    """The change of a title from 猫 и хлеб to Bread."""
    rename_chat(conversation, BEFORE, NOW)
    edit = rename_chat(conversation, "Bread", NOW)
    assert rename_chat(conversation, "Bread", NOW) is None
    return edit


def undo_in(html):
    (address,) = re.findall(r'action="(/memory/undo/[^"]+)"', html)
    return address


def test_undoing_a_rename_twice_has_no_further_effect(renamed, conversation):
    undo(renamed.user_id, renamed.id, LATER)
    again = undo(renamed.user_id, renamed.id, LATER + timedelta(hours=1))
    conversation.refresh_from_db()
    assert (again.undone_at, conversation.title) == (LATER, BEFORE)


def test_undo_restores_only_the_changed_fields_of_an_agent(as_alice):
    agent = default_agent(as_alice.id)
    edit = edit_agent(agent, {"name": "Poet", "mine": False, "model": agent.model}, NOW)
    row = RowChange.objects.get()
    assert (row.before, row.after) == ({"name": "Palace", "mine": True}, {"name": "Poet", "mine": False})
    edit_agent(agent, {"instructions": "Rhyme."}, NOW)
    undo(as_alice.id, edit.id, LATER)
    agent.refresh_from_db()
    assert (agent.name, agent.mine, agent.instructions) == ("Palace", True, "Rhyme.")


def test_undo_is_refused_to_others_for_deleted_agents_and_after_thirty_days(renamed, bob):
    user_id = renamed.user_id
    for owner in (bob.id, user_id):
        with tenant(bob.id), pytest.raises(NotFound):
            undo(owner, renamed.id, LATER)
    poet = Agent.objects.create(user_id=user_id, name="Poet")
    edit = edit_agent(poet, {"name": "Dichter"}, NOW)
    remove_agent(poet, NOW)
    with pytest.raises(NotFound):
        undo(user_id, edit.id, LATER)
    expire(user_id, NOW + timedelta(days=30, seconds=1))
    assert not RowChange.objects.exists()
    with pytest.raises(NotFound):
        undo(user_id, renamed.id, LATER)


def test_change_log_drops_titles_of_erased_and_expired_chats(renamed):
    chat = open_incognito(renamed.user_id, None, "session", NOW)
    rename_chat(chat, "Secret", NOW)
    erase(chat)
    assert not ChangeSet.objects.filter(subject_id=chat.id).exists()
    change_preferences(renamed.user_id, {"retention_days": 7}, NOW)
    empty_old_chats(renamed.user_id, NOW + timedelta(days=8))
    assert not ChangeSet.objects.exists()


def test_change_log_drops_forgotten_words(conversation, embedder):
    user_id = conversation.user_id
    append(conversation, NewMessage("user", "Kittiwakes nest on the cliff."), NOW)
    mine_chat(conversation)
    rename_chat(conversation, "Kittiwakes", NOW)
    agent = default_agent(user_id)
    for changes in (
        {"instructions": "Speak of kittiwakes."},
        {"instructions": "Be brief."},
        {"name": "Friend"},
    ):
        edit_agent(agent, changes, NOW)
    forget_now(user_id, ForgetRequest("source", conversation.id), LATER)
    assert [each.after for each in RowChange.objects.all()] == [{"name": "Friend"}]


def test_rename_can_be_undone_from_its_toast(conversation, alice_client):
    append(conversation, NewMessage("user", "About bread"), NOW)
    path = f"/chat/{conversation.id}/rename/"
    assert 'value="About bread"' in check_page(alice_client.get(path))
    assert "most 300 characters" in check_page(alice_client.post(path, {"title": "x" * 301}), 422)
    page = check_page(alice_client.post(path, {"title": "<b>猫</b>"}, follow=True))
    assert "Chat renamed." in page
    assert "<b>猫" not in page
    address = undo_in(page)
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
