"""Requests of every shape, good and bad, are answered as the description says, and never by 5xx."""

from typing import Any

import schemathesis
from django.core.wsgi import get_wsgi_application
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from accounts.models import User
from accounts.tenancy import tenant
from accounts.tokens import issue_token
from tests.api.furnishing import NOW, Furniture
from tests.api.operations import described

EXAMPLES = 12
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
MODES = schemathesis.GenerationMode


def test_every_answer_is_documented(alice: User, furniture: Furniture, settings: Any) -> None:
    settings.API_RATE = 1_000_000
    with tenant(alice.id):
        token = issue_token(alice.id, "Everything", NOW)
    schema = schemathesis.openapi.from_dict(described())
    schema.app = get_wsgi_application()
    tried = [_try(each.ok(), furniture, token) for each in schema.get_all_operations()]
    assert len(tried) == sum(len(methods) for methods in described()["paths"].values())


def _try(operation: Any, furniture: Furniture, token: str) -> None:
    """Send this operation many requests, good and bad, about what is there and what is not."""
    ids = {name: str(value) for name, value in furniture.ids.items()}
    cases = st.one_of(
        operation.as_strategy(generation_mode=MODES.POSITIVE),
        operation.as_strategy(generation_mode=MODES.NEGATIVE),
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
    def send(case: Any, known: bool) -> None:
        if known:
            there = {name: ids[name] for name in case.path_parameters or {} if name in ids}
            case.path_parameters = {**(case.path_parameters or {}), **there}
        case.call_and_validate(headers={"Authorization": f"Bearer {token}"}, checks=CHECKS)

    send()
