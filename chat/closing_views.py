"""Closing an account: what that erases, the password, and the receipt."""

from uuid import UUID

from django import forms
from django.contrib.auth import logout
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from accounts.http import SignedInRequest
from accounts.models import User
from chat.closing import LastOfStaff, close_account, rows_by_table, told_in_words

REFUSED = 422
MOSTLY = {
    "chat_conversation": _("Chats"),
    "chat_message": _("Messages in them"),
    "memory_drawer": _("Drawers, each a message or note word for word"),
    "memory_fact": _("Facts"),
    "memory_entity": _("People and things"),
    "memory_skill": _("Skills"),
    "accounts_apitoken": _("Access tokens"),
    "accounts_session": _("Browsers that are signed in"),
}


class PasswordForm(forms.Form):
    """The person's own password."""

    password = forms.CharField(
        label=_("Your password"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@sensitive_post_parameters()
def close(request: SignedInRequest) -> HttpResponse:
    """Say what closing erases; with the password, erase it and show the receipt.

    The receipt is the answer itself: afterwards there is nobody whose page it could be.
    """
    form = PasswordForm(request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        person = User.objects.get(pk=request.user.pk)
        if not person.check_password(form.cleaned_data["password"]):
            form.add_error("password", _("That is not your password. Nothing was erased."))
        else:
            return _closed(request, person, form)
    return _page(request, request.user.id, form)


def _closed(request: SignedInRequest, person: User, form: PasswordForm) -> HttpResponse:
    try:
        closed = close_account(person)
    except LastOfStaff:
        form.add_error(None, _("You run this site for others. Let somebody else be staff first."))
        return _page(request, person.id, form)
    logout(request)
    context = {"closed": closed, "receipt": told_in_words(closed)}
    return render(request, "closing/closed.html", context)


def _page(request: SignedInRequest, user_id: UUID, form: PasswordForm) -> HttpResponse:
    rows = rows_by_table(user_id)
    mostly = [(name, rows[table]) for table, name in MOSTLY.items() if rows.get(table)]
    context = {"form": form, "rows": rows, "mostly": mostly}
    return render(request, "closing/close.html", context, status=REFUSED if form.is_bound else 200)
