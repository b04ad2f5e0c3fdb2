"""Agents: whom a person chats with."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from chat.models import Agent, Conversation

DEFAULT_NAME = "Palace"


class NoSuchAgent(Exception):
    """This person has no such agent."""


class AgentNeeded(Exception):
    """The default agent cannot be deleted."""


def agents_of(user_id: UUID) -> QuerySet[Agent]:
    """The person's agents, the default one first, then by name."""
    return Agent.objects.filter(user_id=user_id).order_by("-is_default", "name", "id")


def found_agent(user_id: UUID, agent_id: UUID) -> Agent:
    """One of the person's agents. Raises NoSuchAgent."""
    found = Agent.objects.filter(user_id=user_id, id=agent_id).first()
    if found is None:
        raise NoSuchAgent
    return found


def new_agent(user_id: UUID, values: Mapping[str, Any]) -> Agent:
    """Make an agent with this `name`, `instructions`, `model`, `recall_memory` and `mine`."""
    return Agent.objects.create(user_id=user_id, **values)


def change_agent(agent: Agent, values: Mapping[str, Any]) -> Agent:
    """Set those of them that are given."""
    for name, value in values.items():
        setattr(agent, name, value)
    if values:
        agent.save(update_fields=tuple(values))
    return agent


def default_agent(user_id: UUID) -> Agent:
    """The agent of chats that name none; it is made at its first use."""
    return Agent.objects.get_or_create(
        user_id=user_id, is_default=True, defaults={"name": DEFAULT_NAME}
    )[0]


def agent_of(conversation: Conversation) -> Agent:
    """The agent that answers in this conversation."""
    agent = conversation.agent if conversation.agent_id else None
    return agent or default_agent(conversation.user_id)


def model_of(conversation: Conversation, agent: Agent) -> str:
    """The model that answers there: the chat's own or that of its agent; empty for the usual one."""
    return conversation.model or agent.model


def make_default(agent: Agent) -> None:
    """Let this agent answer in new chats."""
    with transaction.atomic():
        Agent.objects.filter(user_id=agent.user_id, is_default=True).update(is_default=False)
        agent.is_default = True
        agent.save(update_fields=("is_default",))


def remove_agent(agent: Agent) -> None:
    """Delete an agent; its chats go on with the default one. Raises AgentNeeded."""
    if agent.is_default:
        raise AgentNeeded
    with transaction.atomic():
        chats = Conversation.objects.filter(user_id=agent.user_id, agent_id=agent.id)
        chats.update(agent_id=default_agent(agent.user_id).id)
        Agent.objects.filter(user_id=agent.user_id, id=agent.id).delete()
