"""The temporal knowledge graph, drawn and as a table."""

from datetime import date
from uuid import UUID

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from memory.drawing import Drawing, View, drawing
from memory.entity_forms import AsOfForm, PathsForm
from memory.graph.paths import Hop
from memory.graph.paths import paths as paths_between
from memory.knowledge import (
    Line,
    RelationChoice,
    entity_of,
    first_relation,
    line_of,
    owner_of,
    relations_at,
)
from memory.models import Entity
from memory.views.requests import MemoryRequest, memory_page

REFUSED = 422


@require_safe
@memory_page
def graph(request: MemoryRequest) -> HttpResponse:
    """Relations newest first: all of them, those of one entity, or those of a day; and a drawing of
    what surrounds the entity, or the owner."""
    form = AsOfForm(request.GET, user_id=request.user.id)
    if not form.is_valid():
        return render(request, "memory/graph.html", {"form": form}, status=REFUSED)
    entity_id = form.entity_id()
    entity = entity_of(request.user.id, entity_id) if entity_id else None
    if entity_id and entity is None:
        raise Http404
    choice = RelationChoice(entity_id, form.moment(), form.shows_ended())
    relations = relations_at(request.user.id, choice, after=request.GET.get("after", ""))
    context = {
        "form": form,
        "entity": entity,
        "day": form.cleaned_data["at"],
        "hops": form.cleaned_data["hops"],
        "relations": relations,
        "drawing": _drawn(request, form, entity),
    } | _slider(request.user.id, form.cleaned_data["at"])
    return render(request, "memory/graph.html", context)


@require_safe
@memory_page
def paths(request: MemoryRequest) -> HttpResponse:
    """The shortest ways between two entities; only the form before any are named."""
    given = request.GET if {"start", "end"} <= set(request.GET) else None
    form = PathsForm(given, initial=request.GET.dict(), user_id=request.user.id)
    if given is not None and not form.is_valid():
        return render(request, "memory/paths.html", {"form": form}, status=REFUSED)
    ways = _ways(request, form) if given is not None else None
    return render(request, "memory/paths.html", {"form": form, "ways": ways})


def _slider(user_id: UUID, day: date | None) -> dict[str, object]:
    """The first day of all relations, how many days ago it was, and how many of them have passed
    on the day that is looked at."""
    began = first_relation(user_id)
    if began is None:
        return {}
    first, today = timezone.localdate(began), timezone.localdate()
    days = max(0, (today - first).days)
    passed = (day - first).days if day else days
    return {"first": first, "days": days, "passed": min(max(passed, 0), days)}


def _drawn(request: MemoryRequest, form: AsOfForm, entity: Entity | None) -> Drawing | None:
    focus = entity or owner_of(request.user.id)
    if focus is None:
        return None
    at = form.moment() or timezone.now()
    return drawing(focus, View(form.cleaned_data["hops"], at, ended=form.shows_ended()))


def _ways(request: MemoryRequest, form: PathsForm) -> list[list[tuple[Line, ...]]]:
    start, end = form.cleaned_data["start"], form.cleaned_data["end"]
    found = paths_between(request.user.id, start.id, end.id, at=form.moment())
    return [[_lines(hop) for hop in way] for way in found]


def _lines(hop: Hop) -> tuple[Line, ...]:
    return tuple(line_of(relation) for relation in hop.relations)
