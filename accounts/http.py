"""Requests as views see them."""

from django.http import HttpRequest
from django_htmx.middleware import HtmxDetails

from accounts.models import User
from accounts.tokens import Bearer


class SignedInRequest(HttpRequest):
    """A request behind the sign-in, which every view has that is not marked otherwise."""

    user: User
    htmx: HtmxDetails


class BearerRequest(HttpRequest):
    """A request of a program, which a token lets in and no session does."""

    user: User
    bearer: Bearer
