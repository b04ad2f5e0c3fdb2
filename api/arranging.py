"""Several changes of one thing as one request asks for them."""

from datetime import datetime
from uuid import UUID

from django.db import transaction

from api.schemas.chats import ChatChange
from api.schemas.graph import EntityChange
from api.schemas.palace import DrawerChange, WingChange
from chat.conversations import switch
from chat.models import Agent, Conversation
from chat.titles import rename as retitle
from memory.arranging.marking import annotate, mark
from memory.arranging.naming import rekind, rename
from memory.arranging.places import Target
from memory.graph import editing
from memory.models import Drawer, PalaceEdit


def change_drawer(drawer: Drawer, change: DrawerChange, now: datetime) -> list[UUID]:
    """Mark a drawer as asked; returns what takes each change back. Raises NothingThere for one in
    the trash."""
    user_id = drawer.user_id
    made: list[PalaceEdit | None] = []
    with transaction.atomic():
        if change.annotation is not None and change.annotation != drawer.annotation:
            made.append(annotate(user_id, drawer.id, change.annotation, "", now))
        for field, on in (("pinned", change.pinned), ("sensitive", change.sensitive)):
            if on is not None:
                made.append(mark(user_id, [drawer.id], field, on=on, now=now).edit)
    return [edit.batch_id for edit in made if edit is not None]


def change_wing(user_id: UUID, wing_id: UUID, change: WingChange, now: datetime) -> list[UUID]:
    """Name a wing and say its kind as asked; returns what takes each change back. Raises
    NothingThere and ArrangingRefused, and changes nothing then."""
    target, made = Target("wing", wing_id), []
    with transaction.atomic():
        if change.name is not None:
            made.append(rename(user_id, target, change.name, now))
        if change.kind is not None:
            made.append(rekind(user_id, target, change.kind, now))
    return [edit.batch_id for edit in made]


def change_entity(
    user_id: UUID, entity_id: UUID, change: EntityChange, now: datetime
) -> list[UUID]:
    """Name an entity, say its type and note details as asked; returns what takes each change back.
    Raises NoSuchEntity and EditRefused, and changes nothing then."""
    made = []
    with transaction.atomic():
        if change.name is not None:
            made.append(editing.rename(user_id, entity_id, change.name, now))
        if change.type is not None:
            made.append(editing.retype(user_id, entity_id, change.type, now))
        for detail in (change.details or {}).items():
            made.append(editing.set_detail(user_id, entity_id, detail, now))
    return [edit.id for edit in made]


def change_chat(
    conversation: Conversation, agent: Agent | None, change: ChatChange, now: datetime
) -> list[UUID]:
    """Set the title, the agent and the switches of a chat as asked; returns what takes the title
    back."""
    with transaction.atomic():
        edit = None if change.title is None else retitle(conversation, change.title, now)
        given = {"use_memory": change.use_memory, "learn": change.learn}
        kept = {name: getattr(conversation, name) for name in given}
        told = {name: value for name, value in given.items() if value is not None}
        switch(conversation, {"agent": agent, **kept, **told})
    return [edit.id] if edit else []
