"""Memory in the chat: what was mined, what was recalled with feedback on it, and undoing both."""

from contextlib import suppress
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.http import SignedInRequest
from accounts.owned import first_or_raise
from chat import conversations
from chat.branches import message_at, messages_of
from chat.forgetting import readable_recalls
from chat.mining.status import mining_status_of, pending_work_of, progress_of_chat
from chat.models import Conversation, Message
from chat.pages.forms import RemarkForm
from chat.pages.queries import conversation_or_404
from chat.replies.sources import source_of
from memory.changes.log import AlreadyUndone, ChangedSince
from memory.facts import corrections
from memory.facts.queries import facts_in_drawer
from memory.forgetting import trash
from memory.mining.progress import retry_failed as start_afresh
from memory.models import Drawer
from memory.organize.arranging import mark
from memory.pages.requests import REFUSED, form_page, post_page, read_page
from memory.pages.search import traces
from memory.recall.feedback import clear_not_relevant, record_not_relevant


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


@post_page
def fits(request: SignedInRequest, conversation_id: UUID, trace_id: UUID, drawer_id: UUID) -> HttpResponse:
    """Mark a drawer as not relevant to this message (`on` is 0), or undo that."""
    conversation = conversation_or_404(request, conversation_id)
    if request.POST.get("on") == "1":
        clear_not_relevant(request.user.id, trace_id, drawer_id)
        return _source_changed(request, conversation, trace_id, drawer_id, _("Undone."))
    record_not_relevant(request.user.id, trace_id, drawer_id, timezone.now())
    words = _("It will rank lower for similar questions.")
    return _source_changed(request, conversation, trace_id, drawer_id, words)


@post_page
def always(request: SignedInRequest, conversation_id: UUID, trace_id: UUID, drawer_id: UUID) -> HttpResponse:
    """Pin a drawer, which recall prefers, or unpin it."""
    conversation = conversation_or_404(request, conversation_id)
    pinned = request.POST.get("on") == "1"
    source_of(request.user.id, trace_id, drawer_id)
    if not Drawer.objects.live().filter(user_id=request.user.id, id=drawer_id).exists():
        raise Http404
    mark(request.user.id, drawer_id, "pinned", on=pinned, now=timezone.now())
    words = _("Pinned: it is preferred from now on.") if pinned else _("No longer pinned.")
    return _source_changed(request, conversation, trace_id, drawer_id, words)


@form_page
def wrong(request: SignedInRequest, conversation_id: UUID, trace_id: UUID, drawer_id: UUID) -> HttpResponse:
    """Mark what a drawer says as wrong, with a remark; its facts go to review."""
    conversation = conversation_or_404(request, conversation_id)
    source = source_of(request.user.id, trace_id, drawer_id)
    form = RemarkForm(request.POST) if request.method == "POST" else RemarkForm()
    if form.is_valid():
        remark = form.cleaned_data["remark"]
        corrections.correct_drawer(request.user.id, drawer_id, remark, timezone.now())
        messages.success(request, _("Marked as wrong. The facts extracted from it wait in your review."))
        return _redirect_to_reply(conversation, trace_id)
    context = {
        "conversation": conversation,
        "source": source,
        "form": form,
        "facts": facts_in_drawer(request.user.id, drawer_id),
    }
    return render(request, "chat/wrong.html", context, status=REFUSED if form.errors else 200)


@post_page
def right(
    request: SignedInRequest, conversation_id: UUID, trace_id: UUID, drawer_id: UUID, event_id: UUID
) -> HttpResponse:
    """Undo marking a drawer as wrong."""
    conversation = conversation_or_404(request, conversation_id)
    try:
        corrections.undo(request.user.id, event_id, timezone.now())
    except ChangedSince:
        messages.error(request, _("You have reviewed its facts since. Undo that in the review first."))
        return _redirect_to_reply(conversation, trace_id)
    return _source_changed(request, conversation, trace_id, drawer_id, _("Undone."))


@post_page
def forget(request: SignedInRequest, conversation_id: UUID, trace_id: UUID, drawer_id: UUID) -> HttpResponse:
    """Forget a drawer that was recalled for a reply."""
    conversation = conversation_or_404(request, conversation_id)
    trash.delete(request.user.id, "drawer", drawer_id, timezone.now())
    words = _("Forgotten. You can undo it below the reply or in the trash.")
    return _source_changed(request, conversation, trace_id, drawer_id, words)


def _source_changed(
    request: SignedInRequest, conversation: Conversation, trace_id: UUID, drawer_id: UUID, words: str
) -> HttpResponse:
    if not request.htmx:
        messages.success(request, words)
        return _redirect_to_reply(conversation, trace_id)
    context = {
        "conversation": conversation,
        "source": source_of(request.user.id, trace_id, drawer_id),
        "changed": True,
    }
    return render(request, "chat/_source.html", context)


def _redirect_to_reply(conversation: Conversation, trace_id: UUID) -> HttpResponseRedirect:
    """Redirect to the reply the drawer was recalled for."""
    reply = messages_of(conversation).filter(trace_id=trace_id).values_list("sequence", flat=True)
    address = reverse("chat:conversation", args=(conversation.id,))
    return redirect(f"{address}#m{reply[0]}" if reply else address)
