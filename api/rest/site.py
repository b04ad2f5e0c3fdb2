"""The REST API: its routers, and how each refusal is said."""

from http import HTTPStatus
from typing import Any

from ninja import NinjaAPI
from ninja.openapi.schema import OpenAPISchema
from ninja.operation import Operation

from api.auth import READ
from api.exception_handlers import say_refusals
from api.rest import (
    account,
    agents,
    chats,
    consolidation,
    drawers,
    exports,
    facts,
    forgetting,
    graph,
    imports,
    memory,
    places,
    projections,
    recall,
    webhooks,
)
from api.rest.idempotency import HEADER, LONGEST_KEY, WRITES, once
from api.rest.parsing import StrictParser

PROBLEM = {
    "title": "Problem",
    "description": "What is wrong, as RFC 9457 says it.",
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
    "description": "Sent again with the same key, the request is done once and answered the same.",
    "schema": {"type": "string", "minLength": 1, "maxLength": LONGEST_KEY, "pattern": "^[!-~]+$"},
}
ALWAYS = (400, 401, 403, 404, 422, 429)


class Described(NinjaAPI):
    """An API whose description tells every refusal, and which scope an operation needs."""

    def get_openapi_operation_id(self, operation: Operation) -> str:
        """The name of the function."""
        return operation.view_func.__name__

    def get_openapi_schema(
        self, *, path_prefix: str | None = None, path_params: dict[str, Any] | None = None
    ) -> OpenAPISchema:
        """The description with all refusals."""
        found = super().get_openapi_schema(path_prefix=path_prefix, path_params=path_params)
        found["components"]["schemas"]["Problem"] = PROBLEM
        for operations in found["paths"].values():
            for method, operation in operations.items():
                _complete(operation, writes=method.upper() in WRITES)
        return found


def _complete(operation: dict[str, Any], *, writes: bool) -> None:
    statuses = (*ALWAYS, 409) if writes else ALWAYS
    if "requestBody" in operation:
        statuses = (*statuses, 413)
    for status in statuses:
        operation["responses"].setdefault(status, _refusal(status))
    if writes:
        operation["parameters"].append(IDEMPOTENCY_KEY)


def _refusal(status: int) -> dict[str, Any]:
    content = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return {"description": HTTPStatus(status).phrase, "content": content}


ROUTERS = (
    account,
    places,
    drawers,
    recall,
    facts,
    graph,
    projections,
    chats,
    agents,
    memory,
    consolidation,
    forgetting,
    imports,
    exports,
    webhooks,
)

rest = Described(
    title="Palace",
    version="1",
    description="Everything that the pages of your memory do, for your own programs.",
    urls_namespace="rest",
    openapi_url=None,
    docs_url=None,
    auth=READ,
    parser=StrictParser(),
)
rest.add_decorator(once, mode="view")
for module in ROUTERS:
    rest.add_router("", module.router)
say_refusals(rest)
