"""The agent pages."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.db.models import Q, QuerySet
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.http import SignedInRequest
from accounts.page_changes import changed_fields
from chat.agents import AgentNeeded, agents_of, default_agent, found_agent, remove_agent, undelete_agent
from chat.agents import make_default as choose_default
from chat.agents import new_agent as create_agent
from chat.edits import edit_agent, last_edit
from chat.models import Agent, Conversation
from chat.pages.forms import AgentForm
from chat.pages.queries import zone_of
from memory.models import ActivityEvent, Room

CHATS_SHOWN = 8
ROOMS_SHOWN = 12
ENTRIES_SHOWN = 12


@dataclass(frozen=True, slots=True)
class Entry:
    """What was mined from one of its chats at once: how many messages and facts."""

    at: datetime
    chat_id: UUID
    title: str
    drawers: int
    facts: int
    taken_back: bool


@dataclass(frozen=True, slots=True)
class AgentHistory:
    """An agent's newest chats, rooms and diary entries, and how many chats and rooms there are in all."""

    chats: tuple[Conversation, ...]
    chat_count: int
    rooms: tuple[Room, ...]
    room_count: int
    diary: tuple[Entry, ...]


def history_of(agent: Agent) -> AgentHistory:
    """The history of an agent. Chats without an agent are those of the default one."""
    chats = _chats(agent)
    rooms = Room.objects.filter(
        user_id=agent.user_id,
        source_id__in=chats.order_by().values("id"),
        drawers_held__gt=0,
        merged_into_id=None,
    )
    return AgentHistory(
        chats=tuple(chats[:CHATS_SHOWN]),
        chat_count=chats.count(),
        rooms=tuple(rooms.select_related("wing").order_by("-started_at", "-id")[:ROOMS_SHOWN]),
        room_count=rooms.count(),
        diary=_diary(agent, chats),
    )


def _chats(agent: Agent) -> QuerySet[Conversation]:
    its = Q(agent_id=agent.id) | (Q(agent_id=None) if agent.is_default else Q())
    found = Conversation.objects.filter(its, user_id=agent.user_id, deleted_at=None, incognito=False)
    return found.order_by("-last_message_at", "-id")


def _diary(agent: Agent, chats: QuerySet[Conversation]) -> tuple[Entry, ...]:
    events = ActivityEvent.objects.filter(
        user_id=agent.user_id,
        kind=ActivityEvent.Kind.MINED,
        subject_id__in=chats.order_by().values("id"),
    )
    newest = [
        (each.subject_id, each) for each in events.order_by("-at", "-id")[:ENTRIES_SHOWN] if each.subject_id
    ]
    told = chats.filter(id__in={chat_id for chat_id, _ in newest})
    titles = dict(told.values_list("id", "title"))
    return tuple(_entry(event, chat_id, titles.get(chat_id, "")) for chat_id, event in newest)


def _entry(event: ActivityEvent, chat_id: UUID, title: str) -> Entry:
    details = event.details
    return Entry(
        at=event.at,
        chat_id=chat_id,
        title=title,
        drawers=len(details["drawers"]),
        facts=len(details["facts"]),
        taken_back=event.undone_at is not None,
    )


REFUSED = 422


@require_safe
def agents(request: SignedInRequest) -> HttpResponse:
    """All agents, the default one first."""
    default_agent(request.user.id)
    return render(request, "chat/agents.html", {"agents": agents_of(request.user.id)})


@require_http_methods(["GET", "HEAD", "POST"])
def new_agent(request: SignedInRequest) -> HttpResponse:
    """Create an agent."""
    form = AgentForm(request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        create_agent(request.user.id, form.cleaned_data)
        messages.success(request, _("Saved."))
        return redirect("chat:agents")
    return _form_page(request, form)


@require_http_methods(["GET", "HEAD", "POST"])
def agent(request: SignedInRequest, agent_id: UUID) -> HttpResponse:
    """Edit an agent, and list its chats and rooms."""
    found = found_agent(request.user.id, agent_id)
    form = AgentForm(request.POST if request.method == "POST" else None, instance=found)
    if form.is_bound and form.is_valid():
        edit = edit_agent(found, changed_fields(form), timezone.now())
        undo_url = reverse("memory:undo", args=[edit.batch_id]) if edit else ""
        words = _("Saved.") if edit else _("Nothing was changed.")
        messages.success(request, words, extra_tags=undo_url)
        return redirect("chat:agents")
    return _form_page(request, form, found)


@require_POST
def make_default(request: SignedInRequest, agent_id: UUID) -> HttpResponse:
    """Make an agent the default for new chats."""
    choose_default(found_agent(request.user.id, agent_id))
    return redirect("chat:agents")


@require_http_methods(["GET", "HEAD", "POST"])
def delete_agent(request: SignedInRequest, agent_id: UUID) -> HttpResponse:
    """Delete an agent, after a confirmation."""
    found = found_agent(request.user.id, agent_id)
    if request.method != "POST":
        return render(request, "chat/delete_agent.html", {"agent": found})
    try:
        remove_agent(found, timezone.now())
    except AgentNeeded:
        messages.error(request, _("This is the default agent. Make another one the default first."))
    else:
        words = _("Agent deleted. Its chats are still there.")
        undo_url = reverse("chat:restore_agent", args=[agent_id])
        messages.success(request, words, extra_tags=undo_url)
    return redirect("chat:agents")


@require_POST
def restore_agent(request: SignedInRequest, agent_id: UUID) -> HttpResponse:
    """Restore a deleted agent."""
    undelete_agent(request.user.id, agent_id)
    messages.success(request, _("Agent restored. It answers in its chats again."))
    return redirect("chat:agents")


def _form_page(request: SignedInRequest, form: AgentForm, agent: Agent | None = None) -> HttpResponse:
    context: dict[str, Any] = {"form": form, "agent": agent}
    if agent is not None:
        context |= {"history": history_of(agent), "zone": zone_of(agent.user_id)}
        context["edited"] = last_edit(agent)
    status = REFUSED if form.is_bound else 200
    return render(request, "chat/agent.html", context, status=status)
