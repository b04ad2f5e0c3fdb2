"""The temporal knowledge graph, drawn and as a table."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from uuid import UUID

import networkx
from django.db.models import F
from django.db.models.functions import Least, Substr
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from memory.facts.queries import (
    Line,
    RelationChoice,
    entity_of,
    first_relation,
    line_of,
    owner_of,
    relations_at,
)
from memory.graph.traversal import Hop
from memory.graph.traversal import paths as paths_between
from memory.models import OWNER, Entity, Relation, RelationSource
from memory.pages.graph.forms import AsOfForm, PathsForm
from memory.pages.requests import MemoryRequest, memory_page
from memory.text.owner_sentences import LONGEST_WORDS

MOST_RELATIONS = 120
MOST_ENTITIES = 48
WIDTH, HEIGHT = 1000, 640
MARGIN_X, MARGIN_Y = 110, 56
SEED = 7

_Place = tuple[float, float]
_CENTRE: _Place = (0.0, 0.0)


@dataclass(frozen=True, slots=True)
class View:
    """What to draw: how many steps from the entity (1 or 2), the instant to look from, and whether
    relations that were over by then are drawn as well."""

    hops: int
    at: datetime
    ended: bool = True


@dataclass(frozen=True, slots=True)
class Node:
    """An entity and where it stands, in units of the drawing. An empty name is the owner's."""

    entity_id: UUID
    name: str
    type: str
    x: int
    y: int
    is_focus: bool

    @property
    def size(self) -> int:
        """The width and height of its shape."""
        return 44 if self.is_focus else 28

    @property
    def left(self) -> int:
        """Where its shape begins."""
        return self.x - self.size // 2

    @property
    def top(self) -> int:
        """Where its shape begins."""
        return self.y - self.size // 2

    @property
    def ring(self) -> int:
        """The radius of the ring around it, shown while it has the focus."""
        return self.size // 2 + 7

    @property
    def label(self) -> int:
        """The base line of its name."""
        return self.y + self.size // 2 + 18


@dataclass(frozen=True, slots=True)
class Link:
    """All relations between two entities that are drawn as one line, newest first; whether one of
    them held at the instant; and the words that the newest rests on, if they still exist."""

    start: Node
    end: Node
    lines: tuple[Line, ...]
    is_current: bool
    words: str

    @property
    def middle(self) -> tuple[int, int]:
        """The middle of the line."""
        return (self.start.x + self.end.x) // 2, (self.start.y + self.end.y) // 2


@dataclass(frozen=True, slots=True)
class Drawing:
    """Entities and the links between them; `is_whole` tells that nothing was left out for room."""

    nodes: tuple[Node, ...]
    links: tuple[Link, ...]
    is_whole: bool


def drawing(focus: Entity, view: View) -> Drawing:
    """What surrounds an entity, newest relations first, as many as a drawing can hold."""
    relations, is_whole = _around(focus, view.hops)
    places = _layout(focus.id, relations)
    nodes = _nodes(focus, relations, places)
    shown = [each for each in relations if _is_shown(each, view)]
    seen = {focus.id}.union(*({each.subject_id, each.object_id} for each in shown))
    links = _links(focus.user_id, shown, nodes, view.at)
    return Drawing(tuple(nodes[key] for key in nodes if key in seen), links, is_whole)


def _around(focus: Entity, hops: int) -> tuple[list[Relation], bool]:
    near, is_whole = _fitting(_newest(focus.user_id, [focus.id]), {focus.id})
    if hops == 1 or not near:
        return near, is_whole
    known = _ends(near)
    inner = [key for key in known if key != focus.id]
    seen = {each.id for each in near}
    further = [each for each in _newest(focus.user_id, inner) if each.id not in seen]
    added, fits = _fitting(further, known)
    return [*near, *added][:MOST_RELATIONS], is_whole and fits


def _newest(user_id: UUID, entity_ids: Sequence[UUID]) -> list[Relation]:
    """By an index for each direction, because an entity may have very many relations."""
    found = Relation.objects.filter(user_id=user_id, deleted_at=None)
    rows = {
        row.id: row
        for ends in ({"subject_id__in": entity_ids}, {"object_id__in": entity_ids})
        for row in found.filter(**ends)
        .select_related("subject", "object")
        .order_by("-valid_from", "id")[: MOST_RELATIONS + 1]
    }
    ordered = sorted(rows.values(), key=lambda row: (-row.valid_from.timestamp(), row.id))
    return ordered[: MOST_RELATIONS + 1]


