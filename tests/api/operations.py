"""Every operation of the REST API, from its OpenAPI description."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from api.rest.site import rest

PREFIX = "/api/v1/"
SCOPES = {
    "ReadToken": "read",
    "WriteToken": "write",
    "ChatToken": "chat",
    "ReadChatToken": "chat",
}
# Valid bodies by operation; `ids` are those of a palace.
BODIES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "create_note": lambda ids: {"text": "A note."},
    "update_wing": lambda ids: {"name": "Baking"},
    "rename_room": lambda ids: {"name": "Rye"},
    "rename_closet": lambda ids: {"name": "Yeast"},
    "merge_wings": lambda ids: {"other": ids["other_wing_id"]},
    "merge_rooms": lambda ids: {"other": ids["other_room_id"]},
    "merge_closets": lambda ids: {"other": ids["other_closet_id"]},
    "move_room": lambda ids: {"into": ids["other_wing_id"]},
    "move_closet": lambda ids: {"into": ids["other_room_id"]},
    "move_drawers": lambda ids: {"drawers": [ids["drawer_id"]], "wing": ids["other_wing_id"]},
    "delete_drawers": lambda ids: {"drawers": [ids["drawer_id"]]},
    "create_fact": lambda ids: {"statement": "Bakes on Sundays."},
    "update_fact": lambda ids: {"statement": "Bakes on Saturdays."},
    "approve_facts": lambda ids: {"facts": [ids["waiting_fact_id"]]},
    "reject_facts": lambda ids: {"facts": [ids["fact_id"]]},
    "merge_facts": lambda ids: {"into": ids["other_fact_id"]},
    "update_entity": lambda ids: {"name": "Inês", "attributes": {"city": "Porto"}},
    "add_entity_alias": lambda ids: {"name": "Nini"},
    "merge_entities": lambda ids: {"other": ids["other_entity_id"]},
    "split_entity": lambda ids: {"name": "Another Ines", "type": "person", "aliases": [ids["alias_id"]]},
    "create_conversation": lambda ids: {"agent": ids["agent_id"]},
    "create_message": lambda ids: {"role": "user", "content": "Good morning."},
    "create_agent": lambda ids: {"name": "Baker"},
    "preview_forget": lambda ids: {"kind": "wing", "id": ids["wing_id"]},
    "forget": lambda ids: {"kind": "wing", "id": ids["wing_id"]},
    "update_settings": lambda ids: {"top_k": 7},
    "update_profile_text": lambda ids: {"text": "I bake bread."},
    "update_skill_text": lambda ids: {"goal": "Bake", "worked": "In the morning"},
    "apply_consolidation": lambda ids: {"digest": ids["planned_digest"]},
    "correct_drawer": lambda ids: {"annotation": "It was never too hot."},
    "search": lambda ids: {"query": "rye"},
    "recall": lambda ids: {"message": "What about my rye starter?"},
}
# Content of the file of an upload.
FILES = {
    "create_import": b'[{"uuid": "1", "name": "Bread", "chat_messages": []}]',
    "create_restore": b"not looked at yet",
}
# Query parameters of the operations that need them.
QUERIES: dict[str, Callable[[dict[str, Any]], dict[str, str]]] = {
    "resolve_pointer": lambda ids: {"pointer": ids["pointer"]},
    "list_drawers": lambda ids: {"since": "2020-01-01T00:00:00Z", "until": "2030-01-01T00:00:00+01:00"},
    "find_paths": lambda ids: {"start": str(ids["entity_id"]), "end": str(ids["other_entity_id"])},
}
# Ids for operations that need a row in a special state.
INSTEAD = {
    "restore_conversation": {"conversation_id": "deleted_chat_id"},
    "restore_agent": {"agent_id": "deleted_agent_id"},
    "apply_consolidation": {"run_id": "planned_run_id"},
    "undo_consolidation_change": {"change_id": "run_change_id"},
    "undo_edit": {"edit_id": "chat_edit_id"},
    "undo_settings_change": {"event_id": "settings_event_id"},
    "undo_reextraction": {"event_id": "reextraction_id"},
    "unarchive_fact": {"fact_id": "archived_fact_id"},
    "keep_both_facts": {"fact_id": "waiting_fact_id"},
    "reconsider_fact": {"fact_id": "approved_fact_id"},
}


@dataclass(frozen=True)
class Operation:
    """An operation; ids in its path are in braces."""

    id: str
    method: str
    path: str
    scope: str
    parameters: tuple[str, ...]
    takes_body: bool
    body_schema: Mapping[str, Any]
    query_schema: Mapping[str, Any]

    def __str__(self) -> str:
        return self.id

    def address(self, ids: dict[str, Any]) -> str:
        """Its path with these ids, and 1 for every number."""
        return self.path.format(**self.path_parameters(ids))

    def path_parameters(self, ids: dict[str, Any]) -> dict[str, Any]:
        """The value of each path parameter."""
        instead = INSTEAD.get(self.id, {})
        return {
            name: str(ids[instead.get(name, name)]) if name.endswith("_id") else 1 for name in self.parameters
        }

    def file(self) -> bytes | None:
        """The content of its upload, or None."""
        return FILES.get(self.id)

    def query(self, ids: dict[str, Any]) -> dict[str, str]:
        """Its query parameters."""
        made = QUERIES.get(self.id)
        return made(ids) if made else {}

    def body(self, ids: dict[str, Any]) -> Any:
        """A valid body, or None."""
        made = BODIES.get(self.id)
        return made(ids) if made else ({} if self.takes_body else None)


def with_text(schema: Mapping[str, Any], text: str) -> Iterator[tuple[str, Any]]:
    """Each free-text property of an object by name, with this text as its value, cut to the allowed size."""
    for name, given in schema.get("properties", {}).items():
        for kind in given.get("anyOf", [given]):
            inner = kind.get("items") or kind.get("additionalProperties") or kind
            if inner.get("type") == "string" and not {"enum", "const", "format", "pattern"} & inner.keys():
                cut = text[: inner.get("maxLength")]
                several = [cut] * max(1, min(kind.get("maxItems", 1), len(text) // max(1, len(cut))))
                yield name, {"array": several, "object": {"a": cut}}.get(kind["type"], cut)


def described() -> dict[str, Any]:
    """The OpenAPI description."""
    return rest.get_openapi_schema(path_prefix=PREFIX)


def operations() -> list[Operation]:
    """All operations."""
    description = described()
    schemas = description["components"]["schemas"]

    def body_schema(operation: dict[str, Any]) -> dict[str, Any]:
        content = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
        named = content.get("schema", {}).get("$ref", "").rpartition("/")[2]
        return schemas[named] if named else {}

    return [
        Operation(
            id=operation["operationId"],
            method=method.upper(),
            path=path,
            scope=SCOPES[next(iter(operation["security"][0]))],
            parameters=tuple(each["name"] for each in operation["parameters"] if each["in"] == "path"),
            takes_body="requestBody" in operation,
            body_schema=body_schema(operation),
            query_schema={
                "properties": {
                    each["name"]: each["schema"] for each in operation["parameters"] if each["in"] == "query"
                }
            },
        )
        for path, methods in description["paths"].items()
        for method, operation in methods.items()
    ]
