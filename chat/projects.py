"""The project of a chat: the wing in which its messages are filed and whose drawers recall prefers."""

from contextlib import suppress
from datetime import datetime
from uuid import UUID

from django.db import transaction

from chat.models import Conversation
from memory.changes.log import ChangeRefused
from memory.mining.transcripts import CONVERSATION
from memory.models import ChangeSet, Room, Wing
from memory.organize.arranging import move
from memory.organize.places import Target
from memory.placement import find_wing, lock_palace, wing_for
from memory.text.sanitizing import storable

MAX_PROJECT_LENGTH = 200
MAX_SUGGESTIONS = 50


def wing_of(conversation: Conversation) -> Wing | None:
    """The wing of the chat's project; None without a project, or before anything is filed there."""
    return find_wing(conversation.user_id, conversation.project) if conversation.project else None


def projects_of(user_id: UUID) -> tuple[str, ...]:
    """The names of projects to choose from: wings, and those of chats that are not filed yet."""
    wings = Wing.objects.filter(user_id=user_id, kind=Wing.Kind.PROJECT, merged_into_id=None)
    chats = Conversation.objects.filter(user_id=user_id, deleted_at=None).exclude(project="")
    names = [
        *chats.order_by("project").values_list("project", flat=True).distinct()[:MAX_SUGGESTIONS],
        *wings.order_by("name").values_list("name", flat=True)[:MAX_SUGGESTIONS],
    ]
    return tuple(sorted({name.casefold(): name for name in names}.values(), key=str.casefold))


def resolve_project(user_id: UUID, typed: str) -> str:
    """The typed name on one line, or the current name of the wing it refers to."""
    name = " ".join(storable(typed).text.split())[:MAX_PROJECT_LENGTH]
    wing = find_wing(user_id, name) if name else None
    return wing.name if wing else name


def change_project(conversation: Conversation, typed: str, now: datetime) -> ChangeSet | None:
    """Give a chat another project, or none if the name is empty.

    Its room moves to the wing of the new one, so that the whole chat belongs there; returns that change, None
    if nothing was filed yet, or if the room holds other chats too.
    """
    if " ".join(typed.split()) == conversation.project:
        return None  # although its wing may have another name by now
    name = resolve_project(conversation.user_id, typed)
    if name == conversation.project:
        return None
    with transaction.atomic():
        # As in forgetting, the chat is locked before the palace.
        Conversation.objects.select_for_update().get(user_id=conversation.user_id, id=conversation.id)
        palace = lock_palace(conversation.user_id)
        conversation.project = name
        conversation.save(update_fields=("project",))
        room = _room_of(conversation) if name else None
        if room is None:
            return None
        wing = wing_for(palace, Wing.Kind.PROJECT, name)
        if room.wing_id != wing.id:
            with suppress(ChangeRefused), transaction.atomic():
                return move(room.user_id, Target("room", room.id), wing.id, now)
    return None


def _room_of(conversation: Conversation) -> Room | None:
    """The room of this chat alone."""
    rooms = Room.objects.filter(
        user_id=conversation.user_id, source_kind=CONVERSATION, source_id=conversation.id, merged_into_id=None
    )
    return rooms.first() if rooms.count() == 1 else None
