"""Actions on a whole conversation."""

from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from accounts.http import SignedInRequest
from chat import conversations, titles
from chat.incognito import mark_closed
from chat.mining.results import mining_status_of
from chat.models import Conversation
from chat.pages.forms import DeleteForm, SwitchesForm, TitleForm
from chat.pages.queries import conversation_or_404
from chat.projects import change_project, wing_of
from chat.retention import remove, restorable_chats, restore
from memory.models import Drawer
from memory.pages.requests import form_page, post_page, read_page, report, undo_url

UNPROCESSABLE = 422
PAGE_SIZE = 50
MOVED = gettext_lazy("Saved. What was saved to memory from this chat is now in the project’s wing.")


@form_page
def rename(request: SignedInRequest, conversation_id: UUID) -> HttpResponse:
    """Rename a conversation."""
    conversation = conversation_or_404(request, conversation_id)
    bound = request.method == "POST"
    form = TitleForm(request.POST if bound else None, initial={"title": conversation.title})
    if bound and form.is_valid():
        edit = titles.rename(conversation, form.cleaned_data["title"], timezone.now())
        if edit is not None:
            report(request, _("Chat renamed."), edit.batch_id)
        return redirect("chat:conversation", conversation_id)
    context = {"conversation": conversation, "form": form}
    return render(request, "chat/rename.html", context, status=UNPROCESSABLE if bound else 200)


@form_page
def delete(request: SignedInRequest, conversation_id: UUID) -> HttpResponse:
    """Delete a conversation and, if chosen, what was mined from it."""
    conversation = conversation_or_404(request, conversation_id)
    form = DeleteForm(request.POST) if request.method == "POST" else DeleteForm()
    if form.is_bound and form.is_valid():
        forget = form.cleaned_data["forget"]
        forgotten = remove(conversation, timezone.now(), forget_too=forget)
        undo = "" if conversation.incognito else reverse("chat:undelete", args=(conversation_id,))
        messages.success(request, _deleted(forgotten), extra_tags=undo)
        return redirect("chat:chat")
    remembered = Drawer.objects.live().filter(user_id=request.user.id, source_id=conversation.id)
    context = {"conversation": conversation, "form": form, "remembered": remembered.count()}
    return render(request, "chat/delete.html", context)


@read_page
def deleted(request: SignedInRequest) -> HttpResponse:
    """Deleted chats that can still be restored."""
    page = Paginator(restorable_chats(request.user.id), PAGE_SIZE).get_page(request.GET.get("page"))
    return render(request, "chat/deleted.html", {"page": page})


@post_page
def undelete(request: SignedInRequest, conversation_id: UUID) -> HttpResponse:
    """Restore a deleted conversation, and what was forgotten with it."""
    restore(request.user.id, conversation_id, timezone.now())
    messages.success(request, _("Chat restored."))
    return redirect("chat:conversation", conversation_id)


@post_page
def close(request: SignedInRequest, conversation_id: UUID) -> HttpResponse:
    """Close a conversation."""
    conversation = conversation_or_404(request, conversation_id)
    conversations.close(conversation, timezone.now())
    messages.success(request, _closed(conversation))
    return redirect("chat:chat")


@post_page
def switches(request: SignedInRequest, conversation_id: UUID) -> HttpResponse:
    """Choose the agent of a conversation, its memory switches and its project."""
    conversation = conversation_or_404(request, conversation_id)
    form = SwitchesForm(request.user.id, request.POST)
    if not form.is_valid():
        if request.htmx:
            return HttpResponse(status=404)
        messages.error(request, _("There is no such agent. Nothing was changed."))
        return redirect("chat:conversation", conversation_id)
    conversations.update_settings(conversation, form.cleaned_data)
    before, moved = conversation.project, None
    if "project" in request.POST and not conversation.incognito:
        moved = change_project(conversation, form.cleaned_data["project"], timezone.now())
    undo_id = moved.batch_id if moved else None
    if request.htmx:
        is_new = conversation.project != before
        return _project(request, conversation, undo_id) if is_new else HttpResponse(status=204)
    report(request, str(MOVED) if moved else _("Saved. Applies from the next message."), undo_id)
    return redirect("chat:conversation", conversation_id)


def _project(request: SignedInRequest, conversation: Conversation, undo_id: UUID | None) -> HttpResponse:
    """The project in the head of the page, and what moved with it."""
    context = {
        "conversation": conversation,
        "project_wing": wing_of(conversation),
        "out_of_band": True,
        "told": MOVED if undo_id else "",
        "undo_url": undo_url(undo_id),
    }
    return render(request, "chat/_project.html", context)


@post_page
def pin(request: SignedInRequest, conversation_id: UUID) -> HttpResponse:
    """Pin a chat to the top of the list, or unpin it (`on` is 0)."""
    conversation = conversation_or_404(request, conversation_id)
    conversations.pin(conversation, timezone.now() if request.POST.get("on") == "1" else None)
    return redirect("chat:conversation", conversation_id)


@post_page
def title(request: SignedInRequest, conversation_id: UUID) -> HttpResponse:
    """Have a model name the chat; the response is the new title, or empty if it has not changed."""
    conversation = conversation_or_404(request, conversation_id)
    if not titles.generate_title(conversation, timezone.now()):
        return HttpResponse(status=204)
    return render(request, "chat/_title.html", {"conversation": conversation, "out_of_band": True})


def _closed(conversation: Conversation) -> str:
    if conversation.incognito:
        return _("The incognito chat was erased.")
    status = mining_status_of(conversation, timezone.now())
    if status.changes:
        return _("The chat is closed and will be saved to memory now.")
    return " ".join(filter(None, (_("The chat is closed."), status.words)))


def _deleted(forgotten: int) -> str:
    if not forgotten:
        return _("Chat deleted.")
    return ngettext(
        "Chat deleted, and %(count)d memory of it forgotten. It stays in the trash for 30 days.",
        "Chat deleted, and %(count)d memories of it forgotten. They stay in the trash for 30 days.",
        forgotten,
    ) % {"count": forgotten}


@post_page
def presence(request: SignedInRequest, conversation_id: UUID) -> HttpResponse:
    """Record that a page still shows the chat or, with `left`, that it was closed."""
    conversation = conversation_or_404(request, conversation_id)
    if not conversation.incognito:
        raise Http404
    if "left" in request.POST:
        mark_closed(conversation, timezone.now())
    return HttpResponse(status=204)
