"""What every page of memory knows about who asks: their choices, and their own clock."""

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
from memory.preferences import preferences_of, read_once
from memory.recall.settings import settings_from

Arguments = ParamSpec("Arguments")

SAFE = ("GET", "HEAD")
REFUSED = 422
"""The status of a form that is shown again with what is wrong in it."""


class MemoryRequest(SignedInRequest):
    """A signed-in request with the person's choices about memory."""

    preferences: MemoryPreferences


View = Callable[Concatenate[MemoryRequest, Arguments], HttpResponse]


def read_page(view: View[Arguments]) -> View[Arguments]:
    """A page that only shows something."""
    return require_safe(_memory_page(view))


def form_page(view: View[Arguments]) -> View[Arguments]:
    """A page with a form that is posted to its own address."""
    return require_http_methods(["GET", "HEAD", "POST"])(_memory_page(view))


def post_page(view: View[Arguments]) -> View[Arguments]:
    """An address that only changes something."""
    return require_POST(_memory_page(view))


def _memory_page(view: View[Arguments]) -> View[Arguments]:
    """Give a view the person's choices, and show every date by their clock."""

    @wraps(view)
    def inner(request: MemoryRequest, /, *args: Arguments.args, **kwargs: Arguments.kwargs) -> HttpResponse:
        request.preferences = preferences_of(request.user.id)
        once = read_once(request.preferences) if request.method in SAFE else nullcontext()
        with once, timezone.override(settings_from(request.preferences).zone):
            return view(request, *args, **kwargs)

    return inner


def waiting(request: HttpRequest) -> dict[str, object]:
    """How many facts wait for their owner, for the navigation; counted only on pages that show it."""
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return {}
    return {"waiting_for_review": SimpleLazyObject(partial(count_waiting, user.id))}


def undo_url(change_id: UUID | None) -> str:
    """Where to undo a change, a batch of them, a deletion or an event; "" where there is none."""
    return reverse("memory:undo", args=[change_id]) if change_id else ""


def report(request: HttpRequest, words: str, change_id: UUID | None = None) -> None:
    """Show what was done, with a button that undoes it if it can be undone."""
    messages.success(request, words, extra_tags=undo_url(change_id))


def page_before(request: HttpRequest) -> str:
    """The page of this site that a form or its address says it came from, or an empty text."""
    wanted = request.POST.get("back") or request.GET.get("back", "")
    allowed = url_has_allowed_host_and_scheme(wanted, {request.get_host()})
    return wanted if allowed and wanted.startswith("/") else ""


def as_id(text: str | None) -> UUID | None:
    """The id that an address or a form gives, or None if the text is not an id."""
    try:
        return UUID(text)
    except (TypeError, ValueError):
        return None
