"""What every page of memory knows about who asks: their choices, and their own clock."""

from collections.abc import Callable
from contextlib import nullcontext
from functools import wraps
from typing import Concatenate, ParamSpec
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme

from accounts.http import SignedInRequest
from accounts.owned import first_or_raise
from memory.models import Drawer, MemoryPreferences
from memory.preferences import preferences_of, read_once
from memory.recall.settings import settings_from

Arguments = ParamSpec("Arguments")

SAFE = ("GET", "HEAD")


class MemoryRequest(SignedInRequest):
    """A signed-in request with the person's choices about memory."""

    preferences: MemoryPreferences


View = Callable[Concatenate[MemoryRequest, Arguments], HttpResponse]


def memory_page(view: View[Arguments]) -> View[Arguments]:
    """Give a view the person's choices, and show every date by their clock."""

    @wraps(view)
    def inner(request: MemoryRequest, /, *args: Arguments.args, **kwargs: Arguments.kwargs) -> HttpResponse:
        request.preferences = preferences_of(request.user.id)
        once = read_once(request.preferences) if request.method in SAFE else nullcontext()
        with once, timezone.override(settings_from(request.preferences).zone):
            return view(request, *args, **kwargs)

    return inner


def page_before(request: HttpRequest) -> str:
    """The page of this site that a form or its address says it came from, or an empty text."""
    wanted = request.POST.get("back") or request.GET.get("back", "")
    allowed = url_has_allowed_host_and_scheme(wanted, {request.get_host()})
    return wanted if allowed and wanted.startswith("/") else ""


def own_drawer(request: MemoryRequest, drawer_id: UUID) -> Drawer:
    """The person's drawer with its place, in the trash or not. Raises NotFound."""
    return first_or_raise(
        Drawer.objects.filter(user_id=request.user.id, id=drawer_id).select_related("wing", "room", "closet")
    )
