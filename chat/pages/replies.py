"""A reply in progress: following it, stopping it, asking for another."""

import asyncio
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from http import HTTPStatus
from time import monotonic
from typing import Any
from uuid import UUID

from asgiref.sync import sync_to_async
from django.db import connections
from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from accounts.http import SignedInRequest
from chat.conversations import choose_model, find
from chat.models import Conversation, Generation, Message
from chat.pages.chat import back_to_chat, start_reply
from chat.pages.queries import conversation_or_404, session_of
from chat.pages.rendering import MAX_MARKDOWN_LENGTH, Numbers, close_markup, last_block, markdown, plain
from chat.pages.threads import display_messages, numbers_of
from chat.replies.jobs import ReplyInProgress, pending, request_reply, request_stop, steps_to_reply
from chat.replies.sources import sources_of
from chat.replies.streaming import (
    STOP_WAIT_S,
    Progress,
    Tools,
    begin,
    counted_stream,
    has_too_many_streams,
    in_tenant,
    progress,
    wait_for_end,
)
from chat.titles import is_automatic
from llm import current
from memory.pages.requests import post_page
from memory.preferences import preferences_of, zone_of

HEARTBEAT_S, POLL_INTERVAL_S = 10.0, 0.06
MAX_BLOCK_LENGTH = 10_000
"""The longest unfinished block that is rendered anew each time it grows."""
PAUSE_FACTOR, MAX_PAUSE_S = 4.0, 2.0
HEARTBEAT = b": still here\n\n"
WRITING = '<p class="message-by">%s</p>'

_LINE_END = re.compile("\r\n|\r|\n")


@require_GET
async def stream(request: SignedInRequest, conversation_id: UUID, sequence: int) -> HttpResponseBase:
    """The reply to a message as server-sent events.

    `recalled`, `doing` (the tools it uses), `draft` (the whole blocks so far), `block` (more of them), `tail`
    (the block that still grows), and finally `done` or `failed` with the message that replaces them.
    """
    if has_too_many_streams(request.user.id):
        return HttpResponse(status=HTTPStatus.TOO_MANY_REQUESTS)
    conversation, generation = await sync_to_async(_find_reply)(request, conversation_id, sequence)
    events = _events(request, conversation, sequence, generation)
    response = StreamingHttpResponse(events, content_type="text/event-stream")
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Accel-Buffering"] = "no"
    return response


@post_page
def stop(request: SignedInRequest, conversation_id: UUID, sequence: int) -> HttpResponse:
    """Stop the reply in progress; what there is of it is kept."""
    conversation = conversation_or_404(request, conversation_id)
    request_stop(conversation, timezone.now())
    if request.htmx:
        return HttpResponse(status=204)
    wait_for_end(conversation, STOP_WAIT_S)
    return redirect("chat:conversation", conversation_id)


@post_page
def retry(request: SignedInRequest, conversation_id: UUID, sequence: int) -> HttpResponse:
    """Ask for another reply to a message."""
    conversation = conversation_or_404(request, conversation_id)
    if "model" in request.POST:
        choose_model(conversation, request.POST["model"])
    try:
        generation = request_reply(conversation, sequence, timezone.now())
    except ReplyInProgress:
        return back_to_chat(request, conversation)
    return start_reply(request, conversation, generation)


def sse_event(event: str, data: str) -> bytes:
    """One server-sent event, with the `data:` prefix on every line of the data."""
    lines = "".join(f"data: {line}\n" for line in _LINE_END.split(data))
    return f"event: {event}\n{lines}\n".encode()


def _find_reply(
    request: SignedInRequest, conversation_id: UUID, sequence: int
) -> tuple[Conversation, Generation | None]:
    """The chat, and the reply to this message while it is being written."""
    conversation = find(request.user.id, conversation_id, session_of(request))
    generation = pending(conversation)
    if generation is not None and generation.parent_sequence != sequence:
        generation = None
    # The request's own connection would be taken as long as the stream, which needs others.
    connections.close_all()
    return conversation, generation


async def _events(
    request: SignedInRequest, conversation: Conversation, sequence: int, generation: Generation | None
) -> AsyncIterator[bytes]:
    user_id = conversation.user_id
    with counted_stream(user_id):
        if generation is not None:
            await begin(generation)
            async for event in _progress_events(request, conversation, generation):
                yield event
        yield await in_tenant(user_id, _final_event, request, conversation, sequence)


