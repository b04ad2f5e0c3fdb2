"""`/v1/responses`."""

import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace
from uuid import UUID

from django.http import HttpResponse, HttpResponseBase, JsonResponse
from django.utils import timezone
from uuid_utils.compat import uuid7

from accounts.http import BearerRequest
from api.models import StoredResponse
from api.openai.access import Json, Refusal, api_view, failed_model
from api.openai.chat_completions import streamed
from api.openai.completion import Exchange, begin, complete, opened, run_within, stream
from api.openai.request import MemoryRequest, parse_body, parse_request
from api.openai.response_format import (
    PREFIX,
    Draft,
    EventStream,
    ParsedReply,
    add_call,
    chat_body,
    items_of,
    parse_reply,
    response_id,
)
from chat.branches import branch
from chat.conversations import ConversationNotFound, find
from chat.models import Message
from chat.replies.streaming import in_tenant
from llm.errors import ModelError
from llm.relay import RelayedEvent

STORING_S = 4.0


def stored_response(
    user_id: UUID, named: str, param: str | None = None
) -> tuple[StoredResponse, list[Message]]:
    """A stored response by its id, and the messages up to it. Raises Refusal."""
    try:
        stored = StoredResponse.objects.get(user_id=user_id, id=_as_uuid(named))
        rows = branch(find(user_id, stored.conversation_id), upto=stored.sequence)
    except (ValueError, StoredResponse.DoesNotExist, ConversationNotFound):
        rows = []
    if not rows:
        sentence = f"There is no response with the id `{named[:80]}`."
        raise Refusal(404, sentence, param=param, code="response_not_found")
    return stored, rows


def _as_uuid(named: str) -> UUID:
    return UUID(hex=named.removeprefix(PREFIX))


def remove(user_id: UUID, named: str) -> Json:
    """Delete the id of a response; the conversation stays. Raises Refusal."""
    stored, _ = stored_response(user_id, named)
    StoredResponse.objects.filter(user_id=user_id, id=stored.id).delete()
    return {"id": response_id(stored.id), "object": "response", "deleted": True}


def as_chat(rows: list[Message]) -> list[Json]:
    """Stored messages in OpenAI's format. Parallel tool calls become one message again."""
    messages: list[Json] = []
    for row in rows:
        if row.role == Message.Role.TOOL:
            messages.append({"role": "tool", "tool_call_id": row.call_id, "content": row.content})
        elif row.tool_name:
            add_call(messages, row.call_id, row.tool_name, row.tool_arguments)
        elif row.role != Message.Role.SYSTEM:
            messages.append({"role": row.role, "content": row.content})
    return messages


@api_view("chat", "POST")
async def responses(request: BearerRequest) -> HttpResponseBase:
    """Create a response, continuing the conversation of `previous_response_id`."""
    body = parse_body(request)
    ask, unstored = parse_request(request, request.user, body), body.get("store") is False
    if unstored and ask.config.auto_store is None:
        ask = replace(ask, config=ask.config.model_copy(update={"auto_store": False}))
    exchange = await begin(await _as_chat(ask))
    stores = ask.config.stores and not unstored
    draft = Draft(ask.body, uuid7(), timezone.now(), stores)
    if body.get("stream"):
        return streamed(_events(await opened(stream(exchange)), exchange, draft), exchange)
    answer = await complete(exchange)
    draft = replace(draft, model=str(answer.get("model") or ""))
    await _store(exchange, draft)
    return JsonResponse(parse_reply(answer).response(draft), headers=exchange.headers)


@api_view("chat", "GET", "DELETE")
async def response(request: BearerRequest, response_id: str) -> HttpResponse:
    """Get or delete a stored response."""
    user_id = request.user.id
    if request.GET.get("stream", "false") != "false":
        raise Refusal(400, "A stored response cannot be streamed.", param="stream")
    if request.method == "DELETE":
        return JsonResponse(await in_tenant(user_id, remove, user_id, response_id))
    stored, rows = await in_tenant(user_id, stored_response, user_id, response_id)
    *_, last = as_chat(rows) or [{}]
    items = items_of(last) if last.get("role") == "assistant" else []
    previous = f"{PREFIX}{stored.previous_id.hex}" if stored.previous_id else None
    given = {"previous_response_id": previous}
    draft = Draft(given, stored.id, stored.created_at, model=stored.model)
    return JsonResponse(ParsedReply(items).response(draft))


async def _as_chat(ask: MemoryRequest) -> MemoryRequest:
    """The request as a chat, after the conversation of its `previous_response_id`. Raises Refusal."""
    previous = ask.body.get("previous_response_id")
    rows: list[Message] = []
    if previous is not None:
        _, rows = await in_tenant(
            ask.user_id, stored_response, ask.user_id, str(previous), "previous_response_id"
        )
    return replace(ask, body=chat_body(ask.body, as_chat(rows)))


async def _events(
    parts: AsyncGenerator[RelayedEvent, None], exchange: Exchange, draft: Draft
) -> AsyncGenerator[bytes, None]:
    events = EventStream(draft)
    try:
        async with aclosing(parts):
            async for part in parts:
                for event in events.take(part.chunk):
                    yield _event(event)
    except ModelError as failure:
        yield _event(events.fail(failed_model(failure).error))
        return
    events.written.usage = events.written.usage or exchange.counts
    await _store(exchange, events.draft)
    for event in events.end():
        yield _event(event)


async def _store(exchange: Exchange, draft: Draft) -> None:
    """Store the response under its id, if its conversation was stored."""
    kept = exchange.kept
    if kept is None or not draft.stores:
        return
    previous = draft.request.get("previous_response_id")

    def create() -> None:
        StoredResponse.objects.create(
            user_id=kept.conversation.user_id,
            id=draft.id,
            conversation_id=kept.conversation.id,
            sequence=kept.sequence,
            previous_id=None if previous is None else _as_uuid(str(previous)),
            model=draft.model[:120],
        )

    await run_within(exchange.ask.user_id, create, None, STORING_S)


def _event(event: Json) -> bytes:
    return f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()
