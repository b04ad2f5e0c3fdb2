"""What a person wants forgotten, in their terms and in those of memory."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Q

from chat.models import Agent, Conversation
from memory.forgetting.scopes import NothingToForget, Scope
from memory.models import Drawer, Wing, WingName
from memory.names import slugify


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a person wants forgotten: one of `memory.forgetting.scopes.KINDS`, and which.

    A project is named by its wing's id or by its name. Of days, `since` counts and `until` does
    not. `with_chats`: the words go out of the chats too, not only out of memory.
    """

    kind: str
    object_id: UUID | None = None
    project: str = ""
    since: datetime | None = None
    until: datetime | None = None
    with_chats: bool = True


def scope_of(user_id: UUID, wanted: Wanted) -> Scope:
    """A wish in the terms of memory. Raises NothingToForget."""
    scope = Scope(wanted.kind, wanted.object_id, since=wanted.since, until=wanted.until)
    if wanted.kind == "project":
        return _project(user_id, wanted)
    if wanted.kind == "agent":
        return _agent(user_id, wanted.object_id)
    if wanted.kind == "source":
        return Scope("source", wanted.object_id, sources=(_chat(user_id, wanted.object_id),))
    return scope


def _project(user_id: UUID, wanted: Wanted) -> Scope:
    """The wing of a project, and the chats that say they belong to it."""
    wings = Wing.objects.filter(user_id=user_id, kind=Wing.Kind.PROJECT)
    named = WingName.objects.filter(user_id=user_id, slug=slugify(wanted.project or "-"))
    which = Q(id__in=named.values("wing_id")) if wanted.project else Q(id=wanted.object_id)
    wing = wings.filter(which).first()
    names = [wanted.project] if wanted.project else []
    if wing is not None:
        names += wing.names.values_list("name", flat=True)
    slugs = {slugify(name) for name in names}
    chats = Conversation.objects.filter(user_id=user_id).exclude(project="")
    said = [row for row, project in chats.values_list("id", "project") if slugify(project) in slugs]
    if wing is None and not said:
        raise NothingToForget
    wing_ids = (wing.id,) if wing else ()
    return Scope("project", wing.id if wing else None, sources=tuple(said), wings=wing_ids)


def _agent(user_id: UUID, agent_id: UUID | None) -> Scope:
    """What was said in chats with an agent, and the wing about it."""
    agent = agent_id and Agent.objects.filter(user_id=user_id, id=agent_id).first()
    if not agent:
        raise NothingToForget
    chats = Conversation.objects.filter(user_id=user_id, agent_id=agent.id)
    wings = Wing.objects.filter(user_id=user_id, kind=Wing.Kind.AGENT)
    named = WingName.objects.filter(user_id=user_id, slug=slugify(agent.name))
    return Scope(
        "agent",
        agent.id,
        sources=tuple(chats.values_list("id", flat=True)),
        wings=tuple(wings.filter(id__in=named.values("wing_id")).values_list("id", flat=True)),
    )


def _chat(user_id: UUID, conversation_id: UUID | None) -> UUID:
    if conversation_id is None:
        raise NothingToForget
    chats = Conversation.objects.filter(user_id=user_id, id=conversation_id)
    drawers = Drawer.objects.filter(user_id=user_id, source_id=conversation_id)
    if not (chats.exists() or drawers.exists()):
        raise NothingToForget
    return conversation_id