async def _progress_events(
    request: SignedInRequest, conversation: Conversation, generation: Generation
) -> AsyncIterator[bytes]:
    sent, last = _Sent(), monotonic()
    async for now in progress(generation):
        began = monotonic()
        events = await sync_to_async(sent.update, thread_sensitive=False)(now)
        pause = min(PAUSE_FACTOR * (monotonic() - began), MAX_PAUSE_S)
        if (now.recalled or now.trace_id) and not sent.recalled:
            sent.recalled = True
            events.insert(0, sse_event("tail", WRITING % _("Writing…")))
            if now.trace_id:
                found = (request, conversation, now.trace_id)
                html, sent.numbers = await in_tenant(generation.user_id, _render_sources, *found)
                events.insert(0, sse_event("recalled", html))
        if not events and monotonic() - last > HEARTBEAT_S:
            events.append(HEARTBEAT)
        for event in events:
            last = monotonic()
            yield event
        await asyncio.sleep(max(POLL_INTERVAL_S, pause))


@dataclass(slots=True)
class _Sent:
    """What a page has received of a reply: its blocks up to `whole`, -1 before the first, and the rest of its
    text up to `length`. After a block too long to render repeatedly, everything is `unformatted`."""

    whole: int = -1
    length: int = 0
    unformatted: bool = False
    recalled: bool = False
    numbers: Numbers = field(default_factory=dict)
    tools: Tools = field(default_factory=dict)

    def update(self, now: Progress) -> list[bytes]:
        """The events that bring the page up to date."""
        return [*self.tool_events(now), *self.text_events(now)]

    def tool_events(self, now: Progress) -> list[bytes]:
        """The event that names the running tools, if they have changed."""
        if now.finished or now.tools == self.tools:
            return []
        self.tools = now.tools
        return [sse_event("doing", render_to_string("chat/_doing.html", {"tools": now.tools}))]

    def text_events(self, now: Progress) -> list[bytes]:
        """The events with the text, if there is anything new."""
        if self.length >= len(now.text):
            return []
        name, start = ("block", self.whole) if self.whole >= 0 else ("draft", 0)
        self.length, self.whole = len(now.text), start + self._finished(now.text[start:])
        events = []
        if self.whole > start or name == "draft":
            events = [sse_event(name, self._html(now.text[start : self.whole]))]
        return [*events, sse_event("tail", self._html(close_markup(now.text[self.whole :])))]

    def _finished(self, text: str) -> int:
        """The length of the beginning that later text cannot change."""
        finished = 0
        if not self.unformatted and len(text) <= MAX_MARKDOWN_LENGTH:
            finished = last_block(text)
        self.unformatted = self.unformatted or len(text) - finished > MAX_BLOCK_LENGTH
        return len(text) if self.unformatted else finished

    def _html(self, text: str) -> str:
        if self.unformatted:
            return format_html('<span class="message-whole">{}</span>', plain(text))
        return markdown(text, numbers=self.numbers)


def _render_sources(
    request: SignedInRequest, conversation: Conversation, trace_id: UUID
) -> tuple[str, Numbers]:
    sources = sources_of(request.user.id, [trace_id]).get(trace_id, ())
    context = {"sources": sources, "conversation": conversation}
    return _rendered(request, "chat/_recalled.html", context), numbers_of(sources)


def _final_event(request: SignedInRequest, conversation: Conversation, sequence: int) -> bytes:
    """The last event of a stream, with the message that replaces the draft."""
    steps, generation = steps_to_reply(conversation, sequence), pending(conversation)
    context: dict[str, Any] = {"conversation": conversation, "generation": generation}
    if not steps:
        return sse_event("failed", render_to_string("chat/_no_reply.html", context))
    context |= {
        "items": display_messages(conversation, steps),
        "seen": generation.parent_sequence if generation else steps[-1].sequence,
        "names": current.has_chat() and is_automatic(conversation),
    }
    event = "failed" if steps[-1].status == Message.Status.FAILED else "done"
    return sse_event(event, _rendered(request, "chat/_replied.html", context))


def _rendered(request: SignedInRequest, template: str, context: dict[str, Any]) -> str:
    """Rendered with the user's times, after the view that set their time zone has returned."""
    with timezone.override(zone_of(preferences_of(request.user.id))):
        return render_to_string(template, context, request)
