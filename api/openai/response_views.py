"""`/v1/responses`, as clients of OpenAI use it."""

import json
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from dataclasses import replace

from django.http import HttpResponse, HttpResponseBase, JsonResponse
from django.utils import timezone
from uuid_utils.compat import uuid7

from accounts.http import BearerRequest
from api.models import StoredResponse
from api.openai.asking import Ask, ask_of, body_of
from api.openai.chat_views import streamed
from api.openai.entry import programs_only
from api.openai.exchange import Exchange, Part, begin, chunk_of, complete, in_time, stream
from api.openai.refusals import Json, failed_model
from api.openai.response_chain import messages_before, remove, reply_of, store, stored_response
from api.openai.response_events import Telling
from api.openai.response_input import chat_body
from api.openai.response_output import Draft, Written, items_of, written_of
from chat.streaming import in_tenant
from llm.errors import ModelError

STORING_S = 4.0


@programs_only("chat", "POST")
async def responses(request: BearerRequest) -> HttpResponseBase:
    """The endpoint's answer to a conversation that Palace keeps and continues by
    `previous_response_id`."""
    body = body_of(request)
    ask = ask_of(request, request.user, body)
    exchange = await begin(await _as_chat(ask))
    stores = ask.config.stores and body.get("store") is not False
    draft = Draft(ask.body, uuid7(), timezone.now(), stores)
    if body.get("stream"):
        parts = stream(exchange)
        first = await anext(parts, None)  # a refusal has a status of its own
        return streamed(_events(first, parts, exchange, draft), exchange)
    answer = await complete(exchange)
    draft = replace(draft, model=str(answer.get("model") or ""))
    await _store(exchange, draft)
    return JsonResponse(written_of(answer).response(draft), headers=exchange.headers)


@programs_only("chat", "GET", "DELETE")
async def response(request: BearerRequest, response_id: str) -> HttpResponse:
    """A response that was given before, by its id; or, to delete it, only its id."""
    user_id = request.user.id
    if request.method == "DELETE":
        return JsonResponse(await in_tenant(user_id, remove, user_id, response_id))
    stored, message = await in_tenant(
        user_id, lambda: _found(stored_response(user_id, response_id))
    )
    draft = Draft({}, stored.id, stored.created_at, model=stored.model)
    return JsonResponse(Written(items_of(message)).response(draft))


def _found(stored: StoredResponse) -> tuple[StoredResponse, Json]:
    return stored, reply_of(stored)


async def _as_chat(ask: Ask) -> Ask:
    earlier = await in_tenant(
        ask.user_id, messages_before, ask.user_id, ask.body.get("previous_response_id")
    )
    named = ask.body.get("conversation")
    external = named.get("id") if isinstance(named, dict) else named
    body = chat_body(ask.body, earlier)
    return replace(ask, body=body, external_id=ask.external_id or str(external or ""))


async def _events(
    first: Part | None, parts: AsyncGenerator[Part, None], exchange: Exchange, draft: Draft
) -> AsyncGenerator[bytes, None]:
    telling = Telling(replace(draft, model=_model(first) or draft.model))
    for event in telling.begin():
        yield _event(event)
    try:
        async with aclosing(parts):
            for event in _taken(telling, first):
                yield _event(event)
            async for part in parts:
                for event in _taken(telling, part):
                    yield _event(event)
    except ModelError as failure:
        for event in telling.fail(failed_model(failure).error):
            yield _event(event)
        return
    telling.written.usage = telling.written.usage or exchange.counts
    await _store(exchange, telling.draft)
    for event in (*telling.close(), *telling.end()):
        yield _event(event)


def _taken(telling: Telling, part: Part | None) -> Iterator[Json]:
    return iter(()) if part is None else telling.take(chunk_of(part))


def _model(part: Part | None) -> str:
    return str(chunk_of(part).get("model") or "") if part is not None else ""


async def _store(exchange: Exchange, draft: Draft) -> None:
    """Let the response be continued. Without what was said in the ledger there is nothing to
    continue."""
    kept = exchange.kept
    if kept is None or not draft.stores:
        return
    await in_time(
        exchange.ask.user_id,
        lambda: store(draft.id, kept, draft.model, timezone.now()),
        None,
        STORING_S,
    )


def _event(event: Json) -> bytes:
    return f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()
