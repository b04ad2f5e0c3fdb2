"""Pages of the account: signing up, in and out, passwords and sessions."""

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout, update_session_auth_hash
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.forms import PasswordChangeForm, PasswordResetForm, SetPasswordForm
from django.forms import BaseForm
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render, resolve_url
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.forms import ProfileForm, SignInForm, SignUpForm
from accounts.http import SignedInRequest
from accounts.models import User
from accounts.signing import (
    AddressTaken,
    NewAccount,
    SignUpClosed,
    begin_session,
    close_session,
    close_sessions,
    may_sign_up,
    open_account,
    open_sessions,
    site_is_empty,
    user_of_reset_link,
)

THEMES = ("light", "dark")
YEAR = 60 * 60 * 24 * 365
REFUSED = 422


def _status(form: BaseForm) -> int:
    return REFUSED if form.is_bound else 200


def _wanted_page(request: HttpRequest) -> str:
    """Where `next` leads, if that is a page of this site; the chat otherwise."""
    wanted = request.POST.get("next") or request.GET.get("next") or ""
    safe = url_has_allowed_host_and_scheme(
        wanted, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return wanted if safe else resolve_url(settings.LOGIN_REDIRECT_URL)


@require_http_methods(["GET", "HEAD", "POST"])
@login_not_required
@never_cache
@sensitive_post_parameters()
def sign_in(request: HttpRequest) -> HttpResponse:
    """Ask for address and password; on a site without accounts, make the first one instead."""
    wanted = _wanted_page(request)
    if request.user.is_authenticated:
        return HttpResponseRedirect(wanted)
    if site_is_empty():
        return redirect("accounts:sign_up")
    form = SignInForm(request, request.POST or None)
    if form.is_bound and form.is_valid():
        begin_session(request, form.get_user())
        return HttpResponseRedirect(wanted)
    context = {"form": form, "next": wanted, "may_sign_up": settings.SIGN_UP}
    return render(request, "accounts/sign_in.html", context, status=_status(form))


@require_POST
@login_not_required
def sign_out(request: HttpRequest) -> HttpResponse:
    """End this session."""
    logout(request)
    return redirect(settings.LOGOUT_REDIRECT_URL)


@require_http_methods(["GET", "HEAD", "POST"])
@login_not_required
@never_cache
@sensitive_post_parameters()
def sign_up(request: HttpRequest) -> HttpResponse:
    """Open an account and sign in; the first of a site becomes its owner."""
    if request.user.is_authenticated:
        return redirect(settings.LOGIN_REDIRECT_URL)
    if not may_sign_up():
        return render(request, "accounts/sign_up_closed.html", status=403)
    form = SignUpForm(request.POST or None)
    if form.is_bound and form.is_valid():
        user = _opened(form)
        if user:
            begin_session(request, user)
            return redirect("memory:consent")
    context = {"form": form, "is_first": site_is_empty()}
    return render(request, "accounts/sign_up.html", context, status=_status(form))


def _opened(form: SignUpForm) -> User | None:
    given = form.cleaned_data
    try:
        return open_account(NewAccount(given["email"], given["password1"], given["name"]))
    except AddressTaken:
        form.add_error("email", form.fields["email"].error_messages["unique"])
    except SignUpClosed:
        form.add_error(None, _("This server takes no new accounts."))
    return None


@require_safe
def welcome(request: SignedInRequest) -> HttpResponse:
    """The three ways to begin."""
    return render(request, "accounts/welcome.html")


@require_http_methods(["GET", "HEAD", "POST"])
@sensitive_post_parameters()
def account(request: SignedInRequest) -> HttpResponse:
    """Name, address, look, password and sessions of the person."""
    # Another instance than request.user, so that a refused form leaves the page's own alone.
    person = User.objects.get(pk=request.user.pk)
    form = ProfileForm(request.POST or None, instance=person)
    if form.is_bound and form.is_valid():
        form.keep_changes()
        messages.success(request, _("Saved."))
        return redirect("accounts:account")
    sessions = open_sessions(request.user.id, request.session.session_key, timezone.now())
    context = {"form": form, "sessions": sessions}
    return render(request, "accounts/account.html", context, status=_status(form))


@require_POST
def choose_theme(request: SignedInRequest) -> HttpResponse:
    """Keep the choice of light or dark in this browser; anything else follows the system."""
    response = redirect("accounts:account")
    theme = request.POST.get("theme", "")
    if theme in THEMES:
        secure = settings.SESSION_COOKIE_SECURE
        response.set_cookie("theme", theme, YEAR, secure=secure, httponly=True, samesite="Lax")
    else:
        response.delete_cookie("theme", samesite="Lax")
    return response


@require_POST
def end_session(request: SignedInRequest, session_id: str) -> HttpResponse:
    """Sign out of another browser."""
    if not close_session(request.user.id, session_id):
        raise Http404
    messages.success(request, _("That browser is signed out."))
    return redirect("accounts:account")


@require_POST
def end_other_sessions(request: SignedInRequest) -> HttpResponse:
    """Sign out everywhere but here."""
    close_sessions(request.user.id, except_key=request.session.session_key)
    messages.success(request, _("Every other browser is signed out."))
    return redirect("accounts:account")


@require_http_methods(["GET", "HEAD", "POST"])
@sensitive_post_parameters()
def change_password(request: SignedInRequest) -> HttpResponse:
    """Set another password, which ends every other session."""
    form = PasswordChangeForm(request.user, request.POST or None)
    if form.is_bound and form.is_valid():
        update_session_auth_hash(request, form.save())
        close_sessions(request.user.id, except_key=request.session.session_key)
        messages.success(request, _("Your password is changed. Other browsers are signed out."))
        return redirect("accounts:account")
    context = {"form": form}
    return render(request, "accounts/change_password.html", context, status=_status(form))


@require_http_methods(["GET", "HEAD", "POST"])
@login_not_required
def forgotten_password(request: HttpRequest) -> HttpResponse:
    """Send a link to a new password, or say that this server sends no mail."""
    form = PasswordResetForm(request.POST or None)
    if settings.EMAIL_HOST and form.is_bound and form.is_valid():
        form.save(
            use_https=request.is_secure(),
            request=request,
            subject_template_name="accounts/reset_subject.txt",
            email_template_name="accounts/reset_email.txt",
        )
        return redirect("accounts:link_sent")
    context = {"form": form, "sends_mail": bool(settings.EMAIL_HOST)}
    return render(request, "accounts/forgotten_password.html", context)


@require_safe
@login_not_required
def link_sent(request: HttpRequest) -> HttpResponse:
    """Say what happens next, without telling whether the address has an account."""
    return render(request, "accounts/link_sent.html")


@require_http_methods(["GET", "HEAD", "POST"])
@login_not_required
@never_cache
@sensitive_post_parameters()
def new_password(request: HttpRequest, uid: str, token: str) -> HttpResponse:
    """Set the password of whom the link was sent to; it works once and ends all sessions."""
    user = user_of_reset_link(uid, token)
    if user is None:
        return render(request, "accounts/link_spent.html", status=410)
    form = SetPasswordForm(user, request.POST or None)
    if form.is_bound and form.is_valid():
        form.save()
        close_sessions(user.id)
        messages.success(request, _("Your password is set. Sign in with it."))
        return redirect("accounts:sign_in")
    return render(request, "accounts/new_password.html", {"form": form}, status=_status(form))
