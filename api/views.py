"""The URLs of the REST API, and its reference: the OpenAPI description as JSON and as a page."""

from itertools import groupby
from typing import Any

from django.http import HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import path
from django.views.decorators.http import require_safe

from accounts.http import SignedInRequest
from api.auth import TOKENS
from api.rest.site import rest

PREFIX = "/api/v1/"
SCOPES = {type(token).__name__: ", ".join(sorted(token.scopes)) for token in TOKENS}
Json = dict[str, Any]


@require_safe
def openapi(request: SignedInRequest) -> HttpResponse:
    """The OpenAPI description as JSON."""
    return JsonResponse(rest.get_openapi_schema(path_prefix=PREFIX))


@require_safe
def docs(request: SignedInRequest) -> HttpResponse:
    """The OpenAPI description as a page."""
    described = rest.get_openapi_schema(path_prefix=PREFIX)
    operations = [
        _operation(method.upper(), address, operation)
        for address, operations in described["paths"].items()
        for method, operation in operations.items()
    ]
    operations.sort(key=lambda each: each["tag"])
    schemas = described["components"]["schemas"]
    context = {
        "groups": [(tag, list(each)) for tag, each in groupby(operations, key=lambda each: each["tag"])],
        "schemas": [_schema(name, schemas[name]) for name in sorted(schemas)],
    }
    return render(request, "api/docs.html", context)


def _operation(method: str, address: str, operation: Json) -> Json:
    success = next(response for status, response in operation["responses"].items() if status < "300")
    (token,) = operation["security"][0]
    return {
        **operation,
        "id": operation["operationId"],
        "tag": operation["tags"][0],
        "method": method,
        "path": address,
        "scope": SCOPES[token],
        "request": _body(operation.get("requestBody", {})),
        "response": _body(success),
    }


def _schema(name: str, schema: Json) -> Json:
    required = schema.get("required", ())
    fields = [
        {
            "name": field,
            "type": _type(value),
            "required": field in required,
            "description": value.get("description", ""),
        }
        for field, value in schema.get("properties", {}).items()
    ]
    return {"name": name, "description": schema.get("description", ""), "fields": fields}


def _body(message: Json) -> str:
    for media_type, content in message.get("content", {}).items():
        return _type(content["schema"]) if media_type == "application/json" else str(media_type)
    return ""


def _type(schema: Json) -> str:
    """A type in a word or two, such as `string`, `Fact` or `list of Fact`."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if alternatives := schema.get("anyOf") or schema.get("allOf"):
        return " or ".join(map(_type, alternatives))
    if "enum" in schema:
        return " or ".join(f"“{value}”" for value in schema["enum"])
    if schema.get("type") == "array":
        return f"list of {_type(schema.get('items', {}))}"
    return str(schema.get("format") or schema.get("type", "anything"))


app_name = "api"
urlpatterns = [
    path("docs", docs, name="docs"),
    path("openapi.json", openapi, name="openapi"),
    path("v1/", rest.urls),
]
