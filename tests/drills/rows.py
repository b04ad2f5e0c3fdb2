"""All rows of a user's memory without ids and clock times, so that two users or two runs can be compared."""

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.db import models

from chat.models import Conversation, Message
from memory import models as memory

Rows = dict[str, list[Any]]


def rows_of(user_id: UUID) -> Rows:
    """Every mined row of a user, by table, sorted. Needs the user's tenant."""
    ids = _NamesOfIds(user_id)
    found: Rows = {}
    for read in (_structure, _drawers, _search, _facts, _graph, _progress):
        found.update(read(user_id, ids))
    return {name: sorted(rows, key=repr) for name, rows in found.items()}


def differences(wanted: Rows, found: Rows) -> list[str]:
    """One line for each table that differs, with the first rows that are missing or too many."""
    lines = []
    for name, rows in wanted.items():
        if rows != found[name]:
            missing = [row for row in rows if row not in found[name]]
            extra = [row for row in found[name] if row not in rows]
            lines.append(
                f"{name}: {len(rows)} wanted, {len(found[name])} found; "
                f"missing {missing[:2]!r:.600}; extra {extra[:2]!r:.600}"
            )
    return lines


class _NamesOfIds:
    """Names that replace ids."""

    def __init__(self, user_id: UUID) -> None:
        self.chats = _names(Conversation, user_id, "external_id")
        self.messages = {
            key: (self.chats[chat], sequence)
            for key, chat, sequence in Message.objects.filter(user_id=user_id).values_list(
                "id", "conversation_id", "sequence"
            )
        }
        self.wings = _names(memory.Wing, user_id, "ordinal")
        self.rooms = {
            room.id: (self.wings[room.wing_id], room.ordinal)
            for room in memory.Room.objects.filter(user_id=user_id)
        }
        self.closets = {
            closet.id: (*self.rooms[closet.room_id], closet.slug)
            for closet in memory.Closet.objects.filter(user_id=user_id)
        }
        self.drawers = {
            key: tuple(pointer)
            for key, *pointer in memory.Drawer.objects.filter(user_id=user_id).values_list(
                "id", "pointer_wing", "pointer_room", "pointer_drawer"
            )
        }
        self.entities = _names(memory.Entity, user_id, "name")
        self.facts = {
            key: (statement, str(start))
            for key, statement, start in memory.Fact.objects.filter(user_id=user_id).values_list(
                "id", "statement", "valid_from"
            )
        }


def _names(table: type[models.Model], user_id: UUID, field: str) -> dict[Any, Any]:
    return dict(table._default_manager.filter(user_id=user_id).values_list("id", field))


def _values(table: type[models.Model], user_id: UUID, names: str) -> Iterable[list[Any]]:
    columns = names.split()
    rows = table._default_manager.filter(user_id=user_id).values_list(*columns)
    return ([_plain(*each) for each in zip(columns, row, strict=True)] for row in rows)


def _plain(column: str, value: Any) -> Any:
    if column == "deleted_at":
        return value is not None
    if isinstance(value, memoryview):
        return value.tobytes()
    return str(value) if hasattr(value, "isoformat") or hasattr(value, "to_text") else value


def _structure(user_id: UUID, ids: _NamesOfIds) -> Rows:
    wings = _values(memory.Wing, user_id, "ordinal kind name rooms_made")
    names = _values(memory.WingName, user_id, "wing_id slug name is_alias")
    rooms = _values(
        memory.Room,
        user_id,
        "id source_id source_kind title drawers_made started_at ended_at",
    )
    closets = _values(memory.Closet, user_id, "id name")
    palace = _values(memory.Palace, user_id, "wings_made drawers_indexed words_indexed")
    return {
        "palace": list(palace),
        "wings": list(wings),
        "wing names": [(ids.wings[wing], *rest) for wing, *rest in names],
        "rooms": [(ids.rooms[room], ids.chats[chat], *rest) for room, chat, *rest in rooms],
        "closets": [(ids.closets[closet], name) for closet, name in closets],
    }


