"""Tools that read extracted knowledge: facts, the graph, and the timeline."""

from collections.abc import Collection, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import AwareDatetime, Field

from api.mcp.read_tools import PAGE_SIZE, Cursor
from api.mcp.tools import Answer, Arguments, Json, ToolRefused, tool, wing_named
from memory.facts.queries import KnownFact, Line, RelationChoice, line_of, owner_of, relations_at
from memory.facts.vocabulary import KINDS, kinds_matching
from memory.graph.resolution import find_entity
from memory.graph.traversal import Hop, RelationEvent, history_of, neighbours, paths
from memory.models import OWNER, Drawer, Entity
from memory.pages.facts.queries import FactSelection, facts_page
from memory.projections.timeline import Choice, Period, timeline
from memory.projections.values import only_sensitive

NO_SUCH_KIND = f"There is no such kind of fact. The kinds are {', '.join(KINDS)}."
NO_SUCH_ENTITY = "There is no entity of that name."
THE_USER = "the user"
OWN_NAMES = frozenset((THE_USER, "i", "me", "myself"))
MAX_NEIGHBOURS = 50
TOLD = ("id", "kind", "statement", "confidence", "authority", "valid_from", "valid_to")

Moment = Annotated[AwareDatetime | None, Field(description="As of this moment; default: now.")]
Name = Annotated[str, Field(max_length=200)]


class WantedFacts(Arguments):
    """Which facts to list."""

    kind: Annotated[str, Field(max_length=40, description="Such as preference or goal.")] = ""
    wing: Annotated[Name, Field(description="Only facts from this wing, by its name or id.")] = ""
    at: Moment = None
    cursor: Cursor = ""


class WantedEntity(Arguments):
    """The entity to look up, or two to connect. Without `entity`, or as "the user" or "me", the user."""

    entity: Annotated[Name, Field(description="A person, place or thing, by any of its names.")] = ""
    other: Annotated[Name, Field(description="Find the paths to this entity.")] = ""
    at: Moment = None
    hops: Literal[1, 2] = 1


class WantedEvents(Arguments):
    """Which events to list: those of an entity, or of the user in a year or with these words."""

    entity: Annotated[Name, Field(description="Omit for events of the user.")] = ""
    year: Annotated[int | None, Field(ge=1, le=9999)] = None
    words: Annotated[str, Field(max_length=200)] = ""
    cursor: Cursor = ""


@tool("facts", "Facts", "read", WantedFacts)
def facts(user_id: UUID, given: WantedFacts, now: datetime) -> Answer:
    """List facts about the user, now or as of a moment, each with the quotes it was extracted from."""
    kinds = kinds_matching(given.kind)
    if given.kind and not kinds:
        raise ToolRefused(NO_SUCH_KIND)
    wing_id = wing_named(user_id, given.wing).id if given.wing else None
    chosen = FactSelection(kinds=kinds, at=given.at, wing_id=wing_id)
    page = facts_page(user_id, chosen, given.cursor, PAGE_SIZE)
    return Answer({"facts": _facts(user_id, page.items), "next": page.after})


@tool("graph", "Knowledge graph", "read", WantedEntity)
def graph(user_id: UUID, given: WantedEntity, now: datetime) -> Answer:
    """Query the knowledge graph: the relations of a person, place or thing, now or as of a moment, its
    neighbours, or the paths between two of them."""
    start, at = _entity(user_id, given.entity), given.at or now
    if given.other:
        found = paths(user_id, start.id, _entity(user_id, given.other).id, at=at)
        return Answer({"paths": [path for each in found if (path := _path(user_id, each))]})
    lines = relations_at(user_id, RelationChoice(entity_id=start.id, at=at)).items
    near = neighbours(user_id, start.id, hops=given.hops, at=at) if given.hops > 1 else ()
    return Answer(
        {
            "entity": _name(start),
            "type": start.type,
            "as_of": at,
            "relations": [_line(line) for line in _public_relations(user_id, lines)],
            "neighbours": [
                {"entity": _name(each.entity), "hops": each.hops} for each in near[:MAX_NEIGHBOURS]
            ],
        }
    )


