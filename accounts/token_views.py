"""The pages of API tokens: making one, which is shown once, and revoking one."""

from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.forms import TokenForm
from accounts.http import SignedInRequest
from accounts.tokens import NameTaken, issue_token, tokens_of
from accounts.tokens import revoke_token as revoke

REFUSED = 422
NEW = "new_token"
SHOWN_WITHIN = timedelta(minutes=1)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def tokens(request: SignedInRequest) -> HttpResponse:
    """The tokens that work, a form for another, and once the text of one that was just made."""
    form = TokenForm(request.POST or None)
    made = _made(request.user.id, form) if form.is_bound and form.is_valid() else None
    if made:
        return _to_be_shown(request, made)
    shown = "" if form.is_bound else _just_made(request)
    context = {"form": form, "made": shown, "tokens": tokens_of(request.user.id)}
    status = REFUSED if form.is_bound else 200
    response = render(request, "accounts/tokens.html", context, status=status)
    if shown:
        response.delete_cookie(NEW, path=request.path, samesite="Strict")
    return response


def _to_be_shown(request: SignedInRequest, text: str) -> HttpResponse:
    """The way to the page that shows it, so that going back to that page makes none. Until then
    only the browser has the text, for nothing here keeps more than a digest."""
    response = redirect("accounts:tokens")
    response.set_signed_cookie(
        NEW,
        text,
        salt=_salt_of(request),
        max_age=SHOWN_WITHIN,
        path=request.path,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Strict",
    )
    return response


def _just_made(request: SignedInRequest) -> str:
    shown = request.get_signed_cookie(NEW, default="", salt=_salt_of(request), max_age=SHOWN_WITHIN)
    return str(shown)


def _salt_of(request: SignedInRequest) -> str:
    return f"{NEW} {request.user.id}"


def _made(user_id: UUID, form: TokenForm) -> str | None:
    given = form.cleaned_data
    try:
        return issue_token(user_id, given["name"], timezone.now(), tuple(given["scopes"]))
    except NameTaken:
        form.add_error("name", _("You have a token of this name. Choose another name."))
    return None


@require_http_methods(["GET", "HEAD", "POST"])
def revoke_token(request: SignedInRequest, token_id: UUID) -> HttpResponse:
    """Revoke a token after asking once more."""
    token = get_object_or_404(tokens_of(request.user.id), id=token_id)
    if request.method != "POST":
        return render(request, "accounts/revoke_token.html", {"token": token})
    revoke(token, timezone.now())
    messages.success(request, _("The token is revoked. It opens nothing any more."))
    return redirect("accounts:tokens")
