"""The temporal knowledge graph as a table."""

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from memory.entity_forms import AsOfForm, PathsForm
from memory.graph.paths import Hop
from memory.graph.paths import paths as paths_between
from memory.knowledge import Line, entity_of, line_of, relations_at
from memory.views.requests import MemoryRequest, memory_page

REFUSED = 422


@require_safe
@memory_page
def graph(request: MemoryRequest) -> HttpResponse:
    """Relations newest first: all of them, those of one entity, or those of a day."""
    form = AsOfForm(request.GET, user_id=request.user.id)
    if not form.is_valid():
        return render(request, "memory/graph.html", {"form": form}, status=REFUSED)
    entity_id = form.entity_id()
    entity = entity_of(request.user.id, entity_id) if entity_id else None
    if entity_id and entity is None:
        raise Http404
    relations = relations_at(
        request.user.id,
        entity_id=entity_id,
        at=form.moment(),
        after=request.GET.get("after", ""),
    )
    context = {
        "form": form,
        "entity": entity,
        "day": form.cleaned_data["at"],
        "relations": relations,
    }
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


def _ways(request: MemoryRequest, form: PathsForm) -> list[list[tuple[Line, ...]]]:
    start, end = form.cleaned_data["start"], form.cleaned_data["end"]
    found = paths_between(request.user.id, start.id, end.id, at=form.moment())
    return [[_lines(hop) for hop in way] for way in found]


def _lines(hop: Hop) -> tuple[Line, ...]:
    return tuple(line_of(relation) for relation in hop.relations)
