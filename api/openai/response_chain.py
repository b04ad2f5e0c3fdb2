"""Responses that can be continued by their id: where each stands in its owner's ledger."""

from datetime import datetime
from uuid import UUID

from api.models import StoredResponse
from api.openai.refusals import Json, Refusal
from api.openai.response_output import response_id
from chat.branches import branch
from chat.conversations import ConversationGone, find
from chat.histories import Kept
from chat.models import Message

FOUND_BY = "resp_"


def messages_before(user_id: UUID, previous: object) -> list[Json]:
    """The chat up to and with an earlier response, without the instructions it had; none when there
    is no earlier one. Raises Refusal when nobody has such a response, or this person has not."""
    if previous is None:
        return []
    stored = stored_response(user_id, str(previous), param="previous_response_id")
    return as_chat(_said(stored))


def stored_response(user_id: UUID, named: str, *, param: str | None = None) -> StoredResponse:
    """A response of this person by its id; raises Refusal."""
    try:
        identifier = UUID(hex=named.removeprefix(FOUND_BY))
        found = StoredResponse.objects.filter(user_id=user_id, id=identifier).first()
    except ValueError:
        found = None
    if found is None or not _said(found):
        sentence = f"There is no response with the id `{named[:80]}`."
        raise Refusal(404, sentence, param=param, code="response_not_found")
    return found


def store(draft_id: UUID, kept: Kept, model: str, now: datetime) -> None:
    """Let a response be found again by its id."""
    StoredResponse.objects.create(
        user_id=kept.conversation.user_id,
        id=draft_id,
        conversation_id=kept.conversation.id,
        sequence=kept.sequence,
        model=model[:120],
        created_at=now,
    )


def reply_of(stored: StoredResponse) -> Json:
    """The reply that a stored response gave, as one message of a chat."""
    chat = as_chat(_said(stored))
    return chat[-1] if chat and chat[-1]["role"] == "assistant" else {}


def remove(user_id: UUID, named: str) -> Json:
    """Forget the id of a response; the conversation itself stays. Raises Refusal."""
    stored = stored_response(user_id, named)
    StoredResponse.objects.filter(user_id=user_id, id=stored.id).delete()
    return {"id": response_id(stored.id), "object": "response", "deleted": True}


def as_chat(said: list[Message]) -> list[Json]:
    """Messages of the ledger as a program sends them. Calls made at once are one message again."""
    messages: list[Json] = []
    for row in said:
        if row.role == Message.Role.TOOL:
            told = {"role": "tool", "tool_call_id": row.call_id, "content": row.content}
            messages.append(told)
        elif row.tool_name:
            _add_call(messages, row)
        elif row.role != Message.Role.SYSTEM:
            messages.append({"role": row.role, "content": row.content})
    return messages


def _add_call(messages: list[Json], row: Message) -> None:
    function = {"name": row.tool_name, "arguments": row.tool_arguments}
    call = {"id": row.call_id, "type": "function", "function": function}
    if not messages or messages[-1]["role"] != "assistant":
        messages.append({"role": "assistant", "content": None})
    messages[-1].setdefault("tool_calls", []).append(call)


def _said(stored: StoredResponse) -> list[Message]:
    try:
        conversation = find(stored.user_id, stored.conversation_id)
    except ConversationGone:
        return []
    return branch(conversation, upto=stored.sequence)
