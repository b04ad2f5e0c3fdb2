"""Account pages besides those of django-allauth: profile, theme, sessions, tokens."""

import time
from collections.abc import Callable
from datetime import timedelta
from functools import wraps
from typing import Any
from uuid import UUID

from allauth.account import views as allauth_views
from allauth.account.decorators import reauthentication_required
from allauth.usersessions.models import UserSession
from allauth.usersessions.views import ListUserSessionsView
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.forms import ProfileForm, TokenForm
from accounts.http import SignedInRequest, set_preference_cookie
from accounts.models import User
from accounts.oauth import connected_apps, disconnect_app
from accounts.registration import site_is_empty
from accounts.sessions import browser_name
from accounts.tenancy import visitor
from accounts.tokens import NameTaken, issue_token, tokens_of
from accounts.tokens import revoke_token as revoke

METHODS = ["GET", "HEAD", "POST"]
LOOKS = {"theme": ("light", "dark"), "density": ("comfortable",)}
UNPROCESSABLE = 422
NEW_TOKEN = "new_token"  # noqa: S105 - the name of a cookie
NEW_TOKEN_MAX_AGE = timedelta(minutes=1)

View = Callable[..., HttpResponseBase]


def answer_in_constant_time(view: View) -> View:
    """If this site sends email, delay responses to POST, so that their time reveals nothing."""

    @wraps(view)
    def wait(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        until = time.monotonic() + settings.ANSWER_AFTER_S
        response = view(request, *args, **kwargs)
        if request.method == "POST" and settings.EMAIL_HOST:
            time.sleep(max(0, until - time.monotonic()))
        return response

    return wait


_sign_in = allauth_views.LoginView.as_view(extra_context={"may_sign_up": lambda: settings.SIGN_UP})
_is_first = {"is_first": site_is_empty}
sign_up = answer_in_constant_time(allauth_views.SignupView.as_view(extra_context=_is_first))
sign_up_by_passkey = answer_in_constant_time(
    allauth_views.SignupByPasskeyView.as_view(extra_context=_is_first)
)


@require_http_methods(METHODS)
@login_not_required
def sign_in(request: HttpRequest) -> HttpResponseBase:
    """Ask for email and password; on a site without accounts, create the first one instead."""
    return redirect("account_signup") if site_is_empty() else _sign_in(request)


@require_http_methods(METHODS)
@login_not_required
@answer_in_constant_time
def reset_password(request: HttpRequest) -> HttpResponseBase:
    """Email a link to reset the password, or say that this server sends no email."""
    if not settings.EMAIL_HOST:
        return render(request, "account/password_reset_without_mail.html")
    with visitor():  # even for an account other than the one signed in with
        answer: HttpResponseBase = allauth_views.password_reset(request)
    return answer


@require_http_methods(METHODS)
@login_not_required
def reset_password_by_link(request: HttpRequest, uidb36: str, key: str) -> HttpResponseBase:
    """Ask for the new password of the account that a mailed link names."""
    with visitor():
        answer: HttpResponseBase = allauth_views.password_reset_from_key(request, uidb36=uidb36, key=key)
    return answer


@require_safe
def welcome(request: SignedInRequest) -> HttpResponse:
    """Three ways to start."""
    return render(request, "accounts/welcome.html")


@require_http_methods(METHODS)
def account(request: SignedInRequest) -> HttpResponse:
    """Name, language and theme, and links to everything about signing in."""
    # A separate instance from request.user, so that an invalid form does not affect the page.
    person = User.objects.get(pk=request.user.pk)
    form = ProfileForm(request.POST or None, instance=person)
    if form.is_bound and form.is_valid():
        form.save_changes()
        messages.success(request, _("Saved."))
        return redirect("accounts:account")
    status = UNPROCESSABLE if form.is_bound else 200
    return render(request, "accounts/account.html", {"form": form}, status=status)


@require_POST
def choose_look(request: SignedInRequest) -> HttpResponse:
    """Store the chosen theme or density in this browser. Without one, the theme follows the system
    and lists are compact."""
    response = redirect(f"{reverse('accounts:account')}#look")
    for name in LOOKS.keys() & request.POST.keys():
        chosen = request.POST[name]
        set_preference_cookie(response, name, chosen if chosen in LOOKS[name] else "")
    return response


class _SessionsView(ListUserSessionsView):  # type: ignore[misc]
    """The user's sessions; a POST signs out all others."""

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """The sessions with their browsers' names: this one, then the newest."""
        context: dict[str, Any] = super().get_context_data(**kwargs)
        newest = sorted(context["sessions"], key=lambda each: each.created_at, reverse=True)
        newest.sort(key=lambda each: not each.is_current())
        context["browsers"] = [(each, browser_name(each.user_agent)) for each in newest]
        return context


sessions = require_http_methods(METHODS)(_SessionsView.as_view())


@require_POST
def end_session(request: SignedInRequest, session_id: int) -> HttpResponse:
    """Sign another session out."""
    get_object_or_404(UserSession, user=request.user, pk=session_id).end()
    messages.success(request, _("Signed out of that browser."))
    return redirect("usersessions_list")


@require_http_methods(METHODS)
@never_cache
def tokens(request: SignedInRequest) -> HttpResponse:
    """The active tokens and connected apps, a form for a new token, and a new token's text, once."""
    form = TokenForm(request.POST or None)
    text = _create_token(request, form) if form.is_bound and form.is_valid() else None
    if text:
        return _redirect_with_token(request, text)
    salt = _new_token_salt(request)
    cookie = request.get_signed_cookie(NEW_TOKEN, default="", salt=salt, max_age=NEW_TOKEN_MAX_AGE)
    shown = "" if form.is_bound else str(cookie)
    user_id = request.user.id
    context = {"form": form, "made": shown, "tokens": tokens_of(user_id), "apps": connected_apps(user_id)}
    status = UNPROCESSABLE if form.is_bound else 200
    response = render(request, "accounts/tokens.html", context, status=status)
    if shown:
        response.delete_cookie(NEW_TOKEN, path=request.path, samesite="Strict")
    return response


def _redirect_with_token(request: SignedInRequest, text: str) -> HttpResponse:
    """A redirect to the page that shows the token, so that going back does not create another.

    Until then only the browser has the text; the server stores only a digest.
    """
    response = redirect("accounts:tokens")
    response.set_signed_cookie(
        NEW_TOKEN,
        text,
        salt=_new_token_salt(request),
        max_age=NEW_TOKEN_MAX_AGE,
        path=request.path,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Strict",
    )
    return response


def _new_token_salt(request: SignedInRequest) -> str:
    return f"{NEW_TOKEN} {request.user.id}"


@reauthentication_required  # type: ignore[untyped-decorator]
def _create_token(request: SignedInRequest, form: TokenForm) -> str | None:
    """The text of a new token. Raises ReauthenticationRequired if the last sign-in was too long ago."""
    given = form.cleaned_data
    try:
        return issue_token(request.user.id, given["name"], timezone.now(), given["scopes"])
    except NameTaken:
        form.add_error("name", _("You already have a token with this name. Choose another name."))
    return None


@require_http_methods(METHODS)
def revoke_token(request: SignedInRequest, token_id: UUID) -> HttpResponse:
    """Revoke a token, after a confirmation."""
    token = get_object_or_404(tokens_of(request.user.id), id=token_id)
    if request.method != "POST":
        return render(request, "accounts/revoke_token.html", {"token": token})
    revoke(token, timezone.now())
    messages.success(request, _("Token revoked."))
    return redirect("accounts:tokens")


@require_POST
def disconnect(request: SignedInRequest, client_id: str) -> HttpResponse:
    """Disconnect an app; it may ask for access again."""
    if not disconnect_app(request.user.id, client_id):
        raise Http404
    messages.success(request, _("App disconnected."))
    return redirect("accounts:tokens")
