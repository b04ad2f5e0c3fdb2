"""Requests as views see them."""

from django.http import HttpRequest
from django_htmx.middleware import HtmxDetails

from accounts.models import User


class SignedInRequest(HttpRequest):
    """A request behind the sign-in, which every view has that is not marked otherwise."""

    user: User
    htmx: HtmxDetails
