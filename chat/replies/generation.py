"""Replies: recall and prompt for a message, and the outcome of the model call."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from decimal import Decimal
from math import ceil
from time import monotonic
from uuid import UUID

import structlog
from django.utils.translation import gettext_noop

from chat.agents import agent_of, model_of
from chat.conversations import NewMessage
from chat.endpoints import window_of
from chat.models import MEMORY_ONLY, Agent, Conversation, Generation, Message
from chat.projects import wing_of
from chat.replies.compaction import Shares, history, shares
from chat.replies.jobs import finish
from chat.replies.prompts import PromptContext, memory_only, prompt
from chat.replies.recall import RecallOutcome, recall_request, try_recall
from chat.replies.tools import ToolContext, ToolLoop, offered_tools
from llm import current
from llm.configuration import LlmConfiguration
from llm.errors import ModelError, ModelRateLimited, ModelRefused, NoEndpoint
from llm.gateway import ChatGateway, ChatRequest
from llm.types import ToolSpec, Usage
from memory.models import MemoryPreferences
from memory.models import Usage as UsageRow
from memory.preferences import preferences_of
from memory.recall.types import RecallSettings, settings_from
from memory.usage.budgets import BudgetSpent, require_budget
from memory.usage.records import Purpose

NOT_CONNECTED = gettext_noop("No language model is connected.")
INCOMPLETE = gettext_noop("The reply breaks off here.")
EMPTY_REPLY = gettext_noop("The model sent an empty reply.")
OUT_OF_BUDGET = gettext_noop("This month’s budget is spent, so no language model was asked.")
CHECK_ENDPOINT = gettext_noop("Check the endpoint, its key and its model in Settings › Models.")
_ENDINGS = {
    "length": gettext_noop("The model reached its limit here and stopped."),
    "content_filter": gettext_noop("A content filter at the model endpoint stopped the reply here."),
    "tool_calls": gettext_noop("The model kept calling tools instead of replying."),
}
"""What the finish reason of a reply means for its reader."""
_ONE_SECOND = gettext_noop("Try again in 1 second.")
_WAITS = (
    (3_600, gettext_noop("Try again in %d hours.")),
    (60, gettext_noop("Try again in %d minutes.")),
    (1, gettext_noop("Try again in %d seconds.")),
)
_MENDED_IN_SETTINGS = frozenset({401, 403, 404})

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Prepared:
    """Everything needed to write a reply.

    `model` is None if there is none; `refusal` says why a model must not be called.
    """

    request: ChatRequest
    settings: RecallSettings
    tool_context: ToolContext
    configuration: LlmConfiguration
    question: str = ""
    model: ChatGateway | None = None
    recalled: RecallOutcome = field(default_factory=RecallOutcome)
    refusal: ModelError | None = None
    since: float = field(default_factory=monotonic)


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply ready for the ledger, with its usage."""

    content: str
    model: str = ""
    status: str = Message.Status.COMPLETE
    notice: str = ""
    usage: Usage | None = None


def prepare(conversation: Conversation, message: Message, now: datetime) -> Prepared:
    """Recall for a user's message and build the prompt. A failure of memory only adds a notice."""
    preferences = preferences_of(conversation.user_id)
    agent = agent_of(conversation)
    model = model_of(conversation, agent)
    share = shares_of(conversation, agent, preferences, message.content)
    settings = replace(settings_from(preferences), token_budget=share.memory)
    past = history(conversation, message.sequence, share.history)
    may_recall = recall_allowed(preferences, agent, conversation)
    may_learn = mining_allowed(preferences, agent, conversation)
    tool_context = _tool_context(conversation, settings, model, now, recalls=may_recall, learns=may_learn)
    refusal = budget_error(conversation.user_id, model, now)
    quoted = refusal is not None or not current.has_chat()
    recalled, turns, wing = RecallOutcome(), list(past.turns), tool_context.wing_id
    if may_recall:
        recalled = try_recall(recall_request(message, turns, settings, wing, now, quoted=quoted))
    context = PromptContext(
        agent.instructions,
        recalled.block,
        now,
        settings.zone,
        tools=bool(tool_context.offered),
        so_far=past.state,
        state_tokens=share.state,
    )
    return Prepared(
        request=ChatRequest(prompt(context, past.turns), model=model, tools=tool_context.offered),
        settings=settings,
        tool_context=tool_context,
        configuration=current.configuration(),
        question=message.content,
        model=current.chat() if current.has_chat() else None,
        recalled=recalled,
        refusal=refusal,
    )


def shares_of(
    conversation: Conversation, agent: Agent, preferences: MemoryPreferences, message: str = ""
) -> Shares:
    """The most tokens that memory and the chat may take in a prompt for the model of this chat."""
    window = window_of(conversation.user_id, model_of(conversation, agent))
    return shares(window, agent.instructions, preferences.token_budget, message)


def model_for(prepared: Prepared) -> ChatGateway:
    """The model for the reply. Raises NoEndpoint, or BudgetSpent if the month's budget is spent."""
    if prepared.model is None:
        raise NoEndpoint
    if prepared.refusal is not None:
        raise prepared.refusal
    return prepared.model


def recall_allowed(preferences: MemoryPreferences, agent: Agent, conversation: Conversation) -> bool:
    """Whether the user, the agent and the chat all allow recall."""
    wanted = conversation.recall_memory and not conversation.incognito
    return preferences.enabled and agent.recall_memory and wanted