def _fitting(relations: Sequence[Relation], known: Iterable[UUID]) -> tuple[list[Relation], bool]:
    """As many relations as there is room for their ends; whether that was all."""
    entities = set(known)
    kept = []
    for relation in relations[:MOST_RELATIONS]:
        grown = entities | {relation.subject_id, relation.object_id}
        if len(grown) <= MOST_ENTITIES:
            kept.append(relation)
            entities = grown
    return kept, len(kept) == len(relations)


def _ends(relations: Iterable[Relation]) -> dict[UUID, None]:
    """The entities at the ends of relations, in a steady order."""
    return dict.fromkeys(key for each in relations for key in (each.subject_id, each.object_id))


def _layout(focus_id: UUID, relations: Sequence[Relation]) -> Mapping[UUID, _Place]:
    graph = networkx.Graph()
    graph.add_node(focus_id)
    graph.add_edges_from((each.subject_id, each.object_id) for each in relations)
    if len(graph) == 1:
        return {focus_id: _CENTRE}
    begin = networkx.circular_layout(graph) | {focus_id: _CENTRE}
    spread = 2.2 / len(graph) ** 0.5
    found: Mapping[UUID, _Place] = networkx.spring_layout(
        graph, k=spread, pos=begin, fixed=[focus_id], iterations=120, seed=SEED
    )
    return found


def _nodes(focus: Entity, relations: Sequence[Relation], places: Mapping[UUID, _Place]) -> dict[UUID, Node]:
    entities = {focus.id: focus}
    for relation in relations:
        entities[relation.subject_id] = relation.subject
        entities[relation.object_id] = relation.object
    wide = max(abs(x) for x, _ in places.values()) or 1.0
    high = max(abs(y) for _, y in places.values()) or 1.0
    across, down = (WIDTH / 2 - MARGIN_X) / wide, (HEIGHT / 2 - MARGIN_Y) / high
    return {
        key: Node(
            key,
            "" if entity.type == OWNER else entity.name,
            entity.type,
            round(WIDTH / 2 + places[key][0] * across),
            round(HEIGHT / 2 + places[key][1] * down),
            key == focus.id,
        )
        for key, entity in entities.items()
    }


def _is_shown(relation: Relation, view: View) -> bool:
    return relation.valid_from <= view.at and (view.ended or _holds(relation, view.at))


def _holds(relation: Relation, at: datetime) -> bool:
    return relation.valid_to is None or relation.valid_to > at


def _links(
    user_id: UUID, relations: Sequence[Relation], nodes: Mapping[UUID, Node], at: datetime
) -> tuple[Link, ...]:
    pairs: dict[tuple[UUID, UUID], list[Relation]] = {}
    for relation in relations:
        ends = (relation.subject_id, relation.object_id)
        back = (relation.object_id, relation.subject_id)
        pairs.setdefault(back if back in pairs else ends, []).append(relation)
    words = _words(user_id, [several[0].id for several in pairs.values()])
    return tuple(
        Link(
            nodes[start],
            nodes[end],
            tuple(line_of(each) for each in several),
            any(_holds(each, at) for each in several),
            words.get(several[0].id, ""),
        )
        for (start, end), several in pairs.items()
    )


def _words(user_id: UUID, relation_ids: Sequence[UUID]) -> dict[UUID, str]:
    """The first words that each relation rests on."""
    sources = (
        RelationSource.objects.filter(
            user_id=user_id, edge_id__in=relation_ids, start__isnull=False, drawer__deleted_at=None
        )
        .annotate(length=Least(F("end") - F("start"), LONGEST_WORDS))
        .annotate(words=Substr("drawer__content", F("start") + 1, F("length") + 0))
        .order_by("edge_id", "at", "id")
        .distinct("edge_id")
        .values_list("edge_id", "words")
    )
    return {edge_id: words for edge_id, words in sources if edge_id is not None}


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
