"""The wizard of forgetting: choose, look at what it takes, confirm, receipt, and the way back."""

from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.http import SignedInRequest
from chat import forgetting
from chat.agents import agents_of
from chat.conversations import conversations_of
from chat.forget_forms import ConfirmForm, ScopeForm
from chat.forgetting import NotForgotten
from chat.pages import zone_of
from memory.browsing import wings
from memory.forgetting.receipts import NoSuchReceipt, receipt_of, receipts_of
from memory.forgetting.scopes import NothingToForget
from memory.forgetting.telling import SCOPES, kept_lines, lines, told

REFUSED = 422
SHOWN_CHATS = 50


@require_safe
def wizard(request: SignedInRequest) -> HttpResponse:
    """Everything that can be forgotten, by what it is, and what was forgotten before."""
    return render(request, "forget/wizard.html", _choices(request))


@require_http_methods(["GET", "HEAD", "POST"])
def preview(request: SignedInRequest) -> HttpResponse:
    """What a choice would take; on confirmation it is forgotten."""
    with timezone.override(zone_of(request.user.id)):
        scope = ScopeForm(request.user.id, request.GET)
        if not scope.is_valid():
            context = _choices(request) | {"scope": scope}
            return render(request, "forget/wizard.html", context, status=REFUSED)
        return _confirm(request, scope)


@require_safe
def receipt(request: SignedInRequest, receipt_id: UUID) -> HttpResponse:
    """What was forgotten, in numbers, and the proof that nothing of it is left."""
    try:
        found = receipt_of(request.user.id, receipt_id)
    except NoSuchReceipt as error:
        raise Http404 from error
    uploads = forgetting.uploads_untouched(found)
    context = {"receipt": found, "told": told(found), "uploads": uploads}
    with timezone.override(zone_of(request.user.id)):
        return render(request, "forget/receipt.html", context)


@require_POST
def undo(request: SignedInRequest, receipt_id: UUID) -> HttpResponse:
    """Take a forgetting back."""
    try:
        forgetting.bring_back(request.user.id, receipt_id, timezone.now())
    except NotForgotten as error:
        raise Http404 from error
    messages.success(request, _("Everything is back where it was."))
    return redirect("forget:receipt", receipt_id)


@require_POST
def erase(request: SignedInRequest, receipt_id: UUID) -> HttpResponse:
    """Erase now what waits in the trash."""
    try:
        forgetting.erase_now(request.user.id, receipt_id, timezone.now())
    except NotForgotten as error:
        raise Http404 from error
    return redirect("forget:receipt", receipt_id)


def _confirm(request: SignedInRequest, scope: ScopeForm) -> HttpResponse:
    kind = scope.cleaned_data["kind"]
    form = ConfirmForm(kind, request.POST if request.method == "POST" else None)
    with_chats = not form.is_bound or "with_chats" in request.POST
    wanted = scope.wanted(with_chats=with_chats)
    try:
        if form.is_bound and form.is_valid():
            now = form.cleaned_data["how"] == "now"
            act = forgetting.forget_now if now else forgetting.forget
            return redirect("forget:receipt", act(request.user.id, wanted, timezone.now()).id)
        seen = forgetting.preview(request.user.id, wanted)
    except NothingToForget:
        return _nothing(request, scope)
    context = {
        "form": form,
        "scope": SCOPES[kind],
        "kind": kind,
        "lines": lines(seen.counts),
        "kept": kept_lines(seen.counts),
        "examples": seen.examples,
    }
    status = REFUSED if form.is_bound else 200
    return render(request, "forget/preview.html", context, status=status)


def _nothing(request: SignedInRequest, scope: ScopeForm) -> HttpResponse:
    """Ids of others and what is gone look the same; a choice of days or of all may be in vain."""
    if scope.cleaned_data["kind"] not in ("dates", "everything"):
        raise Http404
    messages.info(request, _("There is nothing to forget there."))
    return redirect("forget:wizard")


def _choices(request: SignedInRequest) -> dict[str, object]:
    user_id = request.user.id
    return {
        "scope": ScopeForm(user_id),
        "wings": wings(user_id).items,
        "chats": conversations_of(user_id)[:SHOWN_CHATS],
        "agents": agents_of(user_id),
        "receipts": [(each, told(each)) for each in receipts_of(user_id)],
    }
