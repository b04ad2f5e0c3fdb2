"""The REST API: how it reads and writes JSON, its OpenAPI description, and its routers."""

import json
import re
from collections.abc import Callable
from http import HTTPStatus
from inspect import unwrap
from typing import Any, ClassVar, ParamSpec

from django.http import HttpRequest
from django.utils.datastructures import MultiValueDict
from ninja import NinjaAPI
from ninja.openapi.schema import OpenAPISchema
from ninja.operation import Operation
from ninja.params.models import QueryModel
from ninja.parser import Parser
from ninja.renderers import JSONRenderer
from pydantic import ConfigDict

from accounts.tokens import Bearer
from api.auth import READ
from api.problems import Refused
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
    undo,
)
from api.rest.errors import register_exception_handlers
from api.rest.idempotency import HEADER, MAX_KEY_LENGTH, WRITES, idempotent
from memory.outgoing import Outgoing

_TEXT = {"type": "string"}
_FIELD_ERROR = {
    "type": "object",
    "required": ["at", "detail"],
    "properties": {"at": {"type": "array", "items": _TEXT}, "detail": _TEXT},
}
PROBLEM = {
    "title": "Problem",
    "description": "An error in the format of RFC 9457.",
    "type": "object",
    "required": ["type", "title", "status", "detail"],
    "properties": {
        **dict.fromkeys(("type", "title", "detail"), _TEXT),
        "status": {"type": "integer"},
        "errors": {"type": "array", "items": _FIELD_ERROR},
    },
}
IDEMPOTENCY_KEY = {
    "name": HEADER,
    "in": "header",
    "required": False,
    "description": "Repeat a request safely: the same key within a day returns the first response.",
    "schema": {"type": "string", "minLength": 1, "maxLength": MAX_KEY_LENGTH, "pattern": "^[!-~]+$"},
}
ALWAYS = (400, 401, 403, 404, 422, 429)
MAX_DEPTH = 40
_PAGED = re.compile(r"\bPaged_(\w+)_")

Arguments = ParamSpec("Arguments")


class _Parser(Parser):
    """JSON of at most MAX_DEPTH levels; strings are valid Unicode without NUL."""

    def parse_body(self, request: HttpRequest) -> Any:
        """The parsed body. Raises ValueError, which becomes a 400."""
        try:
            found = json.loads(request.body.decode(), parse_constant=_refuse)
        except RecursionError as error:
            raise ValueError from error
        _check(found, MAX_DEPTH)
        return found

    def parse_querydict(
        self, data: "MultiValueDict[str, Any]", list_fields: list[str], request: HttpRequest
    ) -> dict[str, Any]:
        """The parsed query string. Raises Refused."""
        if any("\x00" in value for values in data.lists() for value in values[1]):
            raise Refused(400, "Query parameters cannot contain NUL characters.")
        found: dict[str, Any] = super().parse_querydict(data, list_fields, request)
        return found


def _refuse(name: str) -> None:
    raise ValueError


def _check(value: Any, levels: int) -> None:
    """Raise ValueError for what the database cannot store; `encode` does for lone surrogates."""
    if levels < 0 or (isinstance(value, str) and b"\0" in value.encode()):
        raise ValueError
    if isinstance(value, dict):
        for name, inner in value.items():
            _check(name, levels)
            _check(inner, levels - 1)
    elif isinstance(value, list):
        for inner in value:
            _check(inner, levels - 1)


class _Renderer(JSONRenderer):
    """JSON in which the secrets of the user are masked."""

    def render(self, request: HttpRequest, data: Any, *, response_status: int) -> Any:
        bearer = getattr(request, "auth", None)
        if isinstance(bearer, Bearer):
            data = Outgoing(bearer.user.id).masked(data)
        return super().render(request, data, response_status=response_status)


class _OtherParameters(QueryModel):
    """The query parameters that an operation does not have; any is an error."""

    model_config = ConfigDict(extra="forbid")
    known: ClassVar[frozenset[str]]

    @classmethod
    def get_request_data(cls, request: HttpRequest, api: NinjaAPI, path_params: Any) -> dict[str, Any]:
        return {name: value for name, value in request.GET.items() if name not in cls.known}


def refuse_other_parameters(run: Callable[Arguments, Any]) -> Callable[Arguments, Any]:
    """Refuse unknown query parameters together with whatever else is invalid in a request."""
    operation: Operation = unwrap(run).__self__
    members = {
        "known": frozenset(
            name
            for model in operation.models
            if model.__ninja_param_source__ == "query"
            for name in model.__ninja_flatten_map__
        ),
        "__ninja_param_source__": "query",
        "__ninja_flatten_map_reverse__": {},
    }
    operation.models = [*operation.models, type("OtherParameters", (_OtherParameters,), members)]
    return run


class PalaceAPI(NinjaAPI):
    """An API described by its docstrings: the first line of an operation is its summary."""

    def get_openapi_operation_id(self, operation: Operation) -> str:
        return operation.view_func.__name__

    def get_openapi_schema(
        self, *, path_prefix: str | None = None, path_params: dict[str, Any] | None = None
    ) -> OpenAPISchema:
        """The OpenAPI description with summaries, errors and idempotency keys. A page of wings is called
        `WingPage`."""
        plain = json.dumps(super().get_openapi_schema(path_prefix=path_prefix, path_params=path_params))
        schema: OpenAPISchema = json.loads(_PAGED.sub(r"\1Page", plain))
        schema["components"]["schemas"]["Problem"] = PROBLEM
        for operations in schema["paths"].values():
            for method, operation in operations.items():
                reads = {type(READ).__name__: []} in operation["security"]
                _complete(operation, writes=method.upper() in WRITES and not reads)
        return schema


def _complete(operation: dict[str, Any], *, writes: bool) -> None:
    summary, _, description = operation.pop("description").partition("\n\n")
    operation["summary"] = summary.removesuffix(".")
    if description:
        operation["description"] = description.replace("\n", " ").strip()
    statuses = (*ALWAYS, 409) if writes else ALWAYS
    if "requestBody" in operation:
        statuses = (*statuses, 413)
    content = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
    for status in statuses:
        error = {"description": HTTPStatus(status).phrase, "content": content}
        operation["responses"].setdefault(str(status), error)
    if writes:
        operation["parameters"].append(IDEMPOTENCY_KEY)


RESOURCES = (
    account, places, drawers, recall, facts, graph, projections, conversations, mining, settings,
    consolidation, forgetting, transfers, undo,
)  # fmt: skip

rest = PalaceAPI(
    title="Palace",
    version="1",
    description="Read, search, change and forget memory: everything the memory pages can do.",
    urls_namespace="rest",
    openapi_url=None,
    docs_url=None,
    auth=READ,
    parser=_Parser(),
    renderer=_Renderer(),
)
rest.add_decorator(refuse_other_parameters, mode="view")
rest.add_decorator(idempotent, mode="view")
for resource in RESOURCES:
    rest.add_router("", resource.router)
register_exception_handlers(rest)
