"""Tools that read what was understood: facts, the graph, and what happened when."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import AwareDatetime, Field

from api.mcp.read_tools import A_PAGE, Cursor
from api.mcp.sensitive import sensitive, tellable, tellable_lines
from api.mcp.tools import Answer, Arguments, Call, Tool, ToolRefused
from memory.drawers import pointer_of
from memory.facts.queries import KnownFact, Line, RelationChoice, line_of, owner_of, relations_at, with_quotes
from memory.facts.vocabulary import KINDS, kinds_called
from memory.graph.resolution import find_entity
from memory.graph.traversal import Hop, neighbours, paths
from memory.models import OWNER, Drawer, Entity
from memory.pages.facts.queries import Chosen, facts_chosen
from memory.pages.graph.entity_queries import entity_page
from memory.placement import find_wing
from memory.projections.timeline import Choice, Period, timeline

NO_SUCH_KIND = f"There is no such kind of fact. There are {', '.join(KINDS)}."
NO_SUCH_WING = "There is no such wing."
NOBODY = "Nobody and nothing of that name is known."
THE_PERSON = "the person"
NEIGHBOURS = 50

Moment = Annotated[AwareDatetime | None, Field(description="As of when; now, unless given.")]
Name = Annotated[str, Field(max_length=200)]


class WantedFacts(Arguments):
    """Which facts."""

    kind: Annotated[str, Field(max_length=40, description="Such as preference or goal.")] = ""
    wing: Annotated[Name, Field(description="Only what was said in this wing.")] = ""
    at: Moment = None
    cursor: Cursor = ""


class WantedEntity(Arguments):
    """Whose relations, or how two are connected. Without `entity` the person's own."""

    entity: Annotated[Name, Field(description="A person, place or thing, by any name.")] = ""
    other: Annotated[Name, Field(description="Another one: how are the two connected?")] = ""
    at: Moment = None
    hops: Literal[1, 2] = 1


class WantedEvents(Arguments):
    """Of whom or what, or what happened to the person, of a year or with these words."""

    entity: Annotated[Name, Field(description="Leave it out for the person's own events.")] = ""
    year: Annotated[int | None, Field(ge=1, le=9999)] = None
    words: Annotated[str, Field(max_length=200)] = ""
    cursor: Cursor = ""


def facts(call: Call[WantedFacts]) -> Answer:
    """What is known, newest first, each with the words it rests on."""
    given = call.given
    kinds = kinds_called(given.kind)
    if given.kind and not kinds:
        raise ToolRefused(NO_SUCH_KIND)
    chosen = Chosen(kinds=kinds, at=given.at, wing_id=_wing_id(call.user_id, given.wing))
    page = facts_chosen(call.user_id, chosen, given.cursor, A_PAGE)
    return Answer({"facts": _facts(call.user_id, page.items), "next": page.after})


def graph(call: Call[WantedEntity]) -> Answer:
    """The relations of one, what is near it, or the ways between two."""
    user_id, given = call.user_id, call.given
    start, at = _entity(user_id, given.entity), given.at or call.now
    if given.other:
        ways = paths(user_id, start.id, _entity(user_id, given.other).id, at=at)
        return Answer({"ways": [way for each in ways if (way := _way(user_id, each))]})
    lines = relations_at(user_id, RelationChoice(entity_id=start.id, at=at)).items
    near = neighbours(user_id, start.id, hops=given.hops, at=at)[:NEIGHBOURS]
    return Answer(
        {
            "entity": _name(start),
            "type": start.type,
            "as_of": at,
            "relations": [_line(line) for line in tellable_lines(user_id, lines)],
            "near": [{"entity": _name(each.entity), "hops": each.hops} for each in near]
            if given.hops > 1
            else [],
        }
    )


def events(call: Call[WantedEvents]) -> Answer:
    """What happened when, newest first."""
    user_id, given = call.user_id, call.given
    if given.entity:
        page = entity_page(user_id, _entity(user_id, given.entity).id, call.now)
        hidden = sensitive(user_id, [event.line.drawer_id for event in page.events])
        told = [event for event in page.events if event.line.drawer_id not in hidden]
        return Answer({"events": [_event(each.at, each.ended, each.line) for each in told]})
    choice = Choice(period=Period(given.year), words=given.words)
    found = timeline(user_id, choice, call.now, given.cursor, A_PAGE)
    days = {each.fact.id: each for each in found.items}
    known = tellable(user_id, with_quotes(user_id, [each.fact for each in found.items]))
    told_facts = [
        {
            "day": days[each.fact.id].day,
            "known_to_the": days[each.fact.id].precision,
            "is_coming": days[each.fact.id].is_coming,
            "statement": each.fact.statement,
        }
        for each in known
    ]
    return Answer({"events": told_facts, "next": found.after})


def _wing_id(user_id: UUID, named: str) -> UUID | None:
    if not named:
        return None
    found = find_wing(user_id, named)
    if found is None:
        raise ToolRefused(NO_SUCH_WING)
    return found.id


def _entity(user_id: UUID, named: str) -> Entity:
    found = find_entity(user_id, named) if named else owner_of(user_id)
    if found is None:
        raise ToolRefused(NOBODY)
    return found


def _facts(user_id: UUID, found: Sequence[KnownFact]) -> list[dict[str, Any]]:
    known = tellable(user_id, found)
    ids = {quote.drawer_id for each in known for quote in each.quotes}
    drawers = Drawer.objects.filter(user_id=user_id, id__in=ids)
    pointers = {drawer.id: str(pointer_of(drawer)) for drawer in drawers}
    return [_fact(each, pointers) for each in known]


def _fact(known: KnownFact, pointers: dict[UUID, str]) -> dict[str, Any]:
    fact = known.fact
    said = [{"pointer": pointers.get(q.drawer_id), "words": q.words} for q in known.quotes]
    return {
        "id": fact.id,
        "kind": fact.kind,
        "statement": fact.statement,
        "confidence": fact.confidence,
        "authority": fact.authority,
        "valid_from": fact.valid_from,
        "valid_to": fact.valid_to,
        "said": said,
    }


def _way(user_id: UUID, hops: Sequence[Hop]) -> list[dict[str, Any]]:
    """The relations of a way; none when a step of it rests on sensitive words alone."""
    steps = [tellable_lines(user_id, [line_of(each) for each in hop.relations]) for hop in hops]
    return [_line(lines[0]) for lines in steps] if all(steps) else []


def _line(line: Line) -> dict[str, Any]:
    told = {name: value for name, value in asdict(line).items() if not name.endswith("_id")}
    return {**told, "subject": line.subject or THE_PERSON, "object": line.object or THE_PERSON}


def _event(at: datetime, ended: bool, line: Line) -> dict[str, Any]:
    return {"at": at, "what": "ended" if ended else "began", "relation": _line(line)}


def _name(entity: Entity) -> str:
    return THE_PERSON if entity.type == OWNER else entity.name


TOOLS: Sequence[Tool[Any]] = (
    Tool(
        "facts",
        "Facts",
        "List what is known about this person, now or as of a moment, each with the words it was "
        "understood from.",
        "read",
        WantedFacts,
        facts,
    ),
    Tool(
        "graph",
        "People and things",
        "Ask the knowledge graph: the relations of a person, place or thing, now or as of a "
        "moment, what is near it, or how two of them are connected.",
        "read",
        WantedEntity,
        graph,
    ),
    Tool(
        "timeline",
        "What happened when",
        "List dated events of this person's life, or when relations of a person, place or thing "
        "began and ended.",
        "read",
        WantedEvents,
        events,
    ),
)
