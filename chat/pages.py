"""What the chat pages show, as plain values for the templates."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.core.paginator import Page, Paginator
from django.http import Http404
from django.utils import timezone
from django.utils.safestring import SafeString

from accounts.http import SignedInRequest
from accounts.signing import session_id
from chat.agents import agent_of, agents_of, default_agent, model_of
from chat.branches import NoSuchMessage, Versions, branch, message_at, versions
from chat.citations import known_pointers
from chat.conversations import ConversationGone, conversations_of, find
from chat.expenses import known_models, spent_in
from chat.forms import MessageForm, SwitchesForm
from chat.generations import pending, settle_interrupted
from chat.incognito import seen
from chat.models import MEMORY_ONLY, Agent, Conversation, Message
from chat.remembered import remembered_of
from chat.rendering import Known, markdown, plain, quotations
from chat.sources import Source, sources_of
from chat.tools import arguments_of
from llm import current
from llm.errors import NoEndpoint
from memory.preferences import preferences_of
from memory.recall.settings import settings_from
from memory.spending import budget_of

MESSAGES_SHOWN = 60
CHATS_SHOWN = 30
LONGEST_SHOWN = 20_000
LONGEST_SOUGHT = 300

NO_MODEL = (
    "No language model is connected. Replies are made of what you said before, word for word."
)

NO_MODEL_INCOGNITO = "No language model is connected, so nobody can reply in an incognito chat."


@dataclass(frozen=True, slots=True)
class Shown:
    """A message on the page. `cut` says that it goes on on a page of its own; `asked` is the
    sequence of the message that a reply answers, `sought` what a model looked for in memory."""

    message: Message
    html: SafeString
    cut: bool = False
    versions: Versions | None = None
    sources: tuple[Source, ...] = ()
    from_memory: bool = False
    asked: int | None = None
    sought: str = ""


@dataclass(frozen=True, slots=True)
class Thread:
    """The messages of a branch that fit on a page, and the sequence to read on before."""

    shown: tuple[Shown, ...]
    earlier: int | None


def conversation_or_404(request: SignedInRequest, conversation_id: UUID) -> Conversation:
    """The conversation, if it is this person's; an incognito one, if it was opened in this session,
    and now it is known to be looked at."""
    try:
        found = find(request.user.id, conversation_id, session_of(request))
    except ConversationGone as error:
        raise Http404 from error
    if found.incognito:
        seen(found, timezone.now())
    return found


def session_of(request: SignedInRequest) -> str:
    """What names the session of a request."""
    return session_id(request.session.session_key or "")


def message_or_404(conversation: Conversation, sequence: int) -> Message:
    """The message of a conversation with this number."""
    try:
        return message_at(conversation, sequence)
    except NoSuchMessage as error:
        raise Http404 from error


def chat_list(request: SignedInRequest) -> dict[str, Any]:
    """The list of conversations beside every chat page, searched and paged by the address."""
    wanted = request.GET.get("q", "").strip()[:200]
    found = conversations_of(request.user.id, wanted).only(
        "user_id", "id", "title", "last_message_at"
    )
    page: Page[Conversation] = Paginator(found, CHATS_SHOWN).get_page(request.GET.get("page"))
    return {"page": page, "q": wanted, "zone": zone_of(request.user.id)}


def new_chat_page(request: SignedInRequest, form: MessageForm) -> dict[str, Any]:
    """The page that begins a chat."""
    user_id = request.user.id
    wanted = _uuid(request.GET.get("agent"))
    chosen = agents_of(user_id).filter(id=wanted).first() if wanted else None
    agent = chosen or default_agent(user_id)
    incognito = "1" in (request.GET.get("incognito"), request.POST.get("incognito"))
    chosen_so = {"agent": agent.id, "use_memory": True, "learn": True, "incognito": incognito}
    memory = [] if incognito else notes_of(user_id, agent_recalls=agent.recall_memory)
    return {
        **chat_list(request),
        "form": form,
        "switches": SwitchesForm(user_id, initial=chosen_so),
        "agent": agent,
        "several_agents": agents_of(user_id).count() > 1,
        "incognito": incognito,
        "notes": [*memory, *budget_notes(user_id, agent.model, timezone.now())],
    }


def conversation_page(
    request: SignedInRequest, conversation: Conversation, form: MessageForm, now: datetime
) -> dict[str, Any]:
    """The page of one chat, at its end or before the message that the address names."""
    settle_interrupted(conversation, now)
    generation = pending(conversation)
    conversation.refresh_from_db()
    before = _number(request.GET.get("before"))
    end = generation.parent_sequence if generation else conversation.head_sequence
    agent = agent_of(conversation)
    messages = thread(conversation, before if before else end)
    return {
        **chat_list(request),
        "conversation": conversation,
        "agent": agent,
        "thread": messages,
        "generation": None if before else generation,
        "unanswered": None if before or generation else _unanswered(messages),
        "at_end": not before,
        "incognito": conversation.incognito,
        "spent": spent_in(conversation),
        "models": known_models(conversation.user_id),
        "remembered": remembered_of(conversation, now),
        "switches": _switches(conversation, agent),
        "form": form,
        "seen": end,
        "notes": _conversation_notes(conversation, agent, now),
    }


def thread(conversation: Conversation, end: int, most: int = MESSAGES_SHOWN) -> Thread:
    """Up to `most` messages that lead to the message `end`."""
    messages = branch(conversation, upto=end, most=most)
    earlier = messages[0].parent_sequence if messages else None
    return Thread(shown(conversation, messages), earlier)


def shown(conversation: Conversation, messages: Sequence[Message]) -> tuple[Shown, ...]:
    """Messages with everything the page says about each."""
    traces = [message.trace_id for message in messages if message.trace_id]
    sources = sources_of(conversation.user_id, traces) if traces else {}
    others = versions(conversation, messages) if messages else {}
    known = known_pointers(conversation.user_id, (message.content for message in messages))
    return tuple(
        Shown(
            message=message,
            html=_html(message, known),
            cut=len(message.content) > LONGEST_SHOWN,
            versions=others.get(message.sequence),
            sources=sources.get(message.trace_id, ()) if message.trace_id else (),
            from_memory=message.model == MEMORY_ONLY and not message.tool_name,
            asked=_asked(message, messages),
            sought=arguments_of(message.tool_arguments).get("query", "")[:LONGEST_SOUGHT],
        )
        for message in messages
    )


def _asked(message: Message, messages: Sequence[Message]) -> int | None:
    """The message of the person to which a reply belongs; tools may have been used between them."""
    if message.role != Message.Role.ASSISTANT or message.tool_name:
        return None
    before = {each.sequence: each for each in messages}
    parent = message.parent_sequence
    while parent in before and before[parent].role != Message.Role.USER:
        parent = before[parent].parent_sequence
    return parent


def whole(message: Message) -> SafeString:
    """All words of a message as they were written."""
    known = known_pointers(message.user_id, [message.content])
    return plain(message.content, known)


def zone_of(user_id: UUID) -> Any:
    """The person's time zone."""
    return settings_from(preferences_of(user_id)).zone


