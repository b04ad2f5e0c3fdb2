"""Shared by the views of all packages: request types, and preferences stored in the browser."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django_htmx.middleware import HtmxDetails

from accounts.models import User
from accounts.tokens import Bearer

YEAR_S = 60 * 60 * 24 * 365


class SignedInRequest(HttpRequest):
    """A request of a signed-in user. Every view gets one unless it is marked otherwise."""

    user: User
    htmx: HtmxDetails


class BearerRequest(HttpRequest):
    """A request authenticated by a token rather than a session."""

    user: User
    bearer: Bearer


def set_preference_cookie(response: HttpResponse, cookie: str, chosen: str) -> None:
    """Store a display preference in this browser for a year; an empty one restores the default."""
    if chosen:
        secure = settings.SESSION_COOKIE_SECURE
        response.set_cookie(cookie, chosen, YEAR_S, secure=secure, httponly=True, samesite="Lax")
    else:
        response.delete_cookie(cookie, samesite="Lax")
