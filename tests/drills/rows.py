"""All rows of a user's memory without ids and clock times, so that two users or two runs can be compared."""

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.db import models

from chat.models import Conversation, Message
from memory import models as memory

Rows = dict[str, list[Any]]

TABLES: dict[str, tuple[type[models.Model], str]] = {
    "palace": (memory.Palace, "wings_made drawers_indexed words_indexed"),
    "wings": (memory.Wing, "ordinal kind name rooms_made"),
    "wing names": (memory.WingName, "wing_id slug name is_alias"),
    "rooms": (memory.Room, "id source_id source_kind title drawers_made started_at ended_at"),
    "closets": (memory.Closet, "id name"),
    "drawers": (
        memory.Drawer,
        "id wing_id room_id closet_id source_message_id source_id source_sequence role content "
        "content_hash token_count said_at people places events items times deleted_at",
    ),
    "words": (memory.DrawerWords, "id length words hidden"),
    "vectors": (memory.DrawerVector, "drawer_id space__name start length hidden embedding"),
    "wide vectors": (memory.WideVector, "drawer_id space__name start embedding"),
    "lexemes": (memory.Lexeme, "lexeme drawers"),
    "facts": (
        memory.Fact,
        "superseded_by_id merged_into_id kind memory_type key value statement predicate object single_valued "
        "event_time persons entities location topic source_kind importance confidence authority status "
        "review_reason valid_from valid_to ended_at version times_seen content_hash mined_by deleted_at",
    ),
    "fact sources": (memory.FactSource, "fact_id drawer_id start end"),
    "fact links": (memory.FactLink, "fact_id other_id kind similarity"),
    "fact endings": (memory.FactEnding, "drawer_id key predicate value_digest object_digest at start end"),
    "fact vectors": (memory.FactVector, "fact_id space__name embedding"),
    "entities": (memory.Entity, "name type attributes"),
    "entity names": (memory.EntityName, "entity_id normalised sense name is_alias by_owner"),
    "relations": (
        memory.Relation,
        "subject_id object_id drawer_id relation single_valued valid_from valid_to confidence deleted_at",
    ),
    "relation sources": (
        memory.RelationSource,
        "subject_id object_id drawer_id edge__valid_from relation ends at until single_valued confidence "
        "start end",
    ),
    "windows": (memory.MinedWindow, "source_id source_kind first_sequence last_sequence method"),
    "progress": (memory.MiningProgress, "source_id source_kind mined_through state attempts claims"),
}
# What identifies a row in place of its id.
NAMES: dict[type[models.Model], str] = {
    Conversation: "external_id",
    Message: "conversation_id sequence",
    memory.Wing: "ordinal",
    memory.Room: "wing_id ordinal",
    memory.Closet: "room_id slug",
    memory.Drawer: "pointer_wing pointer_room pointer_drawer",
    memory.Entity: "name",
    memory.Fact: "statement valid_from",
}


def rows_of(user_id: UUID) -> Rows:
    """Every mined row of a user, by table, sorted. Needs the user's tenant."""
    names: dict[UUID, Any] = {}
    for table, columns in NAMES.items():
        for key, *values in _values(table, user_id, f"id {columns}", {}):
            names[key] = [names.get(value, value) for value in values]
    found: Rows = {
        title: list(_values(table, user_id, columns, names)) for title, (table, columns) in TABLES.items()
    }
    found["fact links"] = [[*sorted(row[:2]), *row[2:]] for row in found["fact links"]]
    found["events"] = [
        (names.get(event.subject_id), event.details["first_sequence"], _counts(event.details))
        for event in memory.ActivityEvent.objects.filter(user_id=user_id, kind="memory_mined")
    ]
    found["messages"] = [names[key] for (key,) in _values(Message, user_id, "id", {})]
    return {title: sorted(rows, key=repr) for title, rows in found.items()}


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


def _values(
    table: type[models.Model], user_id: UUID, columns: str, names: dict[UUID, Any]
) -> Iterable[list[Any]]:
    """The columns of each row, with names in place of ids."""
    for row in table._default_manager.filter(user_id=user_id).values_list(*columns.split()):
        yield [_plain(*each, names) for each in zip(columns.split(), row, strict=True)]


def _plain(column: str, value: Any, names: dict[UUID, Any]) -> Any:
    if isinstance(value, UUID):
        return names[value] if names else value
    if column == "deleted_at":
        return value is not None
    if isinstance(value, memoryview):
        return value.tobytes()
    return str(value) if hasattr(value, "isoformat") or hasattr(value, "to_text") else value


def _counts(details: dict[str, Any]) -> dict[str, Any]:
    return {name: len(value) if isinstance(value, list) else value for name, value in details.items()}