@tool("timeline", "Timeline", "read", WantedEvents)
def events(user_id: UUID, given: WantedEvents, now: datetime) -> Answer:
    """List dated events in the user's life and when current facts such as a home or job began; or when the
    relations of a person, place or thing began and ended."""
    if given.entity:
        history = history_of(_entity(user_id, given.entity))
        hidden = _sensitive(user_id, [event.line.drawer_id for event in history])
        return Answer({"events": [_event(each) for each in history if each.line.drawer_id not in hidden]})
    choice = Choice(period=Period(given.year), words=given.words)
    found = timeline(user_id, choice, now, given.cursor, PAGE_SIZE)
    known = _public_facts(user_id, [each.known for each in found.items])
    public = {each.fact.id for each in known}
    dated = [
        {
            "day": each.day,
            "precision": each.precision,
            "is_upcoming": each.is_coming,
            "statement": each.fact.statement,
        }
        for each in found.items
        if each.fact.id in public
    ]
    return Answer({"events": dated, "next": found.after})


def _entity(user_id: UUID, named: str) -> Entity:
    found = find_entity(user_id, named) if named else None
    if found is None and (not named or " ".join(named.casefold().split()) in OWN_NAMES):
        found = owner_of(user_id)
    if found is None:
        raise ToolRefused(NO_SUCH_ENTITY)
    return found


def _facts(user_id: UUID, found: Sequence[KnownFact]) -> list[Json]:
    known = _public_facts(user_id, found)
    ids = {quote.drawer_id for each in known for quote in each.quotes}
    drawers = Drawer.objects.filter(user_id=user_id, id__in=ids)
    pointers = {drawer.id: str(drawer.pointer) for drawer in drawers}
    return [_fact(each, pointers) for each in known]


def _fact(known: KnownFact, pointers: dict[UUID, str]) -> Json:
    quotes = [{"pointer": pointers.get(q.drawer_id), "text": q.words} for q in known.quotes]
    return {**{name: getattr(known.fact, name) for name in TOLD}, "quotes": quotes}


def _path(user_id: UUID, hops: Sequence[Hop]) -> list[Json]:
    """The relations of a path; none if a step rests on sensitive drawers alone."""
    steps = [_public_relations(user_id, [line_of(each) for each in hop.relations]) for hop in hops]
    return [_line(lines[0]) for lines in steps] if all(steps) else []


def _line(line: Line) -> Json:
    told = {name: value for name, value in asdict(line).items() if not name.endswith("_id")}
    return {**told, "subject": line.subject or THE_USER, "object": line.object or THE_USER}


def _event(event: RelationEvent) -> Json:
    return {"at": event.at, "event": "ended" if event.ended else "began", "relation": _line(event.line)}


def _name(entity: Entity) -> str:
    return THE_USER if entity.type == OWNER else entity.name


def _sensitive(user_id: UUID, drawer_ids: Collection[UUID]) -> set[UUID]:
    """The drawers that are marked as sensitive."""
    found = Drawer.objects.filter(user_id=user_id, id__in=list(drawer_ids), sensitive=True)
    return set(found.values_list("id", flat=True))


def _public_facts(user_id: UUID, known: Sequence[KnownFact]) -> list[KnownFact]:
    """The facts with other than sensitive evidence, without sensitive quotes."""
    secret = only_sensitive(user_id, [each.fact.id for each in known])
    hidden = _sensitive(user_id, [quote.drawer_id for each in known for quote in each.quotes])
    return [
        KnownFact(each.fact, tuple(q for q in each.quotes if q.drawer_id not in hidden))
        for each in known
        if each.fact.id not in secret
    ]


def _public_relations(user_id: UUID, lines: Sequence[Line]) -> list[Line]:
    """The relations that do not rest on a sensitive drawer."""
    hidden = _sensitive(user_id, [line.drawer_id for line in lines])
    return [line for line in lines if line.drawer_id not in hidden]
