"""The description of the REST API, for people and for programs."""

from dataclasses import dataclass
from itertools import groupby
from typing import Any

from django.http import HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.http import SignedInRequest
from api.auth import CHAT, DO_ALL, READ, READ_CHATS, WRITE
from api.rest.site import rest

PREFIX = "/api/v1/"
SCOPES = {
    type(door).__name__: ", ".join(sorted({door.scope, *door.also}))
    for door in (READ, WRITE, CHAT, READ_CHATS, DO_ALL)
}


@dataclass(frozen=True, slots=True)
class Parameter:
    """Something an operation takes in its address, query or headers."""

    name: str
    place: str
    words: str
    required: bool


@dataclass(frozen=True, slots=True)
class Told:
    """An operation as the page tells it. `takes` and `gives` name the shapes of its bodies."""

    id: str
    tag: str
    method: str
    path: str
    summary: str
    words: str
    scope: str
    parameters: tuple[Parameter, ...]
    takes: str
    gives: str


@dataclass(frozen=True, slots=True)
class Shape:
    """A shape of a body: its fields as (name, type, whether it must be given, words)."""

    name: str
    words: str
    fields: tuple[tuple[str, str, bool, str], ...]


@require_safe
def openapi(request: SignedInRequest) -> HttpResponse:
    """The OpenAPI description as a file for programs."""
    return JsonResponse(rest.get_openapi_schema(path_prefix=PREFIX))


@require_safe
def docs(request: SignedInRequest) -> HttpResponse:
    """The same as a page."""
    found = rest.get_openapi_schema(path_prefix=PREFIX)
    told = sorted(_operations(found["paths"]), key=lambda each: each.tag)
    context = {
        "groups": [(tag, list(each)) for tag, each in groupby(told, key=lambda each: each.tag)],
        "shapes": list(_shapes(found["components"]["schemas"])),
    }
    return render(request, "api/docs.html", context)


def _operations(paths: dict[str, Any]) -> list[Told]:
    return [
        _operation(path, method, operation)
        for path, operations in paths.items()
        for method, operation in operations.items()
    ]


def _operation(path: str, method: str, operation: dict[str, Any]) -> Told:
    good = next(answer for status, answer in operation["responses"].items() if status < 300)
    (door,) = operation["security"][0]
    return Told(
        id=operation["operationId"],
        tag=operation["tags"][0],
        method=method.upper(),
        path=path,
        summary=operation["summary"],
        words=operation.get("description", ""),
        scope=SCOPES[door],
        parameters=tuple(map(_parameter, operation["parameters"])),
        takes=_body(operation.get("requestBody", {})),
        gives=_body(good),
    )


def _parameter(parameter: dict[str, Any]) -> Parameter:
    words = parameter.get("description", "")
    return Parameter(parameter["name"], parameter["in"], words, parameter["required"])


def _body(message: dict[str, Any]) -> str:
    for media_type, content in message.get("content", {}).items():
        return _type(content["schema"]) if media_type == "application/json" else str(media_type)
    return ""


def _shapes(schemas: dict[str, Any]) -> list[Shape]:
    return [
        Shape(name, schema.get("description", ""), _fields(schema))
        for name, schema in sorted(schemas.items())
    ]


def _fields(schema: dict[str, Any]) -> tuple[tuple[str, str, bool, str], ...]:
    required = schema.get("required", ())
    return tuple(
        (name, _type(field), name in required, field.get("description", ""))
        for name, field in schema.get("properties", {}).items()
    )


def _type(schema: dict[str, Any]) -> str:
    """A type in a word or two, such as `string`, `Fact` or `list of Fact`."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    several = schema.get("anyOf") or schema.get("allOf") or ()
    if several:
        return " or ".join(map(_type, several))
    if "enum" in schema:
        return " or ".join(f"“{value}”" for value in schema["enum"])
    if schema.get("type") == "array":
        return f"list of {_type(schema.get('items', {}))}"
    return str(schema.get("format") or schema.get("type", "anything"))
