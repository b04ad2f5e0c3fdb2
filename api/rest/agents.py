"""Agents: whom a person chats with."""

from typing import Any
from uuid import UUID

from django.utils import timezone
from ninja import Router, Status

from accounts.http import BearerRequest
from api.auth import CHAT
from api.problems import Refused
from api.rest import chats as told
from api.rest.values import Made
from chat import agents as domain
from chat.agents import AgentNeeded, NoSuchAgent
from chat.edits import edit_agent

router = Router(tags=["Agents"])


@router.get("agents", response=list[told.Agent], summary="Agents")
def agents(request: BearerRequest) -> Any:
    """All of them, the default one first."""
    domain.default_agent(request.user.id)
    return domain.agents_of(request.user.id)


@router.post("agents", response={201: Made}, auth=CHAT, summary="Make an agent")
def new_agent(request: BearerRequest, new: told.NewAgent) -> Any:
    """A name, instructions, a model, and what memory may do."""
    return Status(201, domain.new_agent(request.user.id, new.model_dump()))


@router.get("agents/{uuid:agent_id}", response=told.Agent, summary="One agent")
def agent(request: BearerRequest, agent_id: UUID) -> Any:
    """One of them."""
    return domain.found_agent(request.user.id, agent_id)


@router.patch("agents/{uuid:agent_id}", response=told.ChatEdited, auth=CHAT, summary="Change an agent")
def change_agent(request: BearerRequest, agent_id: UUID, change: told.AgentChange) -> Any:
    """It holds from the next message on."""
    values = {name: value for name, value in change.model_dump().items() if value is not None}
    found = domain.found_agent(request.user.id, agent_id)
    edit = edit_agent(found, values, timezone.now())
    return {"id": agent_id, "edits": [edit.batch_id] if edit else []}


@router.delete("agents/{uuid:agent_id}", response=Made, auth=CHAT, summary="Delete an agent")
def delete_agent(request: BearerRequest, agent_id: UUID) -> Any:
    """Its chats stay, and the default agent answers in them. For 30 days it can be restored."""
    found = domain.found_agent(request.user.id, agent_id)
    try:
        domain.remove_agent(found, timezone.now())
    except AgentNeeded as error:
        sentence = "This is the default agent. Make another the default first."
        raise Refused(409, sentence) from error
    return {"id": agent_id}


@router.post("agents/{uuid:agent_id}/restore", response=Made, auth=CHAT, summary="Bring an agent back")
def restore_agent(request: BearerRequest, agent_id: UUID) -> Any:
    """Take its deletion back: it answers in its chats again."""
    if not domain.bring_agent_back(request.user.id, agent_id):
        raise NoSuchAgent
    return {"id": agent_id}


@router.post("agents/{uuid:agent_id}/default", response=Made, auth=CHAT, summary="Make it the default")
def make_agent_default(request: BearerRequest, agent_id: UUID) -> Any:
    """Let an agent answer in new chats."""
    found = domain.found_agent(request.user.id, agent_id)
    domain.make_default(found)
    return found
