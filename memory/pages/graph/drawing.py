"""The drawing of the graph: the best connected entities, or the surroundings of one."""

from calendar import monthrange
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import cached_property
from heapq import nsmallest
from typing import NamedTuple
from unicodedata import east_asian_width
from uuid import UUID

from django.db.models import DateField, TextField
from django.db.models.functions import Cast, TruncDate
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from memory.facts.queries import owner_of
from memory.models import OWNER, Drawer, Entity, Fact, Relation, RelationSource
from memory.pages.forms import last_months
from memory.pages.graph.layout import STEP_X, STEP_Y, Cell, Layout, layout
from memory.text.forms import caption
from memory.text.owner_sentences import kinship_in

MAX_READ = 6_000
MAX_DRAWN = 80
MAX_POINTS = 2_000
LABEL_WIDTH, WORDS_WIDTH = 16, 20
MARK_Y = 16
MARGIN = 10
KINDS = {
    "person": ("person", "animal"),
    "work": ("organisation", "project"),
    "place": ("place",),
    "topic": ("topic",),
    "thing": ("thing",),
}
KIND_OF = {entity_type: kind for kind, types in KINDS.items() for entity_type in types} | {OWNER: OWNER}
GROUPS = {
    "person": _("People"),
    "animal": _("Animals"),
    "place": _("Places"),
    "organisation": _("Organisations"),
    "project": _("Projects"),
    "thing": _("Things"),
    "topic": _("Topics"),
    "language": _("Languages"),
}
PRONOUNS = {"person": "them", "animal": "them", "place": "there", "organisation": "there"}
LEAST_PERSONAL_FIRST = ("place", "work", "thing", "topic", "person")
Key = str
"""The id of an entity or relation as text: thousands are compared, many times faster than as UUID."""


class Tie(NamedTuple):
    """All relations between two entities as one: when the first began and the last ended."""

    ends: tuple[Key, Key]
    since: date
    until: date | None

    def holds(self, day: date) -> bool:
        """Whether one of the relations held on that day."""
        return self.since <= day and (self.until is None or self.until > day)


@dataclass(frozen=True, slots=True)
class GraphSelection:
    """The entity, distance in hops (0 for everything), date and kinds to draw, and whether to include ended
    relations."""

    entity: Entity | None = None
    hops: int = 0
    at: datetime | None = None
    ended: bool = False
    kinds: frozenset[str] = frozenset(KINDS)

    @property
    def types(self) -> frozenset[str]:
        """The entity types of the chosen kinds; empty if all are chosen."""
        some = self.kinds if self.kinds < frozenset(KINDS) else frozenset[str]()
        return frozenset(each for kind in some for each in KINDS[kind])

    @property
    def day(self) -> date:
        """The date to draw; today by default."""
        return timezone.localdate(self.at)

    def shows(self, tie: Tie) -> bool:
        """Whether a tie is drawn."""
        return tie.since <= self.day and (self.ended or tie.holds(self.day))


class OwnerRelation(NamedTuple):
    """A relation between an entity and the owner, who is its subject if it points `outward`."""

    id: Key
    relation: str
    outward: bool
    tie: Tie

    def words(self, entity_type: str, kin: str, day: date) -> str:
        """The words below the name. `kin` is what a fact calls the entity ("sister"), if one does."""
        over = not self.tie.holds(day)
        if kin:
            return f"was your {kin}" if over else f"your {kin}"
        return caption(self.relation, PRONOUNS.get(entity_type, "it"), outward=self.outward, over=over)


