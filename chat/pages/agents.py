"""The agent pages."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.forms import changed_fields
from accounts.http import SignedInRequest
from chat.agents import (
    DefaultAgentProtected,
    agents_of,
    create_agent,
    default_agent,
    get_agent,
    remove_agent,
    undelete_agent,
)
from chat.agents import make_default as choose_default
from chat.edits import edit_agent, last_edit
from chat.models import Agent
from chat.pages.forms import AgentForm
from chat.pages.queries import known_models
from memory.pages.requests import REFUSED, form_page, post_page, read_page, report


@read_page
def agents(request: SignedInRequest) -> HttpResponse:
    """All agents, the default one first."""
    default_agent(request.user.id)
    return render(request, "chat/agents.html", {"agents": agents_of(request.user.id)})


@form_page
def new_agent(request: SignedInRequest) -> HttpResponse:
    """Create an agent."""
    form = AgentForm(request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        create_agent(request.user.id, form.cleaned_data)
        messages.success(request, _("Saved."))
        return redirect("chat:agents")
    return _form_page(request, form)


@form_page
def agent(request: SignedInRequest, agent_id: UUID) -> HttpResponse:
    """Edit an agent."""
    found = get_agent(request.user.id, agent_id)
    form = AgentForm(request.POST if request.method == "POST" else None, instance=found)
    if form.is_bound and form.is_valid():
        edit = edit_agent(found, changed_fields(form), timezone.now())
        words = _("Saved.") if edit else _("Nothing was changed.")
        report(request, words, edit.batch_id if edit else None)
        return redirect("chat:agents")
    return _form_page(request, form, found)


@post_page
def make_default(request: SignedInRequest, agent_id: UUID) -> HttpResponse:
    """Make an agent the default for new chats."""
    choose_default(get_agent(request.user.id, agent_id))
    return redirect("chat:agents")


@form_page
def delete_agent(request: SignedInRequest, agent_id: UUID) -> HttpResponse:
    """Delete an agent, after a confirmation."""
    found = get_agent(request.user.id, agent_id)
    if request.method != "POST":
        return render(request, "chat/delete_agent.html", {"agent": found})
    try:
        remove_agent(found, timezone.now())
    except DefaultAgentProtected:
        messages.error(request, _("This is the default agent. Make another one the default first."))
    else:
        words = _("Agent deleted. Its chats are still there.")
        undo_url = reverse("chat:restore_agent", args=[agent_id])
        messages.success(request, words, extra_tags=undo_url)
    return redirect("chat:agents")


@post_page
def restore_agent(request: SignedInRequest, agent_id: UUID) -> HttpResponse:
    """Restore a deleted agent."""
    undelete_agent(request.user.id, agent_id)
    messages.success(request, _("Agent restored. It answers in its chats again."))
    return redirect("chat:agents")


def _form_page(request: SignedInRequest, form: AgentForm, agent: Agent | None = None) -> HttpResponse:
    context: dict[str, Any] = {"form": form, "agent": agent, "models": known_models(request.user.id)}
    if agent is not None:
        context |= {"edited": last_edit(agent)}
    status = REFUSED if form.is_bound else 200
    return render(request, "chat/agent.html", context, status=status)