def mining_allowed(preferences: MemoryPreferences, agent: Agent, conversation: Conversation) -> bool:
    """Whether the user, the agent and the chat all allow mining."""
    return preferences.enabled and agent.mine and conversation.mine and not conversation.incognito


def finished_reply(prepared: Prepared, text: str, usage: Usage | None, finish_reason: str) -> Reply:
    """A reply that the model finished."""
    ending = _ENDINGS.get(finish_reason, "")
    notices, status = [prepared.recalled.notice, ending], Message.Status.COMPLETE
    if not text.strip():
        notices, status = [ending or EMPTY_REPLY], Message.Status.FAILED
    notice = " ".join(notice for notice in notices if notice)
    usage = usage or _partial_usage(prepared, text)
    return Reply(text, usage.model, status, notice, usage)


def failed_reply(prepared: Prepared, text: str, failure: ModelError) -> Reply:
    """The reply if the model failed: what it wrote so far, or memory alone, with the reason."""
    reason = describe_error(failure, own=prepared.configuration != current.site_configuration())
    if not isinstance(failure, NoEndpoint | BudgetSpent):
        log.warning("reply failed", error=type(failure).__name__, started=bool(text))
    if text.strip():
        notice = f"{reason} {INCOMPLETE}"
        usage = _partial_usage(prepared, text)
        return Reply(text, usage.model, Message.Status.FAILED, notice, usage)
    zone, found = prepared.settings.zone, prepared.recalled
    content = memory_only(prepared.question, found.hits, reason, zone, found.nothing)
    return Reply(content, MEMORY_ONLY, notice=found.notice, usage=failure.spent)


def stopped_reply(prepared: Prepared, text: str, notice: str) -> Reply:
    """The reply up to the point where it was stopped."""
    usage = _partial_usage(prepared, text)
    return Reply(text, usage.model, Message.Status.STOPPED, notice, usage)


def store_reply(
    generation: Generation, prepared: Prepared, reply: Reply, now: datetime, tool_loop: ToolLoop
) -> Message | None:
    """Add the reply to the ledger, once, after its tool messages.

    Returns None if another process did or the chat is gone.
    """
    spent = [*tool_loop.spent, *((reply.usage,) if reply.usage else ())]
    costs = [usage.cost_usd for usage in spent]
    new = NewMessage(
        role=Message.Role.ASSISTANT,
        content=reply.content,
        parent=generation.parent_sequence,
        status=reply.status,
        notice=reply.notice[:300],
        model=reply.model[:120],
        input_tokens=sum(usage.input_tokens for usage in spent) if spent else None,
        output_tokens=sum(usage.output_tokens for usage in spent) if spent else None,
        cost_usd=_total_cost(costs),
        trace_id=prepared.recalled.trace_id,
    )
    return finish(generation, new, reply.usage, now, tool_loop.steps)


def describe_error(failure: ModelError, *, own: bool = False) -> str:
    """What went wrong with the model, for the user, and what they can do; `own` means their own endpoint."""
    if isinstance(failure, NoEndpoint):
        return NOT_CONNECTED
    if isinstance(failure, BudgetSpent):
        return OUT_OF_BUDGET
    if isinstance(failure, ModelRateLimited) and failure.retry_after:
        return f"{failure} {_wait(failure.retry_after)}"
    if own and isinstance(failure, ModelRefused) and failure.status in _MENDED_IN_SETTINGS:
        return f"{failure} {CHECK_ENDPOINT}"
    return str(failure)


def _wait(seconds: float) -> str:
    """When to try again, in the largest unit of which there are more than two."""
    if seconds <= 1:
        return _ONE_SECOND
    size, words = next(each for each in _WAITS if seconds > 2 * each[0] or each[0] == 1)
    return words % ceil(seconds / size)


def budget_error(user_id: UUID, model: str, now: datetime) -> ModelError | None:
    """Why no model may be asked: the month's budget is spent."""
    try:
        require_budget(Purpose(user_id, UsageRow.Source.CHAT, now), model)
    except BudgetSpent as refusal:
        return refusal
    return None


def _total_cost(costs: Sequence[Decimal | None]) -> Decimal | None:
    """The total cost of calls; None if there were none or a price is unknown."""
    known = [cost for cost in costs if cost is not None]
    return sum(known, Decimal(0)) if costs and len(known) == len(costs) else None


def _tool_context(
    conversation: Conversation,
    settings: RecallSettings,
    model: str,
    now: datetime,
    *,
    recalls: bool,
    learns: bool,
) -> ToolContext:
    """The tools for a reply; none without a model."""
    tools: tuple[ToolSpec, ...] = ()
    if current.has_chat():
        tools = offered_tools(conversation.user_id, model, now, recalls=recalls, learns=learns)
    wing = wing_of(conversation) if recalls else None
    return ToolContext(conversation.user_id, conversation.id, settings, tools, wing.id if wing else None)


def _partial_usage(prepared: Prepared, text: str) -> Usage:
    """The cost of a reply that ended early: the endpoint read the prompt and wrote the text."""
    milliseconds = round((monotonic() - prepared.since) * 1000)
    return current.estimated_usage(prepared.request, text, milliseconds, prepared.configuration)
