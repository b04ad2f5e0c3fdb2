"""Undo: one operation for every change whose id a response names."""

from typing import Any
from uuid import UUID

from django.utils import timezone
from ninja import Router, Schema

from accounts.http import BearerRequest
from api.auth import WRITE, admit
from memory.models import ChangeSet
from memory.pages.undo import undo_change

router = Router(tags=["Undo"])


class Undone(Schema):
    """The undo. It is `partial` if something stays because it was changed again later, and can itself be
    undone by the `undo_id`, if there is one."""

    partial: bool
    undo_id: UUID | None


@router.post("undo/{uuid:change_id}", response=Undone, auth=WRITE)
def undo(request: BearerRequest, change_id: UUID) -> Any:
    """Undo a change, decision, deletion or correction by its id.

    Undoing it again changes nothing. For agents and the titles of conversations, the token also needs the
    scope `chat`."""
    edits = ChangeSet.objects.filter(user_id=request.user.id, batch_id=change_id, area=ChangeSet.Area.CHAT)
    if edits.exists():
        admit(request, "chat")
    return undo_change(request.user.id, change_id, timezone.now())
