"""`/v1/chat/completions` and `/v1/models`, as clients of OpenAI use them."""

import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing

from django.http import HttpResponse, HttpResponseBase, JsonResponse, StreamingHttpResponse

from accounts.http import BearerRequest
from api.openai.access import Json, Refusal, failed_model, programs_only
from api.openai.completion import Exchange, Part, begin, complete, stream
from api.openai.request import ask_of, body_of
from llm import current
from llm.errors import ModelError
from llm.relay import RelayedEvent

OWN_MODEL: Json = {"id": "palace", "object": "model", "created": 0, "owned_by": "palace"}
DONE = b"data: [DONE]\n\n"


@programs_only("chat", "POST")
async def chat_completions(request: BearerRequest) -> HttpResponseBase:
    """The endpoint's answer to a chat, with the person's memory put before their last message."""
    body = body_of(request)
    exchange = await begin(ask_of(request, request.user, body))
    if body.get("stream"):
        parts = stream(exchange)
        first = await anext(parts, None)  # a refusal has a status of its own
        return streamed(events(first, parts), exchange)
    answer = await complete(exchange)
    return JsonResponse(answer, headers=exchange.headers)


@programs_only("chat", "GET")
async def models(request: BearerRequest) -> HttpResponse:
    """The models that can be asked for; `palace` stands for the one that is configured."""
    return JsonResponse({"object": "list", "data": await _offered()})


@programs_only("chat", "GET")
async def model(request: BearerRequest, model_id: str) -> HttpResponse:
    """One model that can be asked for."""
    for each in await _offered():
        if each.get("id") == model_id:
            return JsonResponse(each)
    raise Refusal(404, "There is no model of this name.", param="model", code="model_not_found")


def streamed(parts: AsyncIterator[bytes], exchange: Exchange) -> StreamingHttpResponse:
    """An answer of server-sent events."""
    response = StreamingHttpResponse(parts, content_type="text/event-stream", headers=exchange.headers)
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Accel-Buffering"] = "no"
    return response


async def events(first: Part | None, parts: AsyncGenerator[Part, None]) -> AsyncGenerator[bytes, None]:
    """The answer as server-sent events; a failure in the middle is the last of them."""
    try:
        async with aclosing(parts):
            if first is not None:
                yield _event(first)
            async for part in parts:
                yield _event(part)
    except ModelError as failure:
        yield _event({"error": failed_model(failure).error})
        return
    yield DONE


def _event(part: Part) -> bytes:
    data = part.data if isinstance(part, RelayedEvent) else json.dumps(part)
    lines = "".join(f"data: {line}\n" for line in data.split("\n"))
    return f"{lines}\n".encode()


async def _offered() -> list[Json]:
    try:
        listed = await current.relay().models()
    except ModelError:  # without an endpoint there is still memory to ask
        listed = []
    return [*listed, OWN_MODEL]
