"""Feedback on drawers recalled for a reply: not relevant, wrong, forget or always use.

Each can be undone in the same place.
"""

from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.http import SignedInRequest
from chat.branches import messages_of
from chat.models import Conversation
from chat.pages.forms import RemarkForm
from chat.pages.queries import conversation_or_404
from chat.replies.sources import source_of
from memory.changes.log import ChangedSince
from memory.facts import corrections
from memory.facts.queries import facts_in_drawer
from memory.forgetting import trash
from memory.models import Drawer
from memory.organize.arranging import mark
from memory.pages.requests import form_page, post_page
from memory.recall.feedback import clear_not_relevant, record_not_relevant

UNPROCESSABLE = 422


@post_page
def fits(request: SignedInRequest, conversation_id: UUID, trace_id: UUID, drawer_id: UUID) -> HttpResponse:
    """Mark a drawer as not relevant to this message (`on` is 0), or undo that."""
    conversation = conversation_or_404(request, conversation_id)
    if request.POST.get("on") == "1":
        clear_not_relevant(request.user.id, trace_id, drawer_id)
        return _respond(request, conversation, trace_id, drawer_id, _("Undone."))
    record_not_relevant(request.user.id, trace_id, drawer_id, timezone.now())
    words = _("It will rank lower for similar questions.")
    return _respond(request, conversation, trace_id, drawer_id, words)


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
    return _respond(request, conversation, trace_id, drawer_id, words)


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
    return render(request, "chat/wrong.html", context, status=UNPROCESSABLE if form.errors else 200)


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
    return _respond(request, conversation, trace_id, drawer_id, _("Undone."))


@post_page
def forget(request: SignedInRequest, conversation_id: UUID, trace_id: UUID, drawer_id: UUID) -> HttpResponse:
    """Forget a drawer that was recalled for a reply."""
    conversation = conversation_or_404(request, conversation_id)
    trash.delete(request.user.id, "drawer", drawer_id, timezone.now())
    words = _("Forgotten. You can undo it below the reply or in the trash.")
    return _respond(request, conversation, trace_id, drawer_id, words)


def _respond(
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
