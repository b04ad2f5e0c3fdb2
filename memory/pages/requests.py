"""What every page of memory knows about who asks: their choices, and their own clock."""

from collections.abc import Callable
from contextlib import nullcontext
from functools import wraps
from typing import Concatenate, ParamSpec
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme

from accounts.http import SignedInRequest
from memory.changes.log import NoSuchChange
from memory.consolidation.application import NoSuchPlan
from memory.consolidation.journal import NoSuchRun
from memory.facts.review.decisions import NoSuchFact
from memory.forgetting.trash import NothingToDelete, NotInTrash
from memory.graph.editing import NoSuchEntity
from memory.mining.reextraction import NothingToTakeBack
from memory.models import Drawer, MemoryPreferences
from memory.organize.places import NothingThere
from memory.pages.palace.queries import NoSuchPlace
from memory.pages.search.saved_searches import NoSuchSearch
from memory.paging import CursorUnreadable
from memory.preferences import NoEarlierSettings, preferences_of, read_once
from memory.projections.corrections import NotInProfile
from memory.projections.insights import NoSuchInsight
from memory.projections.skills import NoSuchSkill
from memory.recall.settings import settings_from

Arguments = ParamSpec("Arguments")

SAFE = ("GET", "HEAD")
NOT_FOUND = (
    CursorUnreadable,
    NoEarlierSettings,
    NoSuchChange,
    NoSuchEntity,
    NoSuchFact,
    NoSuchInsight,
    NoSuchPlace,
    NoSuchSearch,
    NoSuchSkill,
    NotInProfile,
    NoSuchPlan,
    NoSuchRun,
    NothingToDelete,
    NothingToTakeBack,
    NothingThere,
    NotInTrash,
)


class MemoryRequest(SignedInRequest):
    """A signed-in request with the person's choices about memory."""

    preferences: MemoryPreferences


View = Callable[Concatenate[MemoryRequest, Arguments], HttpResponse]


def memory_page(view: View[Arguments]) -> View[Arguments]:
    """Give a view the person's choices, show every date by their clock, and turn what cannot be
    found into a 404."""

    @wraps(view)
    def inner(request: MemoryRequest, /, *args: Arguments.args, **kwargs: Arguments.kwargs) -> HttpResponse:
        request.preferences = preferences_of(request.user.id)
        once = read_once(request.preferences) if request.method in SAFE else nullcontext()
        try:
            with once, timezone.override(settings_from(request.preferences).zone):
                return view(request, *args, **kwargs)
        except NOT_FOUND as error:
            raise Http404 from error

    return inner


def page_before(request: HttpRequest) -> str:
    """The page of this site that a form or its address says it came from, or an empty text."""
    wanted = request.POST.get("back") or request.GET.get("back", "")
    allowed = url_has_allowed_host_and_scheme(wanted, {request.get_host()})
    return wanted if allowed and wanted.startswith("/") else ""


def own_drawer(request: MemoryRequest, drawer_id: UUID) -> Drawer:
    """The person's drawer with its place, in the trash or not; raises Http404."""
    drawer = (
        Drawer.objects.filter(user_id=request.user.id, id=drawer_id)
        .select_related("wing", "room", "closet")
        .first()
    )
    if drawer is None:
        raise Http404
    return drawer
