"""Replies for pages without scripts: started at once, waited for briefly, then polled."""

from time import monotonic, sleep

from asgiref.sync import async_to_sync
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest
from django.utils import timezone

from chat.models import Conversation, Generation
from chat.replies.generation import answer
from chat.replies.jobs import pending
from chat.replies.streaming import begin

REPLY_WAIT_S = 5.0
STOP_WAIT_S = 3.0
POLL_INTERVAL_S = 0.1


def write_reply(request: HttpRequest, conversation: Conversation, generation: Generation) -> None:
    """Have a reply written; return when it is finished or takes longer than a page may wait.

    It is then finished even if nobody follows it. A server without an event loop cannot do that and returns
    when the reply is complete.
    """
    if isinstance(request, ASGIRequest):
        async_to_sync(begin)(generation, watched=False)
        wait_for_end(conversation, REPLY_WAIT_S)
    else:
        answer(conversation, generation, timezone.now())


def wait_for_end(conversation: Conversation, seconds: float) -> None:
    """Return when no reply is being written any more, after `seconds` at the latest."""
    until = monotonic() + seconds
    while pending(conversation) is not None and monotonic() < until:
        sleep(POLL_INTERVAL_S)