@dataclass
class RelationData:
    """The relations read for a drawing: the ties between entities, of which the owner is `me`, by their ends,
    the relations with the owner, newest first, and the last drawer and number of mentions of each entity."""

    me: Key = ""
    ties: dict[tuple[Key, Key], Tie] = field(default_factory=dict)
    owner_relations: dict[Key, list[OwnerRelation]] = field(default_factory=lambda: defaultdict(list))
    drawers: dict[Key, Key] = field(default_factory=dict)
    times: Counter[Key] = field(default_factory=Counter)

    def owner_relation(self, entity_id: Key, day: date) -> OwnerRelation | None:
        """The newest relation with the owner, preferably one that still holds and says more than that the
        two know each other."""
        return max(
            self.owner_relations.get(entity_id, ()),
            key=lambda each: (each.tie.holds(day), each.relation != "acquainted_with"),
            default=None,
        )

    def add(self, tie: Tie) -> None:
        """Add a tie, combining it with that between the same entities."""
        known = self.ties.get(tie.ends, tie)
        since, until = min(known.since, tie.since), _last((known.until, tie.until))
        self.ties[tie.ends] = Tie(tie.ends, since, until)

    @cached_property
    def ties_of(self) -> dict[Key, list[Tie]]:
        """The ties of each entity, including the one with the owner."""
        found: dict[Key, list[Tie]] = defaultdict(list)
        for (one, other), tie in self.ties.items():
            found[one].append(tie)
            found[other].append(tie)
        return found

    @cached_property
    def degrees(self) -> dict[Key, int]:
        """The number of ties of each entity but the owner."""
        return {key: len(ties) for key, ties in self.ties_of.items() if key != self.me}

    def near(self, start: Key, hops: int) -> list[Key]:
        """The entities at most this far from one, nearest first, without paths through the owner."""
        reached, last = [start], [start]
        for _hop in range(hops):
            ends = (end for key in last for tie in self.ties_of[key] for end in tie.ends)
            seen = {self.me, *reached}
            last = [end for end in dict.fromkeys(ends) if end not in seen]
            reached += last
        return reached


@dataclass(frozen=True, slots=True)
class Node:
    """A placed entity, numbered by rank. `words` say how it is connected with the owner, if it is; `shown`
    means that it is visible on the chosen date."""

    number: int
    id: UUID
    name: str
    type: str
    x: int
    y: int
    words: str
    since: date
    until: date | None
    shown: bool
    is_chosen: bool = False

    @property
    def kind(self) -> str:
        """The kind that sets its colour."""
        return KIND_OF.get(self.type, "topic")

    @property
    def label(self) -> str:
        """The name, cut to fit."""
        return _truncated(self.name, LABEL_WIDTH)

    @property
    def caption(self) -> str:
        """The words below the name, cut to fit."""
        return _truncated(self.words, WORDS_WIDTH)


@dataclass(frozen=True, slots=True)
class Link:
    """A tie as an SVG path; one between two patches curves through the point halfway between them."""

    start: Node
    end: Node
    tie: Tie
    path: str
    is_current: bool
    shown: bool
    is_chosen: bool

    @property
    def kind(self) -> str:
        """The kind that sets its colour: that of the less personal end."""
        return min((self.start.kind, self.end.kind), key=LEAST_PERSONAL_FIRST.index)


@dataclass(frozen=True, slots=True)
class Area:
    """The rectangle of a patch, named after the wing that mentions most of a community, or after the kind of
    unconnected entities. It is `shown` with any of its `nodes`."""

    name: str
    x: int
    y: int
    width: int
    height: int
    nodes: tuple[Node, ...]

    @property
    def since(self) -> date:
        return min(node.since for node in self.nodes)

    @property
    def until(self) -> date | None:
        return _last(node.until for node in self.nodes)

    @property
    def shown(self) -> bool:
        return any(node.shown for node in self.nodes)


@dataclass(frozen=True, slots=True)
class Drawing:
    """Nodes, links and patches in a box of this size; `known` counts all entities, drawn or not."""

    nodes: tuple[Node, ...]
    links: tuple[Link, ...]
    patches: tuple[Area, ...]
    width: int
    height: int
    known: int

    @property
    def shown(self) -> int:
        """The number of entities drawn."""
        return len(self.nodes)


def read_relations(user_id: UUID) -> RelationData:
    """Read the newest relations, combining those between the same two entities."""
    owner, zone = owner_of(user_id), timezone.get_current_timezone()
    me = str(owner.id) if owner else ""
    ids = (Cast(name, TextField()) for name in ("subject_id", "object_id", "id", "drawer_id"))
    days = (Cast(TruncDate(name, tzinfo=zone), DateField()) for name in ("valid_from", "valid_to"))
    newest = Relation.objects.filter(user_id=user_id, deleted_at=None).order_by("-valid_from", "id")
    rows = list(newest.values_list(*ids, *days, "relation")[:MAX_READ])
    known = RelationData(me, times=Counter(end for row in rows for end in row[:2]))
    for subject, object_, relation_id, drawer_id, since, until, relation in rows:
        tie = Tie((subject, object_) if subject < object_ else (object_, subject), since, until)
        known.drawers.setdefault(subject, drawer_id)
        known.drawers.setdefault(object_, drawer_id)
        if subject != object_:
            known.add(tie)
        if me in tie.ends:
            other = object_ if subject == me else subject
            known.owner_relations[other].append(OwnerRelation(relation_id, relation, subject == me, tie))
    return known


