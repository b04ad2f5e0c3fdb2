"""Request types for views."""

from django.http import HttpRequest
from django_htmx.middleware import HtmxDetails

from accounts.models import User
from accounts.tokens import Bearer


class SignedInRequest(HttpRequest):
    """A request of a signed-in user. Every view gets one unless it is marked otherwise."""

    user: User
    htmx: HtmxDetails


class BearerRequest(HttpRequest):
    """A request authenticated by a token rather than a session."""

    user: User
    bearer: Bearer
