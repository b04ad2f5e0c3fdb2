"""Decorators and helpers for views of memory: they load the user's preferences and activate their time
zone."""

from collections.abc import Callable
from contextlib import nullcontext
from functools import partial, wraps
from typing import Concatenate, ParamSpec
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import SimpleLazyObject
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.http import SignedInRequest
from memory.facts.queries import count_waiting
from memory.models import MemoryPreferences
from memory.preferences import cached_preferences, preferences_of
from memory.recall.types import settings_from

Arguments = ParamSpec("Arguments")

SAFE = ("GET", "HEAD")
REFUSED = 422
"""The status of a form that is shown again with its errors."""


class MemoryRequest(SignedInRequest):
    """A signed-in request with the user's memory preferences."""

    preferences: MemoryPreferences


View = Callable[Concatenate[MemoryRequest, Arguments], HttpResponse]


def read_page(view: View[Arguments]) -> View[Arguments]:
    """Decorator for read-only pages."""
    return require_safe(_memory_page(view))


def form_page(view: View[Arguments]) -> View[Arguments]:
    """Decorator for pages with a form that posts to its own URL."""
    return require_http_methods(["GET", "HEAD", "POST"])(_memory_page(view))


def post_page(view: View[Arguments]) -> View[Arguments]:
    """Decorator for views that only accept POST."""
    return require_POST(_memory_page(view))


def _memory_page(view: View[Arguments]) -> View[Arguments]:
    """Set `request.preferences` and activate the user's time zone."""

    @wraps(view)
    def inner(request: MemoryRequest, /, *args: Arguments.args, **kwargs: Arguments.kwargs) -> HttpResponse:
        request.preferences = preferences_of(request.user.id)
        once = cached_preferences(request.preferences) if request.method in SAFE else nullcontext()
        with once, timezone.override(settings_from(request.preferences).zone):
            return view(request, *args, **kwargs)

    return inner


def waiting(request: HttpRequest) -> dict[str, object]:
    """Context processor: the number of facts to review, counted only on pages that show it."""
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return {}
    return {"waiting_for_review": SimpleLazyObject(partial(count_waiting, user.id))}


def undo_url(change_id: UUID | None) -> str:
    """The URL that undoes a change, batch, deletion or event; empty without an id."""
    return reverse("memory:undo", args=[change_id]) if change_id else ""


def report(request: HttpRequest, words: str, change_id: UUID | None = None) -> None:
    """Add a success message, with an undo button if there is something to undo."""
    messages.success(request, words, extra_tags=undo_url(change_id))


def back_url(request: HttpRequest) -> str:
    """The URL of this site in the `back` parameter, or an empty string."""
    wanted = request.POST.get("back") or request.GET.get("back", "")
    allowed = url_has_allowed_host_and_scheme(wanted, {request.get_host()})
    return wanted if allowed and wanted.startswith("/") else ""


def parse_uuid(text: str | None) -> UUID | None:
    """The UUID in a text, or None."""
    try:
        return UUID(text)
    except (TypeError, ValueError):
        return None
