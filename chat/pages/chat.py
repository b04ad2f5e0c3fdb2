"""The chat: its start page, a conversation, sending messages, and actions on the whole conversation."""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django_htmx.http import HttpResponseClientRedirect, reselect, reswap, retarget

from accounts.http import SignedInRequest
from accounts.owned import NotFound
from chat import titles
from chat.agents import agent_of
from chat.attachments import split
from chat.branches import message_at
from chat.conversations import (
    ROOT,
    Choices,
    MessageTooLong,
    choose_model,
    is_expired,
    show_branch,
    start,
    update_settings,
)
from chat.conversations import close as close_conversation
from chat.conversations import pin as pin_conversation
from chat.endpoints import exceeds_window
from chat.incognito import mark_closed, open_incognito
from chat.mining.status import mining_status_of
from chat.models import Conversation, Generation, Message
from chat.pages.forms import DeleteForm, MessageForm, SwitchesForm, TitleForm
from chat.pages.queries import conversation_or_404, conversation_page, new_chat_page, session_of
from chat.pages.threads import display_messages, full_html
from chat.projects import change_project, resolve_project, wing_of
from chat.replies.generation import recall_allowed
from chat.replies.jobs import ConversationMovedOn, ReplyInProgress, send_message
from chat.replies.streaming import write_reply
from chat.retention import remove, restorable_chats, restore
from memory.models import Drawer
from memory.pages.requests import REFUSED, form_page, post_page, read_page, report, undo_url
from memory.preferences import preferences_of

GONE = 410
CHAT = ".chat"
CHAT_CONTINUED = gettext_lazy(
    "This chat continued in another window. This is its current state. Your message has not been sent yet; "
    "it is still in the box."
)
TOO_LONG = gettext_lazy(
    "This message is longer than the model can read at once, so the model would miss part of it. Shorten it, "
    "or choose another model."
)
REPLY_IN_PROGRESS = gettext_lazy(
    "A reply is still being written. Wait for it or stop it, then send your message."
)


@read_page
def chat(request: SignedInRequest) -> HttpResponse:
    """The start page, beside the list of all chats."""
    return render(request, "chat/chat.html", new_chat_page(request, MessageForm()))


@form_page
def new(request: SignedInRequest) -> HttpResponse:
    """Start a conversation with its first message; the form itself is on the start page."""
    if request.method != "POST":
        return redirect("chat:chat")
    form = MessageForm(request.POST, request.FILES)
    switches = SwitchesForm(request.user.id, request.POST)
    if form.is_valid() and switches.is_valid():
        now = timezone.now()
        conversation = _start_conversation(request, switches, now)
        generation = _submit(conversation, form)
        if generation is not None:
            return start_reply(request, conversation, generation)
        conversation.delete()
    return _render_rejected(request, "chat/chat.html", new_chat_page(request, form))


@read_page
def conversation(request: SignedInRequest, conversation_id: UUID) -> HttpResponse:
    """A conversation: its newest messages, or those before the one in the URL; an expired one says so."""
    if is_expired(request.user.id, conversation_id):
        return render(request, "chat/gone.html", status=GONE)
    found = conversation_or_404(request, conversation_id)
    page = conversation_page(request, found, MessageForm(), timezone.now())
    response = render(request, "chat/conversation.html", page)
    if found.incognito:
        response.headers["Cache-Control"] = "no-store"
    return response


@post_page
def send(request: SignedInRequest, conversation_id: UUID) -> HttpResponse:
    """Add the user's message and start the reply."""
    found = conversation_or_404(request, conversation_id)
    form = MessageForm(request.POST, request.FILES)
    if "model" in request.POST:
        choose_model(found, request.POST["model"])
    generation = _submit(found, form) if form.is_valid() else None
    if generation is None:
        page = conversation_page(request, found, form, timezone.now())
        return _render_rejected(request, "chat/conversation.html", page)
    if not request.htmx:
        return start_reply(request, found, generation)
    said = message_at(found, generation.parent_sequence)
    context = {
        "conversation": found,
        "generation": generation,
        "items": display_messages(found, [said]),
        "seen": said.sequence,
        "searches": recall_allowed(preferences_of(found.user_id), agent_of(found), found),
        "remembered": mining_status_of(found, timezone.now()),
    }
    return render(request, "chat/_said.html", context)


