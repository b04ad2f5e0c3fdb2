"""Requests to forget say exactly what to forget."""

import pytest

from accounts.tenancy import tenant
from memory.models import Drawer
from tests.api.conftest import send
from tests.memory.palaces import file

FORGET = "/api/v1/forget"
EARLY, LATE = "2026-03-01T00:00:00Z", "2026-03-31T00:00:00Z"
ID = "01890a5d-ac96-774b-bcce-b302099a8057"
WING = {"kind": "wing", "id": "{wing_id}"}


@pytest.fixture
def drawer(alice, embedder):
    """A drawer of Alice."""
    with tenant(alice.id):
        return file(alice.id, ["I feed my rye starter every morning."])[0]


@pytest.mark.parametrize(
    "scope",
    [
        WING | {"since": EARLY},
        WING | {"until": LATE},
        WING | {"project": "Baking"},
        {"kind": "wing"},
        {"kind": "drawer"},
        {"kind": "wing", "project": "Baking"},
        {"kind": "project"},
        {"kind": "project", "project": "Baking", "id": ID},
        {"kind": "dates"},
        {"kind": "dates", "since": LATE, "until": EARLY},
        {"kind": "dates", "since": EARLY, "until": EARLY},
        {"kind": "dates", "since": EARLY, "id": ID},
        {"kind": "everything", "id": ID, "confirmed": True},
        {"kind": "everything", "until": LATE, "confirmed": True},
    ],
    ids=str,
)
def test_scopes_with_missing_or_other_fields_are_refused(alice_api, alice, drawer, scope):
    if scope.get("id") == WING["id"]:
        scope = scope | {"id": str(drawer.wing_id)}
    previewed = {name: value for name, value in scope.items() if name != "confirmed"}
    for address, body in ((FORGET, scope), (f"{FORGET}/preview", previewed)):
        answer = send(alice_api, "POST", address, body)
        assert answer.status_code == 422, answer.content
        (error,) = answer.json()["errors"]
        assert error["at"] == ["body", "scope"]
        assert error["detail"].endswith(".")
    with tenant(alice.id):
        assert Drawer.objects.get().deleted_at is None


def test_what_does_not_exist_is_not_found(alice_api, drawer):
    for scope in ({"kind": "drawer", "id": ID}, {"kind": "project", "project": "Bees"}):
        assert send(alice_api, "POST", FORGET, scope).status_code == 404