def drawing(user_id: UUID, known: RelationData, selection: GraphSelection, limit: int = MAX_DRAWN) -> Drawing:
    """Draw the best connected entities plus the chosen one and its neighbours, or only its surroundings."""
    ids = _pick(known, selection, limit)
    rows = Entity.objects.filter(user_id=user_id, id__in=ids, merged_into_id=None)
    found = {str(each.id): each for each in rows}
    entities = {key: found[key] for key in ids if key in found}
    near = (tie for key, ties in known.ties_of.items() if key in entities for tie in ties)
    ties = dict.fromkeys(tie for tie in near if tie.ends[0] in entities and tie.ends[1] in entities)
    rarest = sorted(ties, key=lambda tie: min(known.degrees[end] for end in tie.ends))[: limit * 2]
    return _lay_out(entities, rarest, known, selection, user_id)


def months(known: RelationData, today: date) -> list[tuple[date, int]]:
    """The last day of each of the last twelve months (today for this one), and how many ties began in it;
    the first includes all older ones."""
    first = last_months(today)
    counts: Counter[date] = Counter()
    for since, count in Counter(tie.since for tie in known.ties.values()).items():
        counts[max(since.replace(day=1), first[0])] += count
    last = (month.replace(day=monthrange(month.year, month.month)[1]) for month in first)
    return [(min(today, day), counts[month]) for day, month in zip(last, first, strict=True)]


def _last(ends: Iterable[date | None]) -> date | None:
    """The last of these ends; None if there is none yet."""
    known = list(ends)
    return None if None in known else max(filter(None, known))


def _pick(known: RelationData, selection: GraphSelection, limit: int) -> list[Key]:
    near: list[Key] = []
    start = str(selection.entity.id) if selection.entity and selection.entity.type != OWNER else ""
    if start in known.ties_of:
        near = known.near(start, selection.hops or 1)
    if start and selection.hops:
        return near[:limit]
    ranked = ((-degree, -known.times[key], key) for key, degree in known.degrees.items())
    best = (key for *_rank, key in nsmallest(limit, ranked))
    return list(dict.fromkeys([*near, *best]))[:limit]


def _lay_out(
    entities: Mapping[Key, Entity],
    ties: Sequence[Tie],
    known: RelationData,
    selection: GraphSelection,
    user_id: UUID,
) -> Drawing:
    mine = {key: found for key in entities if (found := known.owner_relation(key, selection.day)) is not None}
    kin = _kin(user_id, entities, mine)
    placed = layout(
        {entity.id: _group(entity, known.owner_relations.get(key, ())) for key, entity in entities.items()},
        [(entities[one].id, entities[other].id) for (one, other), *_ in ties],
    )
    left = min((patch.x for patch in placed.patches), default=0)
    top = min((patch.y for patch in placed.patches), default=0) - 1
    cells = {str(key): (x - left, y - top) for key, (x, y) in placed.cells.items()}
    nodes = {
        key: _node(
            number,
            entity,
            cells[key],
            mine[key].words(entity.type, kin.get(key, ""), selection.day) if key in mine else "",
            known.ties_of[key],
            selection,
        )
        for number, (key, entity) in enumerate(entities.items())
    }
    areas = _areas(user_id, placed, left, top, known, nodes)
    middles = _middles(placed, areas)
    return Drawing(
        tuple(nodes.values()),
        tuple(_link(tie, nodes, middles, selection) for tie in ties),
        areas,
        max((area.x + area.width for area in areas), default=0) + MARGIN,
        max((area.y + area.height for area in areas), default=0) + MARGIN,
        len(known.degrees),
    )


