"""The forget pages: choose, preview, confirm, and the receipt with its undo."""

from datetime import timedelta
from typing import Any, ClassVar
from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memory.forgetting import requests
from memory.forgetting.holders import Choice, holders, waiting_uploads
from memory.forgetting.receipts import (
    SCOPES,
    kept_lines,
    lines,
    names_in_trash,
    names_of,
    receipt_of,
    receipt_view,
    receipts_of,
)
from memory.forgetting.scopes import KINDS, ForgetRequest, NothingToForget
from memory.graph.resolution import find_entity
from memory.outgoing import Outgoing
from memory.pages.forms import DayField, start_of
from memory.pages.palace.queries import wings
from memory.pages.requests import REFUSED, MemoryRequest, form_page, post_page, read_page
from memory.text.names import normalise_name

EXCERPT = 200
CONFIRMATION_PHRASE = gettext_lazy("forget everything")


class ScopeForm(forms.Form):
    """What to forget: a kind with an id, a name, or a range of days."""

    kind = forms.ChoiceField(choices=[(kind, kind) for kind in KINDS])
    id = forms.UUIDField(required=False)
    name = forms.CharField(required=False, max_length=200)
    first = DayField(label=gettext_lazy("From"))
    last = DayField(label=gettext_lazy("To (inclusive)"))

    def __init__(self, user_id: UUID, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user_id = user_id

    def clean(self) -> dict[str, Any]:
        """Look up the name, and reject an empty request."""
        cleaned = super().clean() or self.cleaned_data
        kind = cleaned.get("kind")
        if kind == "entity" and cleaned.get("name"):
            entity = find_entity(self.user_id, cleaned["name"])
            if entity is None:
                raise forms.ValidationError(_("No person or thing has that name."))
            cleaned["id"] = entity.id
        if kind == "dates":
            self._check_days(cleaned)
        elif kind != "everything" and not cleaned.get("id"):
            raise forms.ValidationError(_("Choose what to forget."))
        return cleaned

    def forget_request(self, *, with_chats: bool) -> ForgetRequest:
        """The request; call it on a valid form. Days are in the current time zone."""
        cleaned = self.cleaned_data
        if cleaned["kind"] != "dates":
            object_id = None if cleaned["kind"] == "everything" else cleaned["id"]
            return ForgetRequest(cleaned["kind"], object_id, with_chats=with_chats)
        since = start_of(cleaned["first"]) if cleaned["first"] else None
        last = cleaned["last"] or cleaned["first"]
        until = start_of(last + timedelta(days=1)) if last else None
        return ForgetRequest("dates", since=since, until=until, with_chats=with_chats)

    def _check_days(self, cleaned: dict[str, Any]) -> None:
        first, last = cleaned.get("first"), cleaned.get("last")
        if self.errors:
            return
        if not first and not last:
            raise forms.ValidationError(_("Choose at least one day."))
        if first and last and last < first:
            raise forms.ValidationError(_("The last day is before the first."))


class ConfirmForm(forms.Form):
    """How to forget: move to the trash or erase, with or without the messages in chats."""

    HOW: ClassVar = [
        ("trash", gettext_lazy("Move to trash: you can undo this for 30 days")),
        ("now", gettext_lazy("Erase for good: this cannot be undone")),
    ]
    how = forms.ChoiceField(
        label=gettext_lazy("What should happen?"), choices=HOW, initial="trash", widget=forms.RadioSelect()
    )
    with_chats = forms.BooleanField(
        label=gettext_lazy("Also remove these messages from their chats"),
        required=False,
        initial=True,
        help_text=gettext_lazy(
            "If off, the messages stay in their chats, but are not saved to memory again."
        ),
    )
    typed = forms.CharField(required=False)

    def __init__(self, kind: str, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if kind == "everything":
            label = _("Type “%(words)s” to continue") % {"words": CONFIRMATION_PHRASE}
            self.fields["typed"] = forms.CharField(label=label, required=True)
        else:
            del self.fields["typed"]

    def clean_typed(self) -> str:
        """Require the exact phrase."""
        typed: str = self.cleaned_data["typed"]
        if normalise_name(typed) != normalise_name(str(CONFIRMATION_PHRASE)):
            raise forms.ValidationError(_("That does not match. Nothing was forgotten."))
        return typed


@read_page
def wizard(request: MemoryRequest) -> HttpResponse:
    """Everything that can be forgotten, and earlier receipts."""
    return render(request, "forget/wizard.html", _choices(request))


@form_page
def preview(request: MemoryRequest) -> HttpResponse:
    """Preview a request; forget it when it is confirmed."""
    scope = ScopeForm(request.user.id, request.GET)
    if not scope.is_valid():
        context = _choices(request) | {"scope": scope}
        return render(request, "forget/wizard.html", context, status=REFUSED)
    return _confirm(request, scope)


@read_page
def receipt(request: MemoryRequest, receipt_id: UUID) -> HttpResponse:
    """What was forgotten, in counts, and whether any of it is left."""
    found = receipt_of(request.user.id, receipt_id)
    context = {
        "receipt": found,
        "view": receipt_view(found),
        "name": names_in_trash(request.user.id, [found]).get(found.id),
        "uploads": waiting_uploads(found),
    }
    return render(request, "forget/receipt.html", context)


@post_page
def erase(request: MemoryRequest, receipt_id: UUID) -> HttpResponse:
    """Erase a deletion that is in the trash."""
    requests.erase_now(request.user.id, receipt_id, timezone.now())
    return redirect("forget:receipt", receipt_id)


def _confirm(request: MemoryRequest, scope: ScopeForm) -> HttpResponse:
    kind = scope.cleaned_data["kind"]
    form = ConfirmForm(kind, request.POST if request.method == "POST" else None)
    with_chats = not form.is_bound or "with_chats" in request.POST
    wanted = scope.forget_request(with_chats=with_chats)
    try:
        if form.is_bound and form.is_valid():
            act = requests.forget_now if form.cleaned_data["how"] == "now" else requests.forget
            return redirect("forget:receipt", act(request.user.id, wanted, timezone.now()).id)
        seen = requests.preview(request.user.id, wanted)
    except NothingToForget:
        return _nothing_to_forget(request, scope)
    out = Outgoing(request.user.id)
    about = (kind, scope.cleaned_data["id"])
    context = {
        "form": form,
        "scope": SCOPES[kind],
        "name": names_of(request.user.id, [about]).get(about),
        "facts": seen.facts,
        "kind": kind,
        "lines": lines(seen.counts),
        "kept": kept_lines(seen.counts),
        "examples": [(each, out.beginning(each.content, EXCERPT)[0]) for each in seen.examples],
    }
    status = REFUSED if form.is_bound else 200
    return render(request, "forget/preview.html", context, status=status)


def _nothing_to_forget(request: MemoryRequest, scope: ScopeForm) -> HttpResponse:
    """Days and everything may match nothing; an id that does is a 404, whoever owns it."""
    if scope.cleaned_data["kind"] not in ("dates", "everything"):
        raise Http404
    messages.info(request, _("There is nothing to forget."))
    return redirect("forget:wizard")


def _choices(request: MemoryRequest) -> dict[str, object]:
    user_id = request.user.id
    offered = [choice for holder in holders() for choice in holder.choices(user_id)]
    receipts = receipts_of(user_id)
    names = names_in_trash(user_id, receipts)
    subjects = [(each, f"{each.name} ({each.drawers_held})") for each in wings(user_id).items]
    return {
        "scope": ScopeForm(user_id),
        "wings": [(each.id, label) for each, label in subjects],
        "projects": [(each.id, label) for each, label in subjects if each.kind == "project"],
        "chats": [(each.id, _dated(each)) for each in offered if each.kind == "source"],
        "agents": [(each.id, each.label) for each in offered if each.kind == "agent"],
        "receipts": [(each, receipt_view(each), names.get(each.id)) for each in receipts],
    }


def _dated(chat: Choice) -> str:
    return f"{chat.label or _('Untitled')}, {date_format(chat.at, 'j M Y')}" if chat.at else chat.label


app_name = "forget"
urlpatterns = [
    path("", wizard, name="wizard"),
    path("preview/", preview, name="preview"),
    path("<uuid:receipt_id>/", receipt, name="receipt"),
    path("<uuid:receipt_id>/erase/", erase, name="erase"),
]