def _drawers(user_id: UUID, ids: _NamesOfIds) -> Rows:
    rows = _values(
        memory.Drawer,
        user_id,
        "id wing_id room_id closet_id source_message_id source_id source_sequence role content "
        "content_hash token_count said_at people places events items times deleted_at",
    )
    return {
        "drawers": [
            (
                ids.drawers[drawer],
                ids.wings[wing],
                ids.rooms[room],
                ids.closets[closet],
                ids.messages[message],
                ids.chats[chat],
                *rest,
            )
            for drawer, wing, room, closet, message, chat, *rest in rows
        ]
    }


def _search(user_id: UUID, ids: _NamesOfIds) -> Rows:
    words = _values(memory.DrawerWords, user_id, "id length words hidden")
    vectors = _values(memory.DrawerVector, user_id, "drawer_id space__name start length hidden embedding")
    wide = _values(memory.WideVector, user_id, "drawer_id space__name start embedding")
    return {
        "words": [(ids.drawers[drawer], *rest) for drawer, *rest in words],
        "vectors": [(ids.drawers[drawer], *rest) for drawer, *rest in vectors],
        "wide vectors": [(ids.drawers[drawer], *rest) for drawer, *rest in wide],
        "lexemes": list(_values(memory.Lexeme, user_id, "lexeme drawers")),
    }


def _facts(user_id: UUID, ids: _NamesOfIds) -> Rows:
    facts = _values(
        memory.Fact,
        user_id,
        "superseded_by_id merged_into_id kind memory_type key value statement predicate object single_valued "
        "event_time persons entities location topic source_kind importance confidence authority "
        "status review_reason valid_from valid_to ended_at version times_seen "
        "content_hash mined_by deleted_at",
    )
    sources = _values(memory.FactSource, user_id, "fact_id drawer_id start end")
    links = _values(memory.FactLink, user_id, "fact_id other_id kind similarity")
    endings = _values(
        memory.FactEnding,
        user_id,
        "drawer_id key predicate value_digest object_digest at start end",
    )
    vectors = _values(memory.FactVector, user_id, "fact_id space__name embedding")
    return {
        "facts": [(ids.facts.get(later), ids.facts.get(other), *rest) for later, other, *rest in facts],
        "fact sources": [(ids.facts[fact], ids.drawers[drawer], *rest) for fact, drawer, *rest in sources],
        "fact links": [(sorted((ids.facts[one], ids.facts[other])), *rest) for one, other, *rest in links],
        "fact endings": [(ids.drawers[drawer], *rest) for drawer, *rest in endings],
        "fact vectors": [(ids.facts[fact], *rest) for fact, *rest in vectors],
    }


def _graph(user_id: UUID, ids: _NamesOfIds) -> Rows:
    names = _values(memory.EntityName, user_id, "entity_id normalised sense name is_alias by_owner")
    relations = _values(
        memory.Relation,
        user_id,
        "subject_id object_id drawer_id relation single_valued valid_from valid_to confidence deleted_at",
    )
    sources = _values(
        memory.RelationSource,
        user_id,
        "subject_id object_id drawer_id edge__valid_from relation ends at until single_valued "
        "confidence start end",
    )
    return {
        "relation sources": [
            (ids.entities[subject], ids.entities[target], ids.drawers[drawer], *rest)
            for subject, target, drawer, *rest in sources
        ],
        "entities": list(_values(memory.Entity, user_id, "name type attributes")),
        "entity names": [(ids.entities[entity], *rest) for entity, *rest in names],
        "relations": [
            (ids.entities[subject], ids.entities[target], ids.drawers[drawer], *rest)
            for subject, target, drawer, *rest in relations
        ],
    }


def _progress(user_id: UUID, ids: _NamesOfIds) -> Rows:
    windows = _values(
        memory.MinedWindow, user_id, "source_id source_kind first_sequence last_sequence method"
    )
    progress = _values(
        memory.MiningProgress, user_id, "source_id source_kind mined_through state attempts claims"
    )
    events = memory.ActivityEvent.objects.filter(user_id=user_id, kind="memory_mined")
    return {
        "windows": [(ids.chats[chat], *rest) for chat, *rest in windows],
        "progress": [(ids.chats[chat], *rest) for chat, *rest in progress],
        "events": [
            (
                ids.chats.get(event.subject_id),
                event.details["first_sequence"],
                _counts(event.details),
            )
            for event in events
        ],
        "messages": list(ids.messages.values()),
    }


def _counts(details: dict[str, Any]) -> dict[str, Any]:
    return {name: len(value) if isinstance(value, list) else value for name, value in details.items()}
