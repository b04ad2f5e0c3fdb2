"""The data of the chat pages, as plain values for the templates."""

from datetime import datetime
from itertools import groupby
from operator import itemgetter
from typing import Any
from uuid import UUID

from django.core.paginator import Page, Paginator
from django.db.models import F
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from accounts.http import SignedInRequest
from accounts.sessions import session_id
from chat.agents import agent_of, agents_of, default_agent, model_of
from chat.conversations import find
from chat.endpoints import models_for
from chat.incognito import mark_shown
from chat.mining.status import mining_status_of
from chat.models import MEMORY_ONLY, Agent, Conversation, Message
from chat.pages.forms import MessageForm, SwitchesForm
from chat.pages.threads import Thread, thread
from chat.projects import projects_of, wing_of
from chat.replies.compaction import history
from chat.replies.generation import recall_allowed, shares_of
from chat.replies.jobs import pending, settle_interrupted
from chat.search import excerpts, search_chats
from llm import current
from memory.pages.requests import parse_uuid
from memory.preferences import preferences_of
from memory.usage.budgets import budget_of

MAX_MODELS = 20


def known_models(user_id: UUID, chosen: str = "") -> tuple[str, ...]:
    """Models to choose from: the endpoint's, or those of the user's agents and chats if it lists none; and
    the one already `chosen`."""
    agents = Agent.objects.filter(user_id=user_id).exclude(model="")
    chats = Conversation.objects.filter(user_id=user_id).exclude(model="")
    names = list(models_for(user_id)) or [
        *agents.order_by("model").values_list("model", flat=True).distinct()[:MAX_MODELS],
        *chats.order_by("model").values_list("model", flat=True).distinct()[:MAX_MODELS],
    ]
    return tuple(dict.fromkeys(name for name in (*names, chosen) if name and name != MEMORY_ONLY))


CHATS_PER_PAGE = 30
LAST_WEEK = 7


def conversation_or_404(request: SignedInRequest, conversation_id: UUID) -> Conversation:
    """The user's conversation; an incognito one only if this session opened it, and it counts as seen now."""
    found = find(request.user.id, conversation_id, session_of(request))
    if found.incognito:
        mark_shown(found, timezone.now())
    return found


def session_of(request: SignedInRequest) -> str:
    """The id of a request's session."""
    return session_id(request.session.session_key or "")


def chat_list(request: SignedInRequest) -> dict[str, Any]:
    """The list of conversations beside every chat page, with the search and page in the URL."""
    wanted = request.GET.get("q", "").strip()[:200]
    user_id = request.user.id
    found = search_chats(user_id, wanted).only("user_id", "id", "title", "last_message_at", "pinned_at")
    pinned_first = found.order_by(F("pinned_at").desc(nulls_last=True), "-last_message_at", "-id")
    page: Page[Conversation] = Paginator(pinned_first, CHATS_PER_PAGE).get_page(request.GET.get("page"))
    lines = excerpts(user_id, list(page.object_list), wanted)
    dated = [(_date_heading(each), each, lines.get(each.id, "")) for each in page.object_list]
    groups = [(name, list(chats)) for name, chats in groupby(dated, key=itemgetter(0))]
    return {"page": page, "chat_groups": groups, "q": wanted}


def _date_heading(conversation: Conversation) -> str:
    """The heading of a chat in the list."""
    if conversation.pinned_at:
        return _("Pinned")
    day, today = timezone.localdate(conversation.last_message_at), timezone.localdate()
    days = (today - day).days
    if days <= 1:
        return _("Yesterday") if days == 1 else _("Today")
    if days <= LAST_WEEK:
        return _("Last week")
    return date_format(day, "F" if day.year == today.year else "F Y")


def new_chat_page(request: SignedInRequest, form: MessageForm) -> dict[str, Any]:
    """The page that starts a chat."""
    user_id = request.user.id
    agent = requested_agent(request)
    incognito = "1" in (request.GET.get("incognito"), request.POST.get("incognito"))
    project = request.POST.get("project") or request.GET.get("project", "")
    initial = {
        "agent": agent.id,
        "recall_memory": True,
        "mine": True,
        "incognito": incognito,
        "project": project,
    }
    return {
        **chat_list(request),
        "form": form,
        "switches": SwitchesForm(user_id, initial=initial),
        "agent": agent,
        "several_agents": agents_of(user_id).count() > 1,
        "memory_is_off": not preferences_of(user_id).enabled,
        **model_picker(user_id, agent, request.POST.get("model", "")),
        "incognito": incognito,
        "projects": [] if incognito else projects_of(user_id),
        "notes": notes_of(agent, agent.model, timezone.now(), incognito=incognito),
    }


