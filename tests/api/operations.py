"""Every operation of the REST API, from its OpenAPI description."""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from api.rest.site import rest

REQUESTS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text())
SCOPES = {
    "ReadToken": "read",
    "WriteToken": "write",
    "ChatToken": "chat",
    "ReadChatToken": "chat",
}
# Content of the file of an upload.
FILES = {
    "create_import": b'[{"uuid": "1", "name": "Bread", "chat_messages": []}]',
    "create_restore": b"not looked at yet",
}


def filled(value: Any, ids: dict[str, Any]) -> Any:
    """A value with these ids in place of their names."""
    if isinstance(value, dict):
        return {name: filled(each, ids) for name, each in value.items()}
    if isinstance(value, list):
        return [filled(each, ids) for each in value]
    return value.format_map(ids) if isinstance(value, str) else value


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
        instead = REQUESTS["instead"].get(self.id, {})
        return {
            name: str(ids[instead.get(name, name)]) if name.endswith("_id") else 1 for name in self.parameters
        }

    def file(self) -> bytes | None:
        """The content of its upload, or None."""
        return FILES.get(self.id)

    def query(self, ids: dict[str, Any]) -> dict[str, str]:
        """Its query parameters."""
        return filled(REQUESTS["queries"].get(self.id, {}), ids)

    def body(self, ids: dict[str, Any]) -> Any:
        """A valid body, or None."""
        return filled(REQUESTS["bodies"].get(self.id, {} if self.takes_body else None), ids)


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
    return rest.get_openapi_schema(path_prefix="/api/v1/")


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
