"""Memory in the chat: what was mined, what was recalled, and undoing both."""

from contextlib import suppress
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.http import SignedInRequest
from accounts.owned import first_or_raise
from chat import conversations
from chat.branches import message_at
from chat.mining.pending_work import pending_work_of
from chat.mining.results import mining_status_of, progress_of_chat
from chat.models import Conversation, Message
from chat.pages.queries import conversation_or_404
from chat.recall_traces import readable_recalls
from memory.changes.log import AlreadyUndone
from memory.forgetting import trash
from memory.mining.progress import retry_failed as start_afresh
from memory.pages.requests import post_page, read_page
from memory.pages.search import traces


@read_page
def trace(request: SignedInRequest, conversation_id: UUID, sequence: int) -> HttpResponse:
    """The recall trace of a reply."""
    conversation = conversation_or_404(request, conversation_id)
    message = message_at(conversation, sequence)
    if message.trace_id is None:
        raise Http404
    return _trace_page(request, message.trace_id, message)


@read_page
def recalls(request: SignedInRequest) -> HttpResponse:
    """What was recalled for replies and for programs, newest first."""
    page = traces.recalls(readable_recalls(request.user.id), request.GET.get("after", ""))
    context = {"recalls": page.items, "after": page.after}
    return render(request, "chat/recalls.html", context)


@read_page
def recall(request: SignedInRequest, trace_id: UUID) -> HttpResponse:
    """The trace of a recall, whether a reply followed or not."""
    replies = Message.objects.filter(user_id=request.user.id, conversation__deleted_at=None)
    return _trace_page(request, trace_id, replies.filter(trace_id=trace_id).first())


def _trace_page(request: SignedInRequest, trace_id: UUID, message: Message | None) -> HttpResponse:
    recall_trace = traces.trace_of(readable_recalls(request.user.id), trace_id)
    context = {
        "message": message,
        "trace": recall_trace,
        "legend": traces.legend(each["bars"] for each in recall_trace["considered"]),
    }
    return render(request, "chat/trace.html", context)


@read_page
def reply_of(request: SignedInRequest, trace_id: UUID) -> HttpResponse:
    """Redirect to the reply of a recall trace."""
    reply = first_or_raise(Message.objects.filter(user_id=request.user.id, trace_id=trace_id))
    url = reverse("chat:conversation", args=[reply.conversation_id])
    return redirect(f"{url}#m{reply.sequence}")


@read_page
def remembered(request: SignedInRequest, conversation_id: UUID) -> HttpResponse:
    """What was mined from a chat so far; a page without scripts shows it in the chat."""
    conversation = conversation_or_404(request, conversation_id)
    if not request.htmx:
        return redirect("chat:conversation", conversation_id)
    return _fragment(request, conversation)


@read_page
def waiting(request: SignedInRequest) -> HttpResponse:
    """What is not mined yet in all chats; a page without scripts shows it in the palace."""
    if not request.htmx:
        return redirect("memory:palace")
    return render(request, "chat/_waiting.html", {"waiting": pending_work_of(request.user.id)})


@post_page
def remember_now(request: SignedInRequest, conversation_id: UUID) -> HttpResponse:
    """Mine a chat without waiting until it is idle."""
    conversation = conversation_or_404(request, conversation_id)
    conversations.request_conversation_mining(conversation, timezone.now())
    return _respond(request, conversation, _("The chat will be saved to memory now."))


@post_page
def try_again(request: SignedInRequest, conversation_id: UUID) -> HttpResponse:
    """Retry a chat whose mining failed."""
    conversation = conversation_or_404(request, conversation_id)
    progress = progress_of_chat(conversation)
    if progress is not None:
        start_afresh(progress, timezone.now())
    conversations.request_conversation_mining(conversation, timezone.now())
    return _respond(request, conversation, _("Palace is trying again to save this chat to memory."))


@post_page
def undo_mining(request: SignedInRequest, conversation_id: UUID, event_id: UUID) -> HttpResponse:
    """Forget what one run of mining stored from this chat."""
    conversation = conversation_or_404(request, conversation_id)
    with suppress(AlreadyUndone):
        trash.undo_mining(request.user.id, event_id, timezone.now())
    return _respond(request, conversation, _("Forgotten. It stays in the trash for 30 days."))


@post_page
def restore(request: SignedInRequest, conversation_id: UUID, deletion_id: UUID) -> HttpResponse:
    """Undo forgetting."""
    conversation = conversation_or_404(request, conversation_id)
    if not trash.was_undone(request.user.id, deletion_id):
        trash.undo(request.user.id, deletion_id, timezone.now())
    if request.htmx and request.htmx.target != "remembered":
        return HttpResponse(_("Restored."))
    return _respond(request, conversation, _("Restored."))


def _respond(request: SignedInRequest, conversation: Conversation, words: str) -> HttpResponse:
    if request.htmx:
        return _fragment(request, conversation)
    messages.success(request, words)
    return redirect("chat:conversation", conversation.id)


def _fragment(request: SignedInRequest, conversation: Conversation) -> HttpResponse:
    context = {
        "conversation": conversation,
        "remembered": mining_status_of(conversation, timezone.now()),
    }
    return render(request, "chat/_remembered.html", context)
