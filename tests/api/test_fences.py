"""What holds of every operation, as the description itself lists them."""

from collections import defaultdict
from typing import Any
from uuid import uuid4

from django.db import transaction
from django.test import Client

from accounts.models import SCOPES, User
from tests.api.conftest import program, send
from tests.api.furnishing import Furniture
from tests.api.operations import operations

ALL = operations()
BY_ID = [each for each in ALL if each.parameters]
ANY: Any = defaultdict(uuid4)


def test_operations_have_names_of_their_own() -> None:
    assert len({each.id for each in ALL}) == len(ALL) > 10


def test_nobody_comes_in_without_a_token(client: Client, alice_client: Client) -> None:
    for operation in ALL:
        address = operation.address(ANY)
        tries = [(client, "Bearer nonsense"), (client, f"Bearer pal_{'0' * 32}_{'A' * 43}")]
        for visitor, header in (*tries, (client, ""), (alice_client, "")):  # browsers send a session unasked
            answer = send(visitor, operation.method, address, {}, Authorization=header)
            assert answer.status_code == answer.json()["status"] == 401, operation
            assert answer.headers["Content-Type"] == "application/problem+json", operation
            assert answer.headers["WWW-Authenticate"].startswith("Bearer"), operation


def test_a_token_opens_what_programs_use_and_no_page(alices: Client, alice: User) -> None:
    assert alices.get("/api/v1/account").json() == {
        "id": str(alice.id),
        "email": alice.email,
        "name": "Alice",
        "scopes": ["chat", "read", "write"],
    }
    assert alices.get("/memory/").status_code == 302


def test_a_narrower_token_is_refused(alice: User, furniture: Furniture) -> None:
    narrower = {scope: program(alice, *(other for other in SCOPES if other != scope)) for scope in SCOPES}
    for operation in ALL:
        address = operation.address(furniture.ids)
        body = operation.body(furniture.ids)
        answer = send(narrower[operation.scope], operation.method, address, body)
        assert answer.status_code == 403, operation
        assert operation.scope in answer.json()["detail"], operation


def test_the_owner_is_let_in(alices: Client, furniture: Furniture) -> None:
    for operation in BY_ID:
        with transaction.atomic():
            address = operation.address(furniture.ids)
            answer = send(alices, operation.method, address, operation.body(furniture.ids))
            transaction.set_rollback(True)
        furniture.put_back()
        assert answer.status_code in (200, 201, 202), (operation, answer.content)


def test_every_parameter_is_tried_with_something_that_is_there(furniture: Furniture) -> None:
    named = {name for operation in BY_ID for name in operation.parameters}
    assert {name for name in named if name.endswith("_id")} <= set(furniture.ids)


def test_other_methods_are_refused(alices: Client) -> None:
    for operation in ALL:
        answer = alices.generic("TRACE", operation.address(ANY))
        assert answer.status_code == 405, operation
        assert answer.headers["Content-Type"] == "application/problem+json", operation
