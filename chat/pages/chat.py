"""The chat: its start page, a conversation, and sending messages."""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django_htmx.http import HttpResponseClientRedirect, reselect, reswap, retarget

from accounts.http import SignedInRequest
from accounts.owned import NotFound
from chat.agents import agent_of
from chat.attachments import split
from chat.branches import message_at
from chat.conversations import ROOT, Choices, MessageTooLong, choose_model, is_expired, show_branch, start
from chat.endpoints import exceeds_window
from chat.incognito import open_incognito
from chat.mining.results import mining_status_of
from chat.models import Conversation, Generation, Message
from chat.pages.forms import MessageForm, SwitchesForm
from chat.pages.queries import conversation_or_404, conversation_page, new_chat_page, session_of
from chat.pages.threads import display_messages, full_html
from chat.projects import resolve_project
from chat.replies.generation import recall_allowed
from chat.replies.jobs import ConversationMovedOn, ReplyInProgress, send_message
from chat.replies.streaming import write_reply
from memory.pages.requests import form_page, post_page, read_page
from memory.preferences import preferences_of

GONE = 410
UNPROCESSABLE = 422
CHAT = ".chat"
CHAT_CONTINUED = _(
    "This chat continued in another window. This is its current state. Your message has not been sent yet; "
    "it is still in the box."
)
TOO_LONG = _(
    "This message is longer than the model can read at once, so the model would miss part of it. Shorten it, "
    "or choose another model."
)
REPLY_IN_PROGRESS = _("A reply is still being written. Wait for it or stop it, then send your message.")


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
    return render(request, "chat/edit.html", context, status=UNPROCESSABLE if form.errors else 200)


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
    write_reply(request, conversation, generation)
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
        return render(request, template, context, status=UNPROCESSABLE)
    if context["form"].went_on:
        whole = render(request, template, context, status=UNPROCESSABLE)
        return reselect(reswap(retarget(whole, CHAT), "outerHTML"), CHAT)
    response = render(request, "chat/_composer.html", context, status=UNPROCESSABLE)
    return reswap(retarget(response, "#composer"), "outerHTML")


def _chat_url(conversation: Conversation) -> str:
    return reverse("chat:conversation", args=(conversation.id,))
