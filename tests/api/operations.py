"""Every operation of the REST API, as its own description lists them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from api.site import rest

PREFIX = "/api/v1/"
SCOPES = {"TokenToRead": "read", "TokenToWrite": "write", "TokenToChat": "chat"}
# Bodies that are well-formed, by operation; `ids` are those of somebody's palace.
BODIES: dict[str, Callable[[dict[str, UUID]], Any]] = {
    "save": lambda ids: {"text": "A note."},
    "change_wing": lambda ids: {"name": "Baking"},
    "rename_room": lambda ids: {"name": "Rye"},
    "rename_closet": lambda ids: {"name": "Yeast"},
    "merge_wings": lambda ids: {"other": str(ids["other_wing_id"])},
    "merge_rooms": lambda ids: {"other": str(ids["other_room_id"])},
    "merge_closets": lambda ids: {"other": str(ids["other_closet_id"])},
    "move_room": lambda ids: {"into": str(ids["other_wing_id"])},
    "move_closet": lambda ids: {"into": str(ids["other_room_id"])},
    "move_drawers": lambda ids: {
        "drawers": [str(ids["drawer_id"])],
        "wing": str(ids["other_wing_id"]),
    },
    "add_fact": lambda ids: {"statement": "Bakes on Sundays."},
    "edit_fact": lambda ids: {"statement": "Bakes on Saturdays."},
    "approve": lambda ids: {"facts": [str(ids["waiting_fact_id"])]},
    "reject": lambda ids: {"facts": [str(ids["fact_id"])]},
    "merge_facts": lambda ids: {"into": str(ids["other_fact_id"])},
    "change_entity": lambda ids: {"name": "Inês", "details": {"city": "Porto"}},
    "name_entity": lambda ids: {"name": "Nini"},
    "merge_entities": lambda ids: {"other": str(ids["other_entity_id"])},
    "split_entity": lambda ids: {
        "name": "Another Ines",
        "type": "person",
        "names": [str(ids["name_id"])],
    },
    "search": lambda ids: {"query": "rye"},
    "recall": lambda ids: {"message": "What about my rye starter?"},
}
# Operations that need something in a special state.
INSTEAD = {
    "keep_both": {"fact_id": "waiting_fact_id"},
    "reconsider": {"fact_id": "approved_fact_id"},
}


@dataclass(frozen=True)
class Operation:
    """An operation with its address, in which ids stand in braces."""

    id: str
    method: str
    path: str
    scope: str
    parameters: tuple[str, ...]
    takes_body: bool

    def __str__(self) -> str:
        return self.id

    def address(self, ids: dict[str, UUID]) -> str:
        """Its address with these ids, and 1 for every number."""
        instead = INSTEAD.get(self.id, {})
        filled = {
            name: ids[instead.get(name, name)] if name.endswith("_id") else 1
            for name in self.parameters
        }
        return self.path.format(**filled)

    def body(self, ids: dict[str, UUID]) -> Any:
        """A body that it takes, or None."""
        made = BODIES.get(self.id)
        return made(ids) if made else ({} if self.takes_body else None)


def described() -> dict[str, Any]:
    """The OpenAPI description."""
    return rest.get_openapi_schema(path_prefix=PREFIX)


def operations() -> list[Operation]:
    """All of them."""
    return [
        Operation(
            id=operation["operationId"],
            method=method.upper(),
            path=path,
            scope=SCOPES[next(iter(operation["security"][0]))],
            parameters=tuple(
                each["name"] for each in operation["parameters"] if each["in"] == "path"
            ),
            takes_body="requestBody" in operation,
        )
        for path, methods in described()["paths"].items()
        for method, operation in methods.items()
    ]