def requested_agent(request: SignedInRequest) -> Agent:
    """The agent in the URL, or the default one."""
    wanted = parse_uuid(request.GET.get("agent"))
    chosen = agents_of(request.user.id).filter(id=wanted).first() if wanted else None
    return chosen or default_agent(request.user.id)


def conversation_page(
    request: SignedInRequest, conversation: Conversation, form: MessageForm, now: datetime
) -> dict[str, Any]:
    """The page of one chat, at its end or before the message in the URL."""
    settle_interrupted(conversation, now)
    generation = pending(conversation)
    conversation.refresh_from_db()
    before = _parse_number(request.GET.get("before"))
    end = generation.parent_sequence if generation else conversation.head_sequence
    agent, preferences = agent_of(conversation), preferences_of(conversation.user_id)
    messages = thread(conversation, before if before else end)
    model, incognito = model_of(conversation, agent), conversation.incognito
    chosen = {name: getattr(conversation, name) for name in ("recall_memory", "mine", "project")}
    switches = SwitchesForm(conversation.user_id, initial=chosen | {"agent": agent.id})
    return {
        **chat_list(request),
        "conversation": conversation,
        "agent": agent,
        "thread": messages,
        "generation": None if before else generation,
        "unanswered": None if before or generation else _unanswered(messages),
        "at_end": not before,
        "incognito": incognito,
        **model_picker(conversation.user_id, agent, conversation.model),
        "remembered": mining_status_of(conversation, now),
        "switches": switches,
        "memory_is_off": not preferences.enabled,
        "searches": recall_allowed(preferences, agent, conversation),
        "projects": [] if incognito else projects_of(conversation.user_id),
        "project_wing": wing_of(conversation),
        "form": form,
        "seen": end,
        **_earlier(conversation, agent, messages),
        "notes": notes_of(agent, model, now, incognito=incognito, chat_recalls=conversation.recall_memory),
    }


def model_picker(user_id: UUID, agent: Agent, chosen: str) -> dict[str, Any]:
    """The models of the composer: the usual one of the agent, and the others."""
    connected = current.has_chat()
    usual = agent.model or (current.configuration().chat_model if connected else "")
    others = [name for name in known_models(user_id, chosen) if name != usual]
    return {"connected": connected, "usual": usual, "models": others, "chosen": chosen}


def notes_of(
    agent: Agent, model: str, now: datetime, *, incognito: bool, chat_recalls: bool = True
) -> list[str]:
    """Notices for the composer: that memory is off, and what happens because the budget is spent."""
    notes = budget_notes(agent.user_id, model, now)
    if incognito:
        return notes
    if not preferences_of(agent.user_id).enabled:
        return [_("Memory is off in your settings."), *notes]
    if not agent.recall_memory:
        return [_("This agent does not use memory."), *notes]
    return notes if chat_recalls else [_("This chat does not use memory."), *notes]


def budget_notes(user_id: UUID, model: str, now: datetime) -> list[str]:
    """What a spent budget means for replies and for memory, and until when."""
    budget = budget_of(preferences_of(user_id), now)
    if not current.has_chat() or not budget.is_spent:
        return []
    if budget.stops_chat and not current.is_free(model):
        words = _(
            "This month’s budget of %(limit)s USD is spent, so Palace replies by quoting what you said "
            "before, word for word, until %(day)s."
        )
    else:
        words = _(
            "This month’s budget of %(limit)s USD is spent. Until %(day)s, chats are saved to memory "
            "without a model."
        )
    return [words % {"limit": f"{budget.limit:,.2f}", "day": date_format(budget.month.end, "j F")}]


def _earlier(conversation: Conversation, agent: Agent, messages: Thread) -> dict[str, Any]:
    """What the model gets in place of the beginning, and the message after which the page says so."""
    if not messages.sequences:
        return {}
    most = shares_of(conversation, agent, preferences_of(conversation.user_id)).history
    past = history(conversation, conversation.head_sequence, most)
    above = [each.message.sequence for each in messages.shown if each.message.sequence <= past.through]
    return {"earlier": past.state, "earlier_at": max(above, default=None)}


def _unanswered(messages: Thread) -> int | None:
    last = messages.shown[-1].message if messages.shown else None
    return last.sequence if last and last.role == Message.Role.USER else None


def _parse_number(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 10 else None
