"""Agents: personas to chat with."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from accounts.owned import NotFound, first_or_raise
from chat.models import Agent, Conversation
from memory.forgetting.tombstones import add_tombstone, remove_tombstones
from memory.models import Tombstone
from memory.text.digests import text_digest

DEFAULT_NAME = "Palace"
KEEP_DELETED_FOR = timedelta(days=30)


class DefaultAgentProtected(Exception):
    """The default agent cannot be deleted."""


def agents_of(user_id: UUID) -> QuerySet[Agent]:
    """The user's agents, the default one first, then by name."""
    agents = Agent.objects.filter(user_id=user_id, deleted_at=None)
    return agents.order_by("-is_default", "name", "id")


def get_agent(user_id: UUID, agent_id: UUID) -> Agent:
    """One of the user's agents. Raises NotFound."""
    return first_or_raise(agents_of(user_id).filter(id=agent_id))


def create_agent(user_id: UUID, values: Mapping[str, Any]) -> Agent:
    """Create an agent with this `name`, `instructions`, `model`, `recall_memory` and `mine`."""
    return Agent.objects.create(user_id=user_id, **values)


def default_agent(user_id: UUID) -> Agent:
    """The agent of chats that name none; created on first use."""
    return Agent.objects.get_or_create(user_id=user_id, is_default=True, defaults={"name": DEFAULT_NAME})[0]


def agent_of(conversation: Conversation) -> Agent:
    """The agent that answers in this conversation."""
    agent = conversation.agent if conversation.agent_id else None
    there = agent is not None and agent.deleted_at is None
    return agent if agent and there else default_agent(conversation.user_id)


def model_of(conversation: Conversation, agent: Agent) -> str:
    """The model of a conversation: its own or its agent's; empty for the default."""
    return conversation.model or agent.model


def make_default(agent: Agent) -> None:
    """Make this agent the default for new chats."""
    with transaction.atomic():
        Agent.objects.filter(user_id=agent.user_id, is_default=True).update(is_default=False)
        agent.is_default = True
        agent.save(update_fields=("is_default",))


def remove_agent(agent: Agent, now: datetime) -> None:
    """Delete an agent; its chats continue with the default one. Raises DefaultAgentProtected."""
    if agent.is_default:
        raise DefaultAgentProtected
    with transaction.atomic():
        Agent.objects.filter(user_id=agent.user_id, id=agent.id).update(deleted_at=now)
        add_tombstone(agent.user_id, Tombstone.Kind.AGENT, text_digest(str(agent.id)), agent.id)


def undelete_agent(user_id: UUID, agent_id: UUID) -> None:
    """Restore a deleted agent, which answers in its chats again. Raises NotFound."""
    agents = Agent.objects.filter(user_id=user_id, id=agent_id, deleted_at__isnull=False)
    with transaction.atomic():
        remove_tombstones(user_id, Tombstone.Kind.AGENT, agent_id)
        if not agents.update(deleted_at=None):
            raise NotFound


def erase_deleted_agents(user_id: UUID, now: datetime) -> None:
    """Erase agents deleted more than 30 days ago; their chats switch to the default agent."""
    expired = Agent.objects.filter(user_id=user_id, deleted_at__lt=now - KEEP_DELETED_FOR)
    for agent in expired:
        with transaction.atomic():
            chats = Conversation.objects.filter(user_id=user_id, agent_id=agent.id)
            chats.update(agent_id=default_agent(user_id).id)
            agent.delete()
