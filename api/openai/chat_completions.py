"""`/v1/chat/completions` and `/v1/models`."""

import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from uuid import UUID

from django.http import HttpResponse, HttpResponseBase, JsonResponse, StreamingHttpResponse

from accounts.http import BearerRequest
from api.openai.access import Json, Refusal, api_view, failed_model
from api.openai.completion import Exchange, begin, complete, is_unasked, opened, stream
from api.openai.request import parse_body, parse_request
from chat.replies.streaming import in_tenant
from llm import current
from llm.errors import ModelError
from llm.relay import RelayedEvent

OWN_MODEL: Json = {"id": "palace", "object": "model", "created": 0, "owned_by": "palace"}
DONE = b"data: [DONE]\n\n"


@api_view("chat", "POST")
async def chat_completions(request: BearerRequest) -> HttpResponseBase:
    """Forward a chat to the model endpoint, with memory inserted before the last user message."""
    body = parse_body(request)
    exchange = await begin(parse_request(request, request.user, body))
    if body.get("stream"):
        return streamed(_events(await opened(stream(exchange)), body), exchange)
    answer = await complete(exchange)
    return JsonResponse(answer, headers=exchange.headers)


@api_view("chat", "GET")
async def models(request: BearerRequest) -> HttpResponse:
    """List the models of the endpoint, and `palace` for the configured one."""
    return JsonResponse({"object": "list", "data": await _offered(request.user.id)})


@api_view("chat", "GET")
async def model(request: BearerRequest, model_id: str) -> HttpResponse:
    """Get a model."""
    for each in await _offered(request.user.id):
        if each.get("id") == model_id:
            return JsonResponse(each)
    raise Refusal(404, "There is no model of this name.", param="model", code="model_not_found")


def streamed(parts: AsyncIterator[bytes], exchange: Exchange) -> StreamingHttpResponse:
    """A response of server-sent events."""
    headers = exchange.early_headers
    response = StreamingHttpResponse(parts, content_type="text/event-stream", headers=headers)
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Accel-Buffering"] = "no"
    return response


async def _events(parts: AsyncGenerator[RelayedEvent, None], body: Json) -> AsyncGenerator[bytes, None]:
    """The parts as server-sent events; a failure ends them with an error event."""
    try:
        async with aclosing(parts):
            async for part in parts:
                if not is_unasked(part.chunk, body):
                    yield _event(part.data)
    except ModelError as failure:
        yield _event(json.dumps({"error": failed_model(failure).error}))
    else:
        yield DONE


def _event(data: str) -> bytes:
    lines = "".join(f"data: {line}\n" for line in data.split("\n"))
    return f"{lines}\n".encode()


async def _offered(user_id: UUID) -> list[Json]:
    try:
        listed = await (await in_tenant(user_id, current.relay)).models()
    except ModelError:  # memory can answer without an endpoint
        listed = []
    return [*listed, OWN_MODEL]
