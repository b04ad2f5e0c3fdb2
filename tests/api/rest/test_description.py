"""Responses to valid and invalid requests conform to the OpenAPI description, and are never 5xx."""

import json
from contextlib import contextmanager

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections, transaction
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from ninja import Schema
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from accounts.tenancy import tenant
from accounts.tokens import issue_token
from api.rest.site import IDEMPOTENCY_KEY
from tests.api.furnishing import NOW
from tests.api.operations import described, operations

EXAMPLES = 8
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
MODES = schemathesis.GenerationMode
pytestmark = pytest.mark.filterwarnings(
    "ignore:StreamingHttpResponse must consume asynchronous iterators"  # as under ASGI
)


@pytest.fixture
def program(alice, settings):
    """The headers of a program with a token of Alice for all scopes. Its requests share the connection and
    transaction of the test."""
    settings.API_RATE = 1_000_000
    with tenant(alice.id):
        token = issue_token(alice.id, "Everything", NOW)
    ends = (request_started, request_finished)
    for signal in ends:
        signal.disconnect(close_old_connections)
    yield {"Authorization": f"Bearer {token}"}
    for signal in ends:
        signal.connect(close_old_connections)


@pytest.mark.drill
def test_responses_to_valid_and_generated_requests_conform_to_the_description(program, furniture):
    known = {each.id: each for each in operations()}
    tried = set()
    for tested in _tested():
        name = tested.definition.raw["operationId"]
        case = _valid_case(tested, known[name], furniture)
        with _rolled_back(furniture):
            answer = case.call_and_validate(headers=program, checks=CHECKS)
        assert answer.status_code < 300, (tested.label, answer.text)
        _try(tested, program, furniture)
        tried.add(name)
    assert tried == set(known)


def test_schema_names_are_unique_and_only_writing_operations_take_an_idempotency_key():
    for path, methods in described()["paths"].items():
        for method, operation in methods.items():
            writes = method != "get" and operation["security"] != [{"ReadToken": []}]
            assert (IDEMPOTENCY_KEY in operation["parameters"]) == writes, (method, path)
    named: dict[str, type] = {}
    for shape in _schemas(Schema):
        assert named.setdefault(shape.__name__, shape) is shape, shape


def _tested():
    schema = schemathesis.openapi.from_dict(described())
    schema.app = get_wsgi_application()
    schema.config.generation.update(with_security_parameters=False)
    for found in schema.get_all_operations():
        yield found.ok()


def _valid_case(tested, known, furniture):
    body, file = known.body(furniture.ids), known.file()
    text = json.dumps(body, default=str)
    sent = {} if body is None else {"body": json.loads(text), "media_type": "application/json"}
    if file is not None:
        files = [file] if known.id == "create_import" else file
        sent = {"body": {"file": files}, "media_type": "multipart/form-data"}
    return tested.Case(
        path_parameters=known.path_parameters(furniture.ids), query=known.query(furniture.ids), **sent
    )


def _try(tested, program, furniture):
    """Send an operation many requests, valid and invalid, with existing and unknown ids."""
    ids = {name: str(value) for name, value in furniture.ids.items()}
    cases = st.one_of(
        tested.as_strategy(generation_mode=MODES.POSITIVE), tested.as_strategy(generation_mode=MODES.NEGATIVE)
    )

    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=cases, known=st.booleans())
    def send(case, known):
        if known:
            there = {name: ids[name] for name in case.path_parameters or {} if name in ids}
            case.path_parameters = {**(case.path_parameters or {}), **there}
        with _rolled_back(furniture):
            answer = case.call_and_validate(headers=program, checks=CHECKS)
        assert answer.status_code not in (401, 403, 429)

    send()


@contextmanager
def _rolled_back(furniture):
    """Undo the changes of a request, so that the next one finds every row."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)
    furniture.restore_files()


def _schemas(shape):
    for narrower in shape.__subclasses__():
        if narrower.__module__.startswith("api.") and not narrower.__pydantic_generic_metadata__["args"]:
            yield narrower
        yield from _schemas(narrower)
