"""Changes of titles and agents, which their owner can take back for 30 days."""

import json
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from chat.models import Agent, Conversation, Edit
from memory.forgetting.words import Words

KEPT = timedelta(days=30)


class NoSuchEdit(Exception):
    """This person made no such change, or what it concerned is gone."""


class ChangedSince(Exception):
    """What was changed is another by now, so the change cannot be taken back; `edit` is the
    change."""

    def __init__(self, edit: Edit) -> None:
        super().__init__(f"edit {edit.id}")
        self.edit = edit


def rename_chat(conversation: Conversation, title: str, now: datetime) -> Edit | None:
    """Give a chat this title; the change can be taken back. None when it had it already."""
    edit = Edit(user_id=conversation.user_id, conversation_id=conversation.id, at=now)
    made = _apply(edit, {"title": title})
    conversation.title = title
    return made


def edit_agent(agent: Agent, values: Mapping[str, Any], now: datetime) -> Edit | None:
    """Set these values of an agent; the change can be taken back. None when nothing differed."""
    return _apply(Edit(user_id=agent.user_id, agent_id=agent.id, at=now), values)


def take_back(user_id: UUID, edit_id: UUID, now: datetime) -> Edit:
    """Put back what stood there before a change; once it is back, asking again changes nothing.

    Raises NoSuchEdit, and ChangedSince when what stands there is no longer what the change made.
    """
    with transaction.atomic():
        edit = Edit.objects.select_for_update().filter(user_id=user_id, id=edit_id).first()
        if edit is None:
            raise NoSuchEdit
        present = _present(edit)
        if edit.undone_at is None:
            if any(present[name] != value for name, value in edit.after.items()):
                raise ChangedSince(edit)
            _changed(edit).update(**edit.before)
            edit.undone_at = now
            edit.save(update_fields=("undone_at",))
    return edit


def forget_edits(user_id: UUID, words: Words) -> int:
    """Remove the changes that say any of these words; returns how many."""
    kept = Edit.objects.filter(user_id=user_id)
    told = [each.id for each in kept if words.are_in(_told(each))]
    removed, _ = kept.filter(id__in=told).delete()
    return removed


def forget_edits_of(conversation: Conversation) -> None:
    """Remove what a chat was called before."""
    Edit.objects.filter(user_id=conversation.user_id, conversation_id=conversation.id).delete()


def drop_old_edits(user_id: UUID, now: datetime) -> None:
    """Remove the changes that are older than 30 days."""
    Edit.objects.filter(user_id=user_id, at__lt=now - KEPT).delete()


def _apply(edit: Edit, values: Mapping[str, Any]) -> Edit | None:
    with transaction.atomic():
        present = _present(edit)
        after = {name: value for name, value in values.items() if present[name] != value}
        if not after:
            return None
        edit.before = {name: present[name] for name in after}
        edit.after = after
        _changed(edit).update(**after)
        edit.save(force_insert=True)
    return edit


def _present(edit: Edit) -> dict[str, Any]:
    """What stands there now, held until the transaction ends."""
    found = _changed(edit).select_for_update().values().first()
    if found is None:
        raise NoSuchEdit
    return found


def _changed(edit: Edit) -> QuerySet[Any]:
    """The row that the change concerns, as long as it was not deleted."""
    if edit.agent_id is not None:
        return Agent.objects.filter(user_id=edit.user_id, id=edit.agent_id, deleted_at=None)
    chats = Conversation.objects.filter(user_id=edit.user_id, deleted_at=None)
    return chats.filter(id=edit.conversation_id) if edit.conversation_id else chats.none()


def _told(edit: Edit) -> str:
    return json.dumps([edit.before, edit.after], ensure_ascii=False)
