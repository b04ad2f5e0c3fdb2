"""Ids of another user at every interface: the same response and the same queries as for an unknown id."""

from contextlib import contextmanager
from uuid import UUID, uuid4

import pytest
from django.db import transaction
from django.db.backends.utils import CursorWrapper
from django.http import Http404

from accounts.owned import NotFound
from accounts.tenancy import tenant
from api.mcp.server import TOOLS
from api.mcp.tools import ToolRefused
from api.models import StoredResponse
from tests.api.conftest import send
from tests.api.furnishing import furnish
from tests.api.operations import filled, operations
from tests.attacks.test_pages import digests_of
from tests.chat.conftest import NOW

ALL = operations()
BY_ID = [each for each in ALL if each.parameters]
NAMES_IDS = (
    *("merge_wings", "merge_rooms", "merge_closets", "move_room", "move_closet"),
    *("move_drawers", "delete_drawers"),
    *("approve_facts", "reject_facts", "merge_facts", "merge_entities", "split_entity"),
    *("create_conversation", "preview_forget", "forget"),
)
"""Operations that take ids in their bodies."""


def unknown_ids(ids):
    """Unknown ids under the same names."""
    return {name: uuid4() if isinstance(known, UUID) else known for name, known in ids.items()}


@contextmanager
def statements():
    """Record every statement in any thread, without its WHERE clause."""
    executed: list[str] = []
    execute = CursorWrapper.execute

    def note(cursor, query, params=None):
        if "SAVEPOINT" not in str(query):
            executed.append(str(query).split("WHERE")[0])
        return execute(cursor, query, params)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(CursorWrapper, "execute", note)
        yield executed


def observe(client, method, address, body=None):
    """The response, and the statements it needed."""
    with statements() as executed:
        answer = send(client, method, address, body)
    headers = {name: value for name, value in answer.headers.items() if name != "X-Request-ID"}
    return answer.status_code, answer.content + str(headers).encode(), executed


def call(client, operation, ids, body):
    with transaction.atomic():
        seen = observe(client, operation.method, operation.address(ids), body)
        transaction.set_rollback(True)
    return seen


@pytest.fixture
def bob_api(bob_api):
    """Bob's client, after a first request that caches his token."""
    bob_api.get("/api/v1/account")
    return bob_api


def test_operations_treat_foreign_ids_like_unknown_ones(bob_api, furniture, subtests):
    random = unknown_ids(furniture.ids)
    for operation in BY_ID:
        with subtests.test(operation.id):
            theirs = call(bob_api, operation, furniture.ids, operation.body(furniture.ids))
            assert theirs == call(bob_api, operation, random, operation.body(random))
            assert theirs[0] == 404


@pytest.fixture
def own(bob, furniture):
    """One row of every kind in Bob's palace."""
    with tenant(bob.id):
        return furnish(bob)


def test_foreign_ids_in_bodies_are_treated_like_unknown_ones_and_change_nothing(
    bob_api, alice, furniture, own, subtests
):
    """With an existing id of the user in the path."""
    before = digests_of(alice)
    wanted = {operation.id: operation for operation in ALL if operation.id in NAMES_IDS}
    assert set(wanted) == set(NAMES_IDS)
    for name, operation in wanted.items():
        with subtests.test(name):
            foreign, unknown = operation.body(furniture.ids), operation.body(unknown_ids(furniture.ids))
            assert foreign != unknown, "its body in operations.toml names no id"
            theirs = call(bob_api, operation, own.ids, foreign)
            absent = call(bob_api, operation, own.ids, unknown)
            own.restore_files()
            assert theirs[2] == absent[2]
            assert theirs[:2] == absent[:2] or name in ("preview_forget", "forget")
            assert theirs[0] in (400, 404, 409, 422) or b'"changed"' in theirs[1] or name.endswith("forget")
            send(bob_api, operation.method, operation.address(own.ids), foreign)
    assert digests_of(alice) == before


def v1_requests(ids):
    """Requests to `/v1` that contain ids."""
    words = [{"role": "user", "content": "x"}]
    response = f"resp_{ids['response'].hex}"
    yield "GET", f"/v1/responses/{response}", None
    yield "DELETE", f"/v1/responses/{response}", None
    yield "POST", "/v1/responses", {"model": "m", "input": "x", "previous_response_id": response}
    for which in (f"/{ids['drawer_id']}", f"/{ids['fact_id']}", f"?project_id={ids['wing_id']}"):
        yield "DELETE", f"/v1/memory{which}", None
    yield "DELETE", f"/v1/memory?user_id={ids['user']}", None
    body = {"model": "m", "messages": words, "memory_context": {"user_id": str(ids["user"])}}
    yield "POST", "/v1/chat/completions", body


@pytest.mark.django_db(transaction=True)
def test_v1_treats_foreign_ids_like_unknown_ones(bob_api, alice, furniture, subtests):
    with tenant(alice.id):
        response = StoredResponse.objects.create(
            user_id=alice.id, conversation_id=furniture.ids["conversation_id"], sequence=1, created_at=NOW
        )
    ids = furniture.ids | {"user": alice.id, "response": response.id}
    random = unknown_ids(ids)
    bob_api.get("/v1/responses/none")
    for known, unknown in zip(v1_requests(ids), v1_requests(random), strict=True):
        with subtests.test(known[1]):
            theirs, absent = observe(bob_api, *known), observe(bob_api, *unknown)
            assert (theirs[0], *theirs[2]) == (absent[0], *absent[2])
            echo = absent[1].replace(random["response"].hex.encode(), ids["response"].hex.encode())
            assert theirs[1] == echo
            assert theirs[0] in (403, 404)
            assert len(theirs[2]) > 1


TOOL_CALLS = (
    ("browse", {"wing": "{wing_id}"}),
    ("browse", {"room_id": "{room_id}"}),
    ("browse", {"closet_id": "{closet_id}"}),
    ("read_drawer", {"drawer": "{drawer_id}"}),
    ("facts", {"wing": "{wing_id}"}),
    ("graph", {"entity": "{entity_id}"}),
    ("graph", {"entity": "user", "other": "{entity_id}"}),
    ("timeline", {"entity": "{entity_id}"}),
    ("undo_forgetting", {"receipt": "{deletion_id}"}),
    *(
        ("forget", {"kind": kind, "which": f"{{{kind}_id}}"})
        for kind in ("wing", "room", "closet", "drawer", "entity")
    ),
)


def test_mcp_tools_treat_foreign_ids_like_unknown_ones(bob, furniture, subtests):
    for tool, arguments in TOOL_CALLS:
        with subtests.test(tool, **arguments):
            theirs = _use(bob, tool, filled(arguments, furniture.ids))
            assert theirs == _use(bob, tool, filled(arguments, unknown_ids(furniture.ids)))
            assert theirs[0] in ("Http404", "NotFound", "ToolRefused") or "wing" in arguments


def _use(user, tool, arguments):
    """The result or error of a tool, and the statements it needed."""
    with tenant(user.id), statements() as executed:
        try:
            call = str(TOOLS[tool].use(user.id, arguments, NOW).plain)
        except (ToolRefused, Http404, NotFound) as refusal:
            call = type(refusal).__name__
    return call, executed
