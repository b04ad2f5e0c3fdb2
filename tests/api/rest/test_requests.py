"""Requests are validated strictly, and lists are paged."""

from itertools import count

import pytest
from django.test import Client

from api.rest.idempotency import HEADER
from chat.conversations import Choices, start
from memory.organize.notes import Note, save_note
from tests.api.conftest import send
from tests.api.furnishing import NOW

pytestmark = pytest.mark.usefixtures("as_alice")
NOTES = "/api/v1/notes"


def pages(client, address, limit):
    cursor: str | None = ""
    for _ in count():
        page = client.get(address, {"limit": limit, "cursor": cursor}).json()
        yield page["items"]
        cursor = page["next"]
        if cursor is None:
            return


@pytest.fixture
def notes(alice, alice_api):
    for number in range(7):
        save_note(alice.id, Note(f"Note {number}"), NOW)
    (wing,) = alice_api.get("/api/v1/wings").json()["items"]
    (room,) = alice_api.get(f"/api/v1/wings/{wing['id']}/rooms").json()["items"]
    return f"/api/v1/rooms/{room['id']}/drawers"


def test_paging_returns_every_item_by_opaque_cursors(alice_api, alice, notes):
    cursor = alice_api.get(notes, {"limit": 1}).json()["next"]
    assert cursor.replace("-", "").replace("_", "").isalnum()
    for limit in (0, 101, "many"):
        assert alice_api.get(notes, {"limit": limit}).status_code == 422
    for wrong in ("nonsense", "%%%", "ü", "MTIz", "x" * 201):
        assert alice_api.get(notes, {"cursor": wrong}).status_code == 422
    read = list(pages(alice_api, notes, 3))
    assert [len(page) for page in read] == [3, 3, 1]
    words = [item["excerpt"] for page in read for item in page]
    assert words == [f"Note {number}" for number in range(7)]
    assert alice_api.get("/api/v1/trash", {"limit": 1}).json() == {"items": [], "next": None}
    wings = pages(alice_api, "/api/v1/wings", 2)
    for name in "ABC":
        save_note(alice.id, Note("Words", wing=name), NOW)
    seen = [*next(wings)]
    save_note(alice.id, Note("Words", wing="New"), NOW.replace(year=2027))
    seen += [wing for page in wings for wing in page]
    assert sorted(wing["name"] for wing in seen) == ["A", "B", "C", "Notes"], "additions do not shift pages"


def test_messages_of_all_branches_are_paged_in_the_order_they_were_added(alice_api):
    chat = f"/api/v1/conversations/{send(alice_api, 'POST', '/api/v1/conversations', {}).json()['id']}"
    for parent in (None, 1, 1, 3):
        message = {"role": "user", "content": "…", "parent": parent}
        assert send(alice_api, "POST", f"{chat}/messages", message).status_code == 201
    unknown = send(alice_api, "POST", f"{chat}/messages", {"role": "user", "content": "Hi", "parent": 9})
    assert (unknown.status_code, "`parent`" in unknown.json()["detail"]) == (422, True)
    read = [item for page in pages(alice_api, f"{chat}/messages", 2) for item in page]
    branches = [(each["sequence"], each["parent_sequence"]) for each in read]
    assert branches == [(1, None), (2, 1), (3, 1), (4, 3)]


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("everything", "Input should be an object"),
        ({"kind": "dates", "since": "2024-03-01T08:00"}, "Input should have a UTC offset, such as `Z`"),
        ({"kind": "dates", "since": "1024-03-01T08:00Z"}, "Input should be between the years 1900 and 2199"),
        ({"kind": "wing", "project": "x"}, "Only a project is found by `project`."),
    ],
)
def test_errors_are_in_plain_words(alice_api, body, sentence):
    (error,) = send(alice_api, "POST", "/api/v1/forget/preview", body).json()["errors"]
    assert error["detail"] == sentence


@pytest.mark.parametrize(
    "body",
    [
        *(b"", b"{", b"\xff\xfe", b'{"text": NaN}', b"[" * 100_000),
        *(b'{"text": "\\u0000"}', b'{"text": "\\ud800"}', b'{"te\\u0000xt": "a"}'),
        b'{"text": ' + b"[" * 60 + b"]" * 60 + b"}",
        b'{"text": ' + b"9" * 10_000 + b"}",
    ],
)
def test_malformed_bodies_are_refused(alice_api, body):
    answer = alice_api.post(NOTES, body, content_type="application/json")
    assert answer.status_code in (400, 422)
    assert answer.headers["Content-Type"] == "application/problem+json"


@pytest.mark.parametrize("text", ["日本語のメモ", "Заметка", "ملاحظة", "🧁👩‍🍳", "e\u0301"])
def test_text_of_any_script_is_stored_verbatim(alice_api, text):
    made = send(alice_api, "POST", NOTES, {"text": text}).json()
    assert alice_api.get(f"/api/v1/drawers/{made['id']}").json()["content"] == text


def test_unknown_fields_and_query_parameters_are_refused_by_name(alice_api, alice):
    chat = start(alice.id, Choices(), NOW)
    for method, address, body, name in (
        ("POST", "notes", {"text": "a", "colour": "red"}, "colour"),
        ("DELETE", f"conversations/{chat.id}?forgett=true", None, "forgett"),
        ("GET", "facts?staus=rejected", None, "staus"),
        ("GET", "account?limit=1", None, "limit"),
        ("GET", f"exports/{chat.id}/file?a=", None, "a"),
        ("POST", "mining/now?cursor=a", None, "cursor"),
    ):
        answer = send(alice_api, method, f"/api/v1/{address}", body, **{HEADER: name})
        assert answer.status_code == 422, address
        (error,) = answer.json()["errors"]
        assert error["at"][-1] == name
        assert error["at"] == ["query", name] or body
    assert alice_api.get(f"/api/v1/conversations/{chat.id}").status_code == 200
    answer = alice_api.get("/api/v1/paths?strat=a")
    assert {error["at"][-1] for error in answer.json()["errors"]} == {"start", "end", "strat"}
    (error,) = alice_api.get("/api/v1/facts?kind=gossip").json()["errors"]
    assert (error["at"][-1], "the kinds are identity" in error["detail"]) == ("kind", True)
    assert Client().get("/api/v1/facts?staus=rejected").status_code == 401
    assert alice_api.get("/api/v1/pointers", {"pointer": "W\x00"}).status_code == 400
