"""The tool loop of a reply: the model is asked, calls tools, gets their results, and is asked again.

The number of rounds is limited.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from uuid import UUID

from chat.conversations import NewMessage, ToolUse
from chat.models import MEMORY_ONLY, Message
from chat.replies.tools import ToolContext, execute_tool, record_refusal
from llm.errors import ModelRefused
from llm.gateway import ChatRequest
from llm.types import ChatMessage, ToolCall, Usage
from memory.models import Usage as UsageRow
from memory.usage.records import Purpose, record_usage

MAX_ROUNDS = 3
MAX_CALLS = 4
TOO_MANY = "You have used all tool calls for this reply. Answer with what you have."
TOOLS_REJECTED_STATUSES = frozenset({400, 404, 405, 422, 500, 501})


@dataclass(slots=True)
class ToolLoop:
    """The state of the loop.

    `request` is the next request to the model, `steps` the messages to add to the ledger before the reply,
    `spent` the usage of earlier rounds, which is recorded.
    """

    tool_context: ToolContext
    request: ChatRequest
    job_id: UUID
    steps: list[NewMessage] = field(default_factory=list)
    spent: list[Usage] = field(default_factory=list)
    left: int = MAX_ROUNDS
    refused: bool = False

    def run_tools(self, text: str, calls: Sequence[ToolCall], usage: Usage | None, now: datetime) -> bool:
        """Execute the model's tool calls; False if this was its reply."""
        if self.refused:
            record_refusal(self.tool_context.user_id, self.request.model, now)
            self.refused = False
        if not self.will_run(calls):
            return False
        if usage is not None:
            record_usage(Purpose(self.tool_context.user_id, UsageRow.Source.CHAT, now, self.job_id), usage)
            self.spent.append(usage)
        self.left -= 1
        self._run_calls(text, calls, now)
        return True

    def will_run(self, calls: Sequence[ToolCall]) -> bool:
        """Whether these calls will be executed."""
        return bool(calls and self.request.tools)

    def retry_without_tools(self, refusal: ModelRefused) -> bool:
        """Retry without tools if they may be why the model rejected the request."""
        if not self.request.tools or refusal.status not in TOOLS_REJECTED_STATUSES:
            return False
        self.request = replace(self.request, tools=())
        self.refused = True
        return True

    def _run_calls(self, text: str, calls: Sequence[ToolCall], now: datetime) -> None:
        turn = [ChatMessage("assistant", text, tool_calls=tuple(calls))]
        if text.strip():
            self.steps.append(NewMessage(Message.Role.ASSISTANT, text, model=self.request.model))
        for place, call in enumerate(calls):
            words = self._run_call(call, now) if place < MAX_CALLS else TOO_MANY
            turn.append(ChatMessage("tool", words, tool_call_id=call.id))
        tools = self.request.tools if self.left > 0 else ()
        self.request = replace(self.request, messages=(*self.request.messages, *turn), tools=tools)

    def _run_call(self, call: ToolCall, now: datetime) -> str:
        """Run one call. Call and result are marked as memory: neither is evidence to be mined.

        What is relevant is recalled anew for the next message.
        """
        result = execute_tool(self.tool_context, call, now)
        tool = ToolUse(call.name, call.arguments, call.id)
        answer = ToolUse(call.name, "", call.id)
        self.steps += [
            NewMessage(Message.Role.ASSISTANT, "", model=MEMORY_ONLY, tool=tool),
            NewMessage(
                Message.Role.TOOL, result.text, model=MEMORY_ONLY, tool=answer, trace_id=result.trace_id
            ),
        ]
        return result.text
