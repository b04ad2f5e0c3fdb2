"""Adapters for django-allauth and Django: sign-up, sign-in, storage of secrets, and email."""

import base64
import hashlib
import ipaddress
import secrets
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from smtplib import SMTPException
from typing import Any

import structlog
from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.models import EmailAddress
from allauth.core import context
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.core.internal import ratelimit
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from cryptography.fernet import Fernet, MultiFernet
from django.conf import settings
from django.core.mail import EmailMessage
from django.core.mail.backends import smtp
from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from accounts.registration import (
    account_creation_lock,
    email_is_taken,
    site_is_empty,
    unfinished_accounts,
)
from accounts.sessions import browser_name

KNOWN_BROWSER = "known_browser"
KNOWN_BROWSER_AGE_S = 60 * 60 * 24 * 180

log = structlog.get_logger(__name__)
_executor = ThreadPoolExecutor(2, "mail")


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]
    """Sign-up and sign-in."""

    error_messages = DefaultAccountAdapter.error_messages | {
        "email_password_mismatch": _("Incorrect email or password."),
        "email_taken": _("An account with this email address already exists."),
        "duplicate_email": _("This is already your email address."),
        "enter_current_password": _("Incorrect password."),
        "too_many_login_attempts": _("Too many failed attempts. Try again in a few minutes."),
        "rate_limited": _("Too many requests. Try again in a few minutes."),
    }

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return bool(settings.SIGN_UP)

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Send an email, whose template also knows whether visitors can sign up."""
        super().send_mail(template_prefix, email, context | {"open_for_sign_up": settings.SIGN_UP})

    def save_user(self, request: HttpRequest, user: User, form: Form, commit: bool = True) -> User:
        """Save a visitor's account; the first one of a site owns it and is staff."""
        with account_creation_lock():
            first = site_is_empty()
            if email_is_taken(form.cleaned_data["email"]) or not settings.SIGN_UP:
                raise ImmediateHttpResponse(redirect("account_signup"))
            if first:
                unfinished_accounts().delete()
            user.name = form.cleaned_data["name"]
            user.is_staff = user.is_superuser = first
            super().save_user(request, user, form, commit)
        return user

    def pre_login(self, request: HttpRequest, user: User, **details: Any) -> HttpResponse | None:
        """Treat an address as confirmed if nobody could be asked to confirm it.

        That is the case without a mail server, and for accounts that the operator created: those have no
        primary address before their first sign-in. A request to reset their password adds only another one.
        """
        primary = EmailAddress.objects.filter(user=user, primary=True)
        if not primary.exists():
            confirmed = {"primary": True, "verified": True}
            EmailAddress.objects.update_or_create(user=user, email=user.email, defaults=confirmed)
        elif not settings.EMAIL_HOST:
            primary.update(verified=True)
        response: HttpResponse | None = super().pre_login(request, user, **details)
        return response

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Count an attempt unless the password proves right. Raises ValidationError beyond the limits.

        A browser in which this account has signed in before has a count of its own, so that nobody else's
        wrong passwords lock its owner out. That of a network is apart from that of an account, which
        django-allauth clears after a second factor.
        """
        browser = _known_browser(request, str(credentials.get("email", "")))
        account = self._get_login_attempts_cache_key(request, **credentials)
        counts = [("login_failed_in_network", ""), ("login_failed", account)]
        self._login_failed_rl_usage = ratelimit.RateLimitUsage([])
        for action, key in [("login_failed_in_known_browser", browser)] if browser else counts:
            counted = ratelimit.consume(request, app="allauth.account", action=action, key=key)
            if not counted:
                raise self.validation_error("too_many_login_attempts")
            self._login_failed_rl_usage.usage += counted.usage

    def _get_login_attempts_cache_key(self, request: HttpRequest, **credentials: Any) -> str:
        """The account alone: with django-allauth's key, each host name and port would have its own count."""
        return str(credentials.get("email", "")).lower()

    def post_login(self, request: HttpRequest, user: User, **details: Any) -> HttpResponse:
        """Let the browser remember that this account has signed in with it."""
        response: HttpResponse = super().post_login(request, user, **details)
        browser = _known_browser(request, user.email) or secrets.token_urlsafe(16)
        response.set_signed_cookie(
            KNOWN_BROWSER,
            f"{_address_digest(user.email)} {browser}",
            salt=KNOWN_BROWSER,
            max_age=KNOWN_BROWSER_AGE_S,
            secure=settings.SESSION_COOKIE_SECURE,
            httponly=True,
            samesite="Lax",
        )
        return response

    def get_client_ip(self, request: HttpRequest) -> str:
        """The client's address; IPv4-mapped IPv6 becomes IPv4, or all of it would count as one network."""
        found = ipaddress.ip_address(super().get_client_ip(request))
        return str(getattr(found, "ipv4_mapped", None) or found)

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:
        return reverse("accounts:account")


class MfaAdapter(DefaultMFAAdapter):  # type: ignore[misc]
    """Second factors; their secrets are encrypted with SECRET_KEY."""

    def generate_authenticator_name(self, user: User, type: Authenticator.Type) -> str:
        """The browser that creates it, such as `Firefox on Linux`."""
        return browser_name(context.request.headers.get("User-Agent", "")) or gettext("Passkey")

    def encrypt(self, text: str) -> str:
        return _fernet().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        return _fernet().decrypt(encrypted_text).decode()


class EmailBackend(smtp.EmailBackend):
    """SMTP on another thread, so that response times do not reveal who gets an email.

    A stopping process sends queued emails first.
    """

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        """Queue the messages; returns how many."""
        _executor.submit(self._send_now, email_messages)
        return len(email_messages)

    def _send_now(self, messages: Sequence[EmailMessage]) -> None:
        try:
            super().send_messages(messages)
        except (OSError, SMTPException) as error:
            log.warning(
                "an email was not sent", server=f"{self.host}:{self.port}", reason=type(error).__name__
            )


def lift_sign_in_lock(email: str) -> None:
    """Forget wrong passwords for this address, as a reset of the password does."""
    AccountAdapter()._delete_login_attempts_cached_email(HttpRequest(), email=email)


def _fernet() -> MultiFernet:
    keys = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    digests = (hashlib.sha256(f"accounts.mfa {key!s}".encode()).digest() for key in keys)
    return MultiFernet([Fernet(base64.urlsafe_b64encode(digest)) for digest in digests])


def _known_browser(request: HttpRequest, email: str) -> str:
    """The id of the browser if this address has signed in with it, otherwise the empty string."""
    cookie = request.get_signed_cookie(
        KNOWN_BROWSER, default="", salt=KNOWN_BROWSER, max_age=KNOWN_BROWSER_AGE_S
    )
    digest, _, browser = str(cookie).partition(" ")
    return browser if digest == _address_digest(email) else ""


def _address_digest(email: str) -> str:
    return salted_hmac(KNOWN_BROWSER, email.strip().lower(), algorithm="sha256").hexdigest()
