"""`/v1/responses`."""

import json
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from django.http import HttpResponse, HttpResponseBase, JsonResponse
from django.utils import timezone
from uuid_utils.compat import uuid7

from accounts.http import BearerRequest
from api.models import StoredResponse
from api.openai.access import Json, Refusal, api_view, failed_model
from api.openai.chat_completions import streamed
from api.openai.completion import Exchange, Part, begin, chunk_of, complete, run_within, stream
from api.openai.request import MemoryRequest, parse_body, parse_request
from api.openai.response_format import (
    Draft,
    EventStream,
    ParsedReply,
    chat_body,
    items_of,
    parse_reply,
    response_id,
)
from chat.branches import branch
from chat.conversations import ConversationGone, find
from chat.external_threads import StoredHistory
from chat.models import Message
from chat.replies.streaming import in_tenant
from llm.errors import ModelError

FOUND_BY = "resp_"


def messages_before(user_id: UUID, previous: object) -> list[Json]:
    """The conversation up to an earlier response, without its instructions; empty without one. Raises
    Refusal."""
    if previous is None:
        return []
    stored = stored_response(user_id, str(previous), param="previous_response_id")
    return as_chat(_stored_messages(stored))


def stored_response(user_id: UUID, named: str, *, param: str | None = None) -> StoredResponse:
    """A stored response by its id. Raises Refusal."""
    try:
        identifier = UUID(hex=named.removeprefix(FOUND_BY))
        found = StoredResponse.objects.filter(user_id=user_id, id=identifier).first()
    except ValueError:
        found = None
    if found is None or not _stored_messages(found):
        sentence = f"There is no response with the id `{named[:80]}`."
        raise Refusal(404, sentence, param=param, code="response_not_found")
    return found


def store(draft_id: UUID, kept: StoredHistory, model: str, now: datetime) -> None:
    """Store a response under its id."""
    StoredResponse.objects.create(
        user_id=kept.conversation.user_id,
        id=draft_id,
        conversation_id=kept.conversation.id,
        sequence=kept.sequence,
        model=model[:120],
        created_at=now,
    )


def reply_of(stored: StoredResponse) -> Json:
    """The reply of a stored response as a chat message."""
    chat = as_chat(_stored_messages(stored))
    return chat[-1] if chat and chat[-1]["role"] == "assistant" else {}


def remove(user_id: UUID, named: str) -> Json:
    """Delete the id of a response; the conversation stays. Raises Refusal."""
    stored = stored_response(user_id, named)
    StoredResponse.objects.filter(user_id=user_id, id=stored.id).delete()
    return {"id": response_id(stored.id), "object": "response", "deleted": True}


def as_chat(rows: list[Message]) -> list[Json]:
    """Stored messages in OpenAI's format. Parallel tool calls become one message again."""
    messages: list[Json] = []
    for row in rows:
        if row.role == Message.Role.TOOL:
            result = {"role": "tool", "tool_call_id": row.call_id, "content": row.content}
            messages.append(result)
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


def _stored_messages(stored: StoredResponse) -> list[Message]:
    try:
        conversation = find(stored.user_id, stored.conversation_id)
    except ConversationGone:
        return []
    return branch(conversation, upto=stored.sequence)


STORING_S = 4.0


@api_view("chat", "POST")
async def responses(request: BearerRequest) -> HttpResponseBase:
    """Create a response, continuing the conversation of `previous_response_id`."""
    body = parse_body(request)
    ask = parse_request(request, request.user, body)
    exchange = await begin(await _as_chat(ask))
    stores = ask.config.stores and body.get("store") is not False
    draft = Draft(ask.body, uuid7(), timezone.now(), stores)
    if body.get("stream"):
        parts = stream(exchange)
        first = await anext(parts, None)  # errors before the first chunk have an HTTP status
        return streamed(_events(first, parts, exchange, draft), exchange)
    answer = await complete(exchange)
    draft = replace(draft, model=str(answer.get("model") or ""))
    await _store(exchange, draft)
    return JsonResponse(parse_reply(answer).response(draft), headers=exchange.headers)


@api_view("chat", "GET", "DELETE")
async def response(request: BearerRequest, response_id: str) -> HttpResponse:
    """Get or delete a stored response."""
    user_id = request.user.id
    if request.method == "DELETE":
        return JsonResponse(await in_tenant(user_id, remove, user_id, response_id))
    stored, message = await in_tenant(user_id, lambda: _found(stored_response(user_id, response_id)))
    draft = Draft({}, stored.id, stored.created_at, model=stored.model)
    return JsonResponse(ParsedReply(items_of(message)).response(draft))


def _found(stored: StoredResponse) -> tuple[StoredResponse, Json]:
    return stored, reply_of(stored)


async def _as_chat(ask: MemoryRequest) -> MemoryRequest:
    earlier = await in_tenant(ask.user_id, messages_before, ask.user_id, ask.body.get("previous_response_id"))
    named = ask.body.get("conversation")
    external = named.get("id") if isinstance(named, dict) else named
    body = chat_body(ask.body, earlier)
    return replace(ask, body=body, external_id=ask.external_id or str(external or ""))


async def _events(
    first: Part | None, parts: AsyncGenerator[Part, None], exchange: Exchange, draft: Draft
) -> AsyncGenerator[bytes, None]:
    events = EventStream(replace(draft, model=_model(first) or draft.model))
    for event in events.begin():
        yield _event(event)
    try:
        async with aclosing(parts):
            for event in _events_of(events, first):
                yield _event(event)
            async for part in parts:
                for event in _events_of(events, part):
                    yield _event(event)
    except ModelError as failure:
        for event in events.fail(failed_model(failure).error):
            yield _event(event)
        return
    events.written.usage = events.written.usage or exchange.counts
    await _store(exchange, events.draft)
    for event in (*events.close(), *events.end()):
        yield _event(event)


def _events_of(events: EventStream, part: Part | None) -> Iterator[Json]:
    return iter(()) if part is None else events.take(chunk_of(part))


def _model(part: Part | None) -> str:
    return str(chunk_of(part).get("model") or "") if part is not None else ""


async def _store(exchange: Exchange, draft: Draft) -> None:
    """Store the response, if its conversation was stored."""
    kept = exchange.kept
    if kept is None or not draft.stores:
        return
    await run_within(
        exchange.ask.user_id,
        lambda: store(draft.id, kept, draft.model, timezone.now()),
        None,
        STORING_S,
    )


def _event(event: Json) -> bytes:
    return f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()
