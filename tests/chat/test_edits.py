"""Titles and agents that were changed, and how that is taken back."""

from datetime import timedelta

import pytest

from accounts.models import User
from accounts.tenancy import tenant
from chat.agents import default_agent, remove_agent
from chat.conversations import NewMessage, append
from chat.edits import edit_agent, rename_chat, undo
from chat.incognito import erase, open_incognito
from chat.models import Conversation
from chat.retention import empty_old_chats
from memory.changes.log import ChangedSince, NoSuchChange, expire
from memory.forgetting.requests import forget_now
from memory.forgetting.scopes import ForgetRequest
from memory.models import ChangeSet, RowChange
from memory.preferences import change_preferences
from tests.chat.conftest import NOW
from tests.chat.remembering import mined

LATER = NOW + timedelta(hours=1)


@pytest.fixture
def renamed(conversation: Conversation) -> ChangeSet:
    rename_chat(conversation, "猫 и хлеб", NOW)
    edit = rename_chat(conversation, "Bread", NOW)
    assert edit is not None
    return edit


def title_of(edit: ChangeSet) -> str:
    return Conversation.objects.get(id=edit.subject_id).title


def test_a_title_comes_back_once_and_for_all(renamed: ChangeSet) -> None:
    assert title_of(renamed) == "Bread"
    undo(renamed.user_id, renamed.id, LATER)
    assert title_of(renamed) == "猫 и хлеб"
    again = undo(renamed.user_id, renamed.id, LATER + timedelta(hours=1))
    assert (again.undone_at, title_of(renamed)) == (LATER, "猫 и хлеб")


def test_what_was_changed_again_stays(renamed: ChangeSet, conversation: Conversation) -> None:
    rename_chat(conversation, "Rye", LATER)
    with pytest.raises(ChangedSince):
        undo(renamed.user_id, renamed.id, LATER)
    assert title_of(renamed) == "Rye"
    renamed.refresh_from_db()
    assert renamed.undone_at is None


def test_the_same_title_is_no_change(conversation: Conversation) -> None:
    assert rename_chat(conversation, "Bread", NOW) is not None
    assert rename_chat(conversation, "Bread", LATER) is None
    assert ChangeSet.objects.count() == 1


def test_of_an_agent_only_what_differs_comes_back(as_alice: User) -> None:
    agent = default_agent(as_alice.id)
    edit = edit_agent(agent, {"name": "Poet", "mine": False, "model": agent.model}, NOW)
    assert edit is not None
    row = RowChange.objects.get()
    assert (row.before, row.after) == ({"name": "Palace", "mine": True}, {"name": "Poet", "mine": False})
    edit_agent(agent, {"instructions": "Rhyme."}, NOW)
    undo(as_alice.id, edit.id, LATER)
    agent.refresh_from_db()
    assert (agent.name, agent.mine, agent.instructions) == ("Palace", True, "Rhyme.")


def test_of_a_deleted_agent_nothing_comes_back(as_alice: User) -> None:
    default_agent(as_alice.id)
    agent = default_agent(as_alice.id)
    agent.pk, agent.is_default, agent.name = None, False, "Poet"
    agent.save(force_insert=True)
    edit = edit_agent(agent, {"name": "Dichter"}, NOW)
    assert edit is not None
    remove_agent(agent, NOW)
    with pytest.raises(NoSuchChange):
        undo(as_alice.id, edit.id, LATER)


def test_nobody_elses_change_is_taken_back(renamed: ChangeSet, bob: User) -> None:
    for user_id in (bob.id, renamed.user_id):
        with tenant(bob.id), pytest.raises(NoSuchChange):
            undo(user_id, renamed.id, LATER)
    assert title_of(renamed) == "Bread"


def test_after_thirty_days_it_cannot_be_undone(renamed: ChangeSet) -> None:
    expire(renamed.user_id, NOW + timedelta(days=30, seconds=1))
    assert not RowChange.objects.exists()
    with pytest.raises(NoSuchChange):
        undo(renamed.user_id, renamed.id, LATER)


def test_what_an_incognito_chat_was_called_goes_with_it(as_alice: User) -> None:
    chat = open_incognito(as_alice.id, None, "session", NOW)
    rename_chat(chat, "Secret", NOW)
    erase(chat)
    assert not ChangeSet.objects.exists()


def test_what_an_expired_chat_was_called_goes_with_it(renamed: ChangeSet) -> None:
    change_preferences(renamed.user_id, {"retention_days": 7}, NOW)
    empty_old_chats(renamed.user_id, NOW + timedelta(days=8))
    assert not ChangeSet.objects.exists()


@pytest.mark.usefixtures("embedder")
def test_forgotten_words_leave_the_changes_too(conversation: Conversation) -> None:
    user_id = conversation.user_id
    append(conversation, NewMessage("user", "Kittiwakes nest on the cliff."), NOW)
    mined(conversation)
    rename_chat(conversation, "Kittiwakes", NOW)
    agent = default_agent(user_id)
    edit_agent(agent, {"instructions": "Speak of kittiwakes."}, NOW)
    edit_agent(agent, {"instructions": "Be brief."}, NOW)
    edit_agent(agent, {"name": "Friend"}, NOW)
    forget_now(user_id, ForgetRequest("source", conversation.id), LATER)
    assert [each.after for each in RowChange.objects.all()] == [{"name": "Friend"}]
