"""Changes of titles and agents, which their owner can undo for 30 days."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, cast
from uuid import UUID

from django.db import transaction

from accounts.owned import first_or_raise
from chat.models import Agent, Conversation
from memory.changes import log
from memory.changes.log import Area, Change, Recording
from memory.models import ChangeSet

Kind = ChangeSet.Kind
Editable = Agent | Conversation


def rename_chat(conversation: Conversation, title: str, now: datetime) -> ChangeSet | None:
    """Rename a chat. Returns None if the title is the same. Renaming an incognito chat is not recorded."""
    if conversation.incognito:
        Conversation.objects.filter(user_id=conversation.user_id, id=conversation.id).update(title=title)
        renamed = None
    else:
        renamed = _change(conversation, Kind.RENAMED, {"title": title}, now)
    conversation.title = title
    return renamed


def edit_agent(agent: Agent, values: Mapping[str, Any], now: datetime) -> ChangeSet | None:
    """Set these values of an agent. Returns None if nothing differs."""
    return _change(agent, Kind.EDITED, values, now)


def last_edit(row: Editable) -> ChangeSet | None:
    """The newest change of a chat or agent that is not undone."""
    changes = ChangeSet.objects.filter(user_id=row.user_id, area=Area.CHAT, subject_id=row.id, undone_at=None)
    return changes.order_by("-made_at", "-id").first()


def undo(user_id: UUID, edit_id: UUID, now: datetime) -> ChangeSet:
    """Undo a change. Undoing it again changes nothing.

    Raises NotFound, also if the chat or agent was deleted, and ChangedSince if the value has changed since.
    """
    edits = ChangeSet.objects.filter(user_id=user_id, area=Area.CHAT, batch_id=edit_id)
    with transaction.atomic():
        edit = first_or_raise(edits)
        model = Agent if edit.subject == "agent" else Conversation
        live = model._default_manager.filter(user_id=user_id, id=edit.subject_id, deleted_at=None)
        first_or_raise(live.select_for_update())
        if edit.undone_at is None:
            log.undo(user_id, log.undoable_in_batch(user_id, Area.CHAT, edit_id), now)
    return edit


def _change(
    row: Editable, kind: ChangeSet.Kind, values: Mapping[str, Any], now: datetime
) -> ChangeSet | None:
    with transaction.atomic():
        rows = type(row)._default_manager.filter(user_id=row.user_id, id=row.id, deleted_at=None)
        present = cast(Editable, first_or_raise(rows.select_for_update()))
        recording = Recording(row.user_id)
        recording.change([present], **values)
        if not recording.diffs:
            return None
        subject = row._meta.model_name or ""
        change = Change(kind.value, subject, row.id, tuple(recording.diffs))
        return log.record(row.user_id, Area.CHAT, change, now)
