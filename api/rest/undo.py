"""Undo: one operation for every change whose id a response names."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.utils import timezone
from ninja import Router, Schema

from accounts.http import BearerRequest
from api.auth import WRITE, admit
from memory.models import ChangeSet
from memory.pages.undo import undo_change

router = Router(tags=["Undo"])


class Undone(Schema):
    """What happened, in a sentence. `partial` if some of it stays because it was changed again later. Undo
    the undo itself with `undo_id`, if there is one."""

    message: str
    partial: bool
    undo_id: UUID | None

    @staticmethod
    def resolve_partial(undone: Any) -> bool:
        return bool(undone.level == messages.WARNING)


@router.post("undo/{uuid:change_id}", response=Undone, auth=WRITE)
def undo(request: BearerRequest, change_id: UUID) -> Any:
    """Undo a change, decision, deletion or correction by its id.

    Undoing it again changes nothing. For agents and the titles of conversations, the token also needs the
    scope `chat`."""
    edits = ChangeSet.objects.filter(user_id=request.user.id, batch_id=change_id, area=ChangeSet.Area.CHAT)
    if edits.exists():
        admit(request, "chat")
    return undo_change(request.user.id, change_id, timezone.now())
