import pytest
from django.test import Client

NOTES = "/api/v1/notes"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b'{"text": "\\u0000"}',
        b'{"text": "\\ud800"}',
        b'{"te\\u0000xt": "a"}',
        b'{"text": NaN}',
        b"[" * 100_000,
        b'{"text": ' + b"[" * 60 + b"]" * 60 + b"}",
        b'{"text": ' + b"9" * 10_000 + b"}",
    ],
)
def test_what_cannot_be_read_is_a_sentence(alices: Client, body: bytes) -> None:
    answer = alices.post(NOTES, body, content_type="application/json")
    assert answer.status_code in (400, 422)
    assert answer.headers["Content-Type"] == "application/problem+json"


@pytest.mark.parametrize("text", ["日本語のメモ", "Заметка", "ملاحظة", "🧁👩‍🍳", "e\u0301"])
def test_every_script_is_kept_word_for_word(alices: Client, text: str) -> None:
    made = alices.post(NOTES, {"text": text}, content_type="application/json").json()
    assert alices.get(f"/api/v1/drawers/{made['id']}").json()["content"] == text


def test_what_is_not_asked_for_is_refused(alices: Client) -> None:
    answer = alices.post(NOTES, {"text": "a", "colour": "red"}, content_type="application/json")
    assert answer.status_code == 422
    (error,) = answer.json()["errors"]
    assert error["at"][-1] == "colour"


def test_a_query_without_nul(alices: Client) -> None:
    assert alices.get("/api/v1/pointers", {"pointer": "W\x00"}).status_code == 400
