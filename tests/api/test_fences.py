"""Access rules of every operation in the OpenAPI description."""

from collections import defaultdict
from typing import Any
from uuid import uuid4

from django.db import transaction

from accounts.models import SCOPES
from tests.api.conftest import api_client, send
from tests.api.operations import operations

ALL = operations()
BY_ID = [each for each in ALL if each.parameters]
ANY: Any = defaultdict(uuid4)


def test_operation_ids_are_unique():
    assert len({each.id for each in ALL}) == len(ALL) > 10


def test_every_operation_needs_a_token(client, alice_client):
    for operation in ALL:
        address = operation.address(ANY)
        tries = [(client, "Bearer nonsense"), (client, f"Bearer pal_{'0' * 32}_{'A' * 43}")]
        for visitor, header in (*tries, (client, ""), (alice_client, "")):  # a session is not enough
            answer = send(visitor, operation.method, address, {}, Authorization=header)
            assert answer.status_code == answer.json()["status"] == 401, operation
            assert answer.headers["Content-Type"] == "application/problem+json", operation
            assert answer.headers["WWW-Authenticate"].startswith("Bearer"), operation


def test_tokens_are_accepted_by_the_api_and_not_by_pages(alice_api, alice):
    assert alice_api.get("/api/v1/account").json() == {
        "id": str(alice.id),
        "email": alice.email,
        "name": "Alice",
        "scopes": ["chat", "read", "write"],
    }
    assert alice_api.get("/memory/").status_code == 302


def test_every_operation_needs_its_scope(alice, furniture):
    narrower = {scope: api_client(alice, *(other for other in SCOPES if other != scope)) for scope in SCOPES}
    for operation in ALL:
        address = operation.address(furniture.ids)
        body = operation.body(furniture.ids)
        answer = send(narrower[operation.scope], operation.method, address, body)
        assert answer.status_code == 403, operation
        assert operation.scope in answer.json()["detail"], operation


def test_owner_can_use_every_operation(alice_api, furniture):
    for operation in BY_ID:
        with transaction.atomic():
            address = operation.address(furniture.ids)
            answer = send(alice_api, operation.method, address, operation.body(furniture.ids))
            transaction.set_rollback(True)
        furniture.restore_files()
        assert answer.status_code in (200, 201, 202), (operation, answer.content)


def test_furniture_has_an_id_for_every_parameter(furniture):
    named = {name for operation in BY_ID for name in operation.parameters}
    assert {name for name in named if name.endswith("_id")} <= set(furniture.ids)


def test_other_methods_are_refused(alice_api):
    for operation in ALL:
        answer = alice_api.generic("TRACE", operation.address(ANY))
        assert answer.status_code == 405, operation
        assert answer.headers["Content-Type"] == "application/problem+json", operation