@read_page
def message(request: SignedInRequest, conversation_id: UUID, sequence: int) -> HttpResponse:
    """A message in full, however long it is."""
    found = conversation_or_404(request, conversation_id)
    wanted = message_at(found, sequence)
    context = {"conversation": found, "message": wanted, "html": full_html(wanted)}
    return render(request, "chat/message.html", context)


@form_page
def edit(request: SignedInRequest, conversation_id: UUID, sequence: int) -> HttpResponse:
    """Edit a message: the chat continues from there in a new branch."""
    found = conversation_or_404(request, conversation_id)
    original = message_at(found, sequence)
    if original.role != Message.Role.USER:
        return redirect("chat:conversation", conversation_id)
    words, files = split(original.content)
    form = MessageForm(request.POST or None, initial={"content": words})
    if form.is_bound and form.is_valid():
        generation = _submit(found, form, parent=original.parent_sequence or ROOT)
        if generation is not None:
            return start_reply(request, found, generation)
    attachments = form.attachments if form.is_bound else files
    context = {"conversation": found, "message": original, "form": form, "attachments": attachments}
    return render(request, "chat/edit.html", context, status=REFUSED if form.errors else 200)


@post_page
def show(request: SignedInRequest, conversation_id: UUID, sequence: int) -> HttpResponse:
    """Select the branch through another version of a message."""
    found = conversation_or_404(request, conversation_id)
    show_branch(found, sequence)
    return redirect(f"{_chat_url(found)}#m{sequence}")


def start_reply(request: SignedInRequest, conversation: Conversation, generation: Generation) -> HttpResponse:
    """Redirect to the conversation, where a script follows the reply; without scripts, have it written."""
    if request.htmx:
        return back_to_chat(request, conversation)
    write_reply(conversation, generation)
    return redirect(f"{_chat_url(conversation)}#m{generation.parent_sequence}")


def back_to_chat(request: SignedInRequest, conversation: Conversation) -> HttpResponse:
    """Redirect to the conversation's page, also for htmx."""
    address = _chat_url(conversation)
    return HttpResponseClientRedirect(address) if request.htmx else redirect(address)


def _submit(conversation: Conversation, form: MessageForm, parent: int | None = None) -> Generation | None:
    """The pending reply for a submitted form; None if it is invalid, with the reason among its errors."""
    content, seen = form.cleaned_data["content"], form.cleaned_data["seen"]
    form.too_long = not form.cleaned_data["oversize"] and exceeds_window(conversation, content)
    if form.too_long:
        form.reject(TOO_LONG)
        return None
    try:
        return send_message(conversation, content, timezone.now(), parent=parent, seen=seen)[1]
    except MessageTooLong as refusal:
        form.reject(str(refusal))
    except ConversationMovedOn:
        form.reject(CHAT_CONTINUED)
        form.went_on = True
    except ReplyInProgress:
        form.reject(REPLY_IN_PROGRESS)
    except NotFound:
        form.reject(_("This chat has been deleted."))
    return None


def _start_conversation(request: SignedInRequest, switches: SwitchesForm, now: datetime) -> Conversation:
    user_id, chosen = request.user.id, switches.cleaned_data
    if chosen["incognito"]:
        return open_incognito(user_id, chosen["agent"], session_of(request), now)
    project = resolve_project(user_id, chosen["project"])
    switched_on = chosen["recall_memory"], chosen["mine"]
    return start(user_id, Choices(chosen["agent"], *switched_on, chosen["model"], project=project), now)


def _render_rejected(request: SignedInRequest, template: str, context: dict[str, Any]) -> HttpResponse:
    if not request.htmx:
        return render(request, template, context, status=REFUSED)
    if context["form"].went_on:
        whole = render(request, template, context, status=REFUSED)
        return reselect(reswap(retarget(whole, CHAT), "outerHTML"), CHAT)
    response = render(request, "chat/_composer.html", context, status=REFUSED)
    return reswap(retarget(response, "#composer"), "outerHTML")


def _chat_url(conversation: Conversation) -> str:
    return reverse("chat:conversation", args=(conversation.id,))


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
    return render(request, "chat/rename.html", context, status=REFUSED if bound else 200)


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
    close_conversation(conversation, timezone.now())
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
    update_settings(conversation, form.cleaned_data)
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
    pin_conversation(conversation, timezone.now() if request.POST.get("on") == "1" else None)
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