def notes_of(user_id: UUID, *, agent_recalls: bool, chat_recalls: bool = True) -> list[str]:
    """What a person should know before they write: what is off, and what is not connected."""
    notes = []
    if not _model_connected():
        notes.append(NO_MODEL)
    if not preferences_of(user_id).enabled:
        notes.append("Memory is switched off in your settings.")
    elif not agent_recalls:
        notes.append("This agent does not use memory.")
    elif not chat_recalls:
        notes.append("Memory is not used in this chat.")
    return notes


def budget_notes(user_id: UUID, model: str, now: datetime) -> list[str]:
    """What a spent budget means for replies and for memory, until when."""
    budget = budget_of(preferences_of(user_id), now)
    if not _model_connected() or not budget.is_spent:
        return []
    until = f"until {budget.month.end.day} {budget.month.end:%B}"
    spent = f"This month’s budget of {budget.limit:,.2f} USD is spent"
    if budget.stops_chat and not current.costs_nothing(model):
        return [f"{spent}, so replies are made of what you said before, word for word, {until}."]
    return [f"{spent}. Chats are still remembered, with what is free, {until}."]


def _switches(conversation: Conversation, agent: Agent) -> SwitchesForm:
    chosen = {
        "agent": agent.id,
        "model": conversation.model,
        "use_memory": conversation.use_memory,
        "learn": conversation.learn,
    }
    return SwitchesForm(conversation.user_id, initial=chosen)


def _conversation_notes(conversation: Conversation, agent: Agent, now: datetime) -> list[str]:
    user_id, model = conversation.user_id, model_of(conversation, agent)
    if conversation.incognito:
        recalls = [] if _model_connected() else [NO_MODEL_INCOGNITO]
    else:
        recalls = notes_of(
            user_id, agent_recalls=agent.recall_memory, chat_recalls=conversation.use_memory
        )
    return [*recalls, *budget_notes(user_id, model, now)]


def _model_connected() -> bool:
    try:
        current.chat()
    except NoEndpoint:
        return False
    return True


def _html(message: Message, known: Known) -> SafeString:
    content = message.content[:LONGEST_SHOWN]
    if message.role != Message.Role.ASSISTANT:
        return plain(content, known)
    return quotations(content) if message.model == MEMORY_ONLY else markdown(content, known)


def _unanswered(messages: Thread) -> int | None:
    last = messages.shown[-1].message if messages.shown else None
    return last.sequence if last and last.role == Message.Role.USER else None


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 10 else None


def _uuid(text: str | None) -> UUID | None:
    try:
        return UUID(text or "")
    except ValueError:
        return None
