"""Closing an account: what that erases, the password, and the receipt."""

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
    context = {"form": form, "rows": rows_by_table(request.user.id)}
    return render(request, "closing/close.html", context, status=REFUSED if form.is_bound else 200)


def _closed(request: SignedInRequest, person: User, form: PasswordForm) -> HttpResponse:
    try:
        closed = close_account(person)
    except LastOfStaff:
        form.add_error(None, _("You run this site for others. Let somebody else be staff first."))
        context = {"form": form, "rows": rows_by_table(person.id)}
        return render(request, "closing/close.html", context, status=REFUSED)
    logout(request)
    context = {"closed": closed, "receipt": told_in_words(closed)}
    return render(request, "closing/closed.html", context)
