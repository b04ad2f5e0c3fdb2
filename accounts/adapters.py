"""Adapts django-allauth: who may sign up, what sign-in says, how secrets are stored."""

import base64
import hashlib
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.models import EmailAddress
from allauth.core import context
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from cryptography.fernet import Fernet, MultiFernet
from django.conf import settings
from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from accounts.registration import is_taken, may_sign_up, one_at_a_time, site_is_empty, unfinished
from accounts.sessions import browser_name


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
        """Whether visitors can sign up."""
        return may_sign_up()

    def save_user(self, request: HttpRequest, user: User, form: Form, commit: bool = True) -> User:
        """Save a visitor's account; the first one of a site owns it and is staff."""
        with one_at_a_time():
            first = site_is_empty()
            if is_taken(form.cleaned_data["email"]) or not may_sign_up():
                raise ImmediateHttpResponse(redirect("account_signup"))
            if first:
                unfinished().delete()
            user.name = form.cleaned_data["name"]
            user.is_staff = user.is_superuser = first
            super().save_user(request, user, form, commit)
        return user

    def pre_login(self, request: HttpRequest, user: User, **details: Any) -> HttpResponse | None:
        """Treat an address as confirmed if nobody could be asked to confirm it.

        That is the case without a mail server, and for accounts that the operator created.
        """
        addresses = EmailAddress.objects.filter(user=user)
        if not addresses.exists():
            EmailAddress.objects.create(user=user, email=user.email, primary=True, verified=True)
        elif not settings.EMAIL_HOST:
            addresses.filter(primary=True).update(verified=True)
        refusal: HttpResponse | None = super().pre_login(request, user, **details)
        return refusal

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:
        """The account page."""
        return reverse("accounts:account")


class MfaAdapter(DefaultMFAAdapter):  # type: ignore[misc]
    """Second factors; their secrets are encrypted with SECRET_KEY."""

    def generate_authenticator_name(self, user: User, type: Authenticator.Type) -> str:
        """The browser that creates it, such as `Firefox on Linux`."""
        return browser_name(context.request.headers.get("User-Agent", "")) or gettext("Passkey")

    def encrypt(self, text: str) -> str:
        """The secret, encrypted for storage."""
        return _fernet().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        """The secret as it was before `encrypt`."""
        return _fernet().decrypt(encrypted_text).decode()


def _fernet() -> MultiFernet:
    keys = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    digests = (hashlib.sha256(f"accounts.mfa {key!s}".encode()).digest() for key in keys)
    return MultiFernet([Fernet(base64.urlsafe_b64encode(digest)) for digest in digests])
