"""The REST API: its routers and its OpenAPI description."""

import re
from http import HTTPStatus
from typing import Any

from django.http import HttpRequest
from ninja import NinjaAPI
from ninja.openapi.schema import OpenAPISchema
from ninja.operation import Operation
from ninja.renderers import JSONRenderer

from accounts.tokens import Bearer
from api.auth import READ
from api.exception_handlers import register_exception_handlers
from api.rest import (
    account,
    consolidation,
    conversations,
    drawers,
    facts,
    forgetting,
    graph,
    mining,
    places,
    projections,
    recall,
    settings,
    transfers,
)
from api.rest.idempotency import HEADER, MAX_KEY_LENGTH, WRITES, idempotent
from api.rest.parsing import StrictParser
from memory.outgoing import Outgoing

PROBLEM = {
    "title": "Problem",
    "description": "An error in the format of RFC 9457.",
    "type": "object",
    "required": ["type", "title", "status", "detail"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["at", "detail"],
                "properties": {
                    "at": {"type": "array", "items": {"type": "string"}},
                    "detail": {"type": "string"},
                },
            },
        },
    },
}
IDEMPOTENCY_KEY = {
    "name": HEADER,
    "in": "header",
    "required": False,
    "description": "Repeat a request safely: the same key within a day returns the first response.",
    "schema": {"type": "string", "minLength": 1, "maxLength": MAX_KEY_LENGTH, "pattern": "^[!-~]+$"},
}
_PAGED = re.compile(r"\bPaged_(\w+)_")
ALWAYS = (400, 401, 403, 404, 422, 429)


class _Renderer(JSONRenderer):
    """JSON in which the secrets of the user are masked."""

    def render(self, request: HttpRequest, data: Any, *, response_status: int) -> Any:
        bearer = getattr(request, "auth", None)
        if isinstance(bearer, Bearer):
            data = Outgoing(bearer.user.id).masked(data)
        return super().render(request, data, response_status=response_status)


class PalaceAPI(NinjaAPI):
    """An API described by its docstrings: the first line of an operation is its summary."""

    def get_openapi_operation_id(self, operation: Operation) -> str:
        return operation.view_func.__name__

    def get_openapi_schema(
        self, *, path_prefix: str | None = None, path_params: dict[str, Any] | None = None
    ) -> OpenAPISchema:
        """The OpenAPI description with summaries, errors and idempotency keys."""
        schema = super().get_openapi_schema(path_prefix=path_prefix, path_params=path_params)
        schema["components"]["schemas"]["Problem"] = PROBLEM
        schema.update({part: _with_page_names(schema[part]) for part in ("paths", "components")})
        for operations in schema["paths"].values():
            for method, operation in operations.items():
                _complete(operation, writes=method.upper() in WRITES)
        return schema


def _with_page_names(value: Any) -> Any:
    """Name a page of wings `WingPage` instead of `Paged_Wing_`."""
    if isinstance(value, dict):
        return {_with_page_names(name): _with_page_names(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_with_page_names(inner) for inner in value]
    return _PAGED.sub(r"\1Page", value) if isinstance(value, str) else value


def _complete(operation: dict[str, Any], *, writes: bool) -> None:
    summary, _, description = operation.pop("description").partition("\n\n")
    operation["summary"] = summary.removesuffix(".")
    if description:
        operation["description"] = description.replace("\n", " ").strip()
    statuses = (*ALWAYS, 409) if writes else ALWAYS
    if "requestBody" in operation:
        statuses = (*statuses, 413)
    for status in statuses:
        operation["responses"].setdefault(status, _error(status))
    if writes:
        operation["parameters"].append(IDEMPOTENCY_KEY)


def _error(status: int) -> dict[str, Any]:
    content = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return {"description": HTTPStatus(status).phrase, "content": content}


RESOURCES = (
    account,
    places,
    drawers,
    recall,
    facts,
    graph,
    projections,
    conversations,
    mining,
    settings,
    consolidation,
    forgetting,
    transfers,
)

rest = PalaceAPI(
    title="Palace",
    version="1",
    description="Read, search, change and forget memory: everything the memory pages can do.",
    urls_namespace="rest",
    openapi_url=None,
    docs_url=None,
    auth=READ,
    parser=StrictParser(),
    renderer=_Renderer(),
)
rest.add_decorator(idempotent, mode="view")
for resource in RESOURCES:
    rest.add_router("", resource.router)
register_exception_handlers(rest)