def _middles(placed: Layout, areas: Sequence[Area]) -> dict[Key, tuple[int, int]]:
    """The middle of each entity's patch, through which its links to others curve."""
    return {
        str(key): (area.x + area.width // 2, area.y + area.height // 2)
        for patch, area in zip(placed.patches, areas, strict=True)
        for key in patch.members
    }


def _group(entity: Entity, relations: Iterable[OwnerRelation]) -> str:
    is_spoken = any(each.relation == "speaks" for each in relations)
    return "language" if is_spoken else entity.type


def _kin(
    user_id: UUID, entities: Mapping[Key, Entity], relations: Mapping[Key, OwnerRelation]
) -> dict[Key, str]:
    """The kinship words ("sister") that the facts behind the owner's relations use for these entities."""
    ids = {each.id: key for key, each in relations.items()}
    sources = RelationSource.objects.filter(user_id=user_id, edge_id__in=list(ids))
    rows = sources.exclude(decided_fact_id=None).values_list("decided_fact_id", "edge_id")
    decided = {fact_id: ids[str(edge_id)] for fact_id, edge_id in rows if edge_id}
    facts = Fact.objects.filter(user_id=user_id, id__in=list(decided), deleted_at=None).order_by("valid_from")
    stated = facts.values_list("id", "statement", "object", "value")
    return {
        decided[fact_id]: kin
        for fact_id, statement, name, value in stated
        if (kin := kinship_in(statement, name or value))
    }


def _node(
    number: int, entity: Entity, cell: Cell, words: str, ties: Sequence[Tie], selection: GraphSelection
) -> Node:
    return Node(
        number,
        entity.id,
        entity.name,
        entity.type,
        (cell[0] + 1) * STEP_X + MARGIN,
        cell[1] * STEP_Y + MARK_Y + MARGIN,
        words,
        min(tie.since for tie in ties),
        _last(tie.until for tie in ties),
        KIND_OF.get(entity.type, "topic") in selection.kinds and any(selection.shows(tie) for tie in ties),
        selection.entity is not None and selection.entity.id == entity.id,
    )


def _link(
    tie: Tie, nodes: Mapping[Key, Node], middles: Mapping[Key, tuple[int, int]], selection: GraphSelection
) -> Link:
    start, end = (nodes[key] for key in tie.ends)
    one, other = (middles[key] for key in tie.ends)
    bend = "" if one == other else f"Q{(one[0] + other[0]) // 2} {(one[1] + other[1]) // 2} "
    return Link(
        start,
        end,
        tie,
        f"M{start.x} {start.y}{bend or 'L'}{end.x} {end.y}",
        tie.holds(selection.day),
        start.shown and end.shown and selection.shows(tie),
        start.is_chosen or end.is_chosen,
    )


def _areas(
    user_id: UUID, placed: Layout, left: int, top: int, known: RelationData, nodes: Mapping[Key, Node]
) -> tuple[Area, ...]:
    """The patches, communities named after the wings that mention most of their members."""
    drawers = Drawer.objects.filter(user_id=user_id, id__in={known.drawers[key] for key in nodes})
    rows = drawers.values_list("id", "wing_id", "wing__name")
    wings = {str(key): (wing_id, name) for key, wing_id, name in rows}
    mentions = (
        Counter(wings.get(known.drawers[str(key)], (None, "")) for key in each.members)
        for each in placed.patches
    )
    names = [counts.most_common(1)[0][0][1] for counts in mentions]
    return tuple(
        Area(
            _truncated(
                str(GROUPS.get(patch.group, GROUPS["topic"])) if patch.group else name,
                patch.wide * LABEL_WIDTH // 2,
            ),
            (patch.x - left) * STEP_X + MARGIN,
            (patch.y - top) * STEP_Y + MARGIN,
            patch.wide * STEP_X,
            patch.high * STEP_Y,
            tuple(nodes[str(key)] for key in patch.members),
        )
        for patch, name in zip(placed.patches, names, strict=True)
    )


def _truncated(words: str, width: int) -> str:
    """Truncate to the width of this many Latin letters."""
    for number, letter in enumerate(words):
        width -= 2 if east_asian_width(letter) in "WF" else 1
        if width < 0:
            return f"{words[: number - 1].rstrip()}…"
    return words
