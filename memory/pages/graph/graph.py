"""The pages of the temporal knowledge graph: the drawing, the table, and paths between two entities."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import cos, pi, sin
from uuid import UUID

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from memory.facts.queries import Evidence, RelationChoice, entity_of, owner_of, relations_at
from memory.graph.traversal import latest_relations, quotes_of
from memory.graph.traversal import paths as paths_between
from memory.models import Entity, Relation, RelationSource
from memory.pages.graph.drawing import (
    KIND_OF,
    KINDS,
    MAX_POINTS,
    Drawing,
    GraphSelection,
    RelationData,
    drawing,
    months,
    read_relations,
)
from memory.pages.graph.forms import AsOfForm, PathsForm
from memory.pages.requests import REFUSED, MemoryRequest, read_page

PANEL_RELATIONS = 8
EGO_WIDTH, EGO_HEIGHT = 358, 280
VIEWS = ("graph", "table")


@read_page
def graph(request: MemoryRequest) -> HttpResponse:
    """The graph as a drawing or a table, filtered by date, kind or entity."""
    form = AsOfForm(request.GET, user_id=request.user.id)
    view = request.GET.get("view", "")
    context = {"form": form, "view": view if view in VIEWS else VIEWS[0]}
    if not form.is_valid():
        return render(request, "memory/graph.html", context, status=REFUSED)
    selection = _selection(request.user.id, form)
    context |= {"entity": selection.entity, "day": form.cleaned_data["at"], "hops": selection.hops}
    if context["view"] == "table":
        # Without a date, ended relations come with those still to come.
        at = None if selection.ended and not form.cleaned_data["at"] else selection.at
        choice = RelationChoice(form.entity_id(), at, selection.ended, selection.types)
        context["relations"] = relations_at(request.user.id, choice, after=request.GET.get("after", ""))
        return render(request, "memory/graph.html", context)
    known = read_relations(request.user.id)
    return render(request, "memory/graph.html", context | _drawing_context(request.user.id, known, selection))


@read_page
def points(request: MemoryRequest) -> HttpResponse:
    """The drawing alone, with as many entities as a browser can move smoothly."""
    form = AsOfForm(request.GET, user_id=request.user.id)
    if not form.is_valid():
        raise Http404
    selection, known = _selection(request.user.id, form), read_relations(request.user.id)
    found = drawing(request.user.id, known, selection, MAX_POINTS)
    return render(request, "memory/_drawing.html", {"drawing": found, "is_whole": True})


@read_page
def paths(request: MemoryRequest) -> HttpResponse:
    """The shortest paths between two entities; only the form until both are given."""
    data = request.GET if {"start", "end"} <= set(request.GET) else None
    form = PathsForm(data, initial=request.GET.dict(), user_id=request.user.id)
    if data is not None and not form.is_valid():
        return render(request, "memory/paths.html", {"form": form}, status=REFUSED)
    context: dict[str, object] = {"form": form}
    if data is not None:
        start, end = form.cleaned_data["start"], form.cleaned_data["end"]
        found = paths_between(request.user.id, start.id, end.id, at=form.moment())
        context["paths"] = found
    return render(request, "memory/paths.html", context)


def _selection(user_id: UUID, form: AsOfForm) -> GraphSelection:
    """The selection of the form. Raises Http404 for another user's entity."""
    entity_id = form.entity_id()
    entity = entity_of(user_id, entity_id) if entity_id else None
    if entity_id and entity is None:
        raise Http404
    kinds = frozenset(form.cleaned_data["kinds"] or KINDS)
    hops = form.cleaned_data["hops"] or 0 if entity else 0
    return GraphSelection(entity, hops, form.moment(), form.cleaned_data["ended"], kinds)


def _drawing_context(user_id: UUID, known: RelationData, selection: GraphSelection) -> dict[str, object]:
    """The drawing, with a panel for the chosen or best connected entity."""
    found = drawing(user_id, known, selection)
    selected = selection.entity or (_best_connected(user_id, found) if found.nodes else None)
    by_month = [(day, count, day <= selection.day) for day, count in months(known, timezone.localdate())]
    return {
        "drawing": found,
        "selected": selected and _entity_panel(user_id, selected),
        "months": by_month,
        "most_in_month": max(count for _, count, _ in by_month),
        "as_of": selection.day,
        "points": min(MAX_POINTS, found.known),
    }


def _best_connected(user_id: UUID, found: Drawing) -> Entity | None:
    """The best connected entity; the owner if there are no links."""
    return entity_of(user_id, found.nodes[0].id) if found.links else owner_of(user_id)


@dataclass(frozen=True, slots=True)
class EgoNode:
    """A neighbour in an entity's own drawing."""

    entity: Entity
    kind: str
    x: int
    y: int


@dataclass(frozen=True, slots=True)
class EntityPanel:
    """An entity with its newest relations, a quote that supports the first, and its neighbours."""

    entity: Entity
    relations: tuple[Relation, ...]
    quote: Evidence[RelationSource] | None
    neighbours: tuple[EgoNode, ...]

    @property
    def kind(self) -> str:
        """The kind that sets its colour."""
        return KIND_OF.get(self.entity.type, "topic")


def _entity_panel(user_id: UUID, entity: Entity) -> EntityPanel:
    rows = tuple(latest_relations(entity, PANEL_RELATIONS))
    quotes = quotes_of(user_id, [rows[0].id])[rows[0].id] if rows else []
    quote = next((each for each in quotes if each.words), None)
    return EntityPanel(entity, rows, quote, _ego_nodes(entity, rows))


def _ego_nodes(entity: Entity, rows: Sequence[Relation]) -> tuple[EgoNode, ...]:
    """The neighbours placed in a circle, each once."""
    others = {(row.object if row.subject_id == entity.id else row.subject): None for row in reversed(rows)}
    angles = [(2 * number + 1) * pi / max(1, len(others)) for number in range(len(others))]
    return tuple(
        EgoNode(
            other,
            KIND_OF.get(other.type, "topic"),
            round(EGO_WIDTH / 2 - 130 * sin(angle)),
            round(EGO_HEIGHT / 2 - 12 - 105 * cos(angle)),
        )
        for other, angle in zip(others, angles, strict=True)
    )
