"""Products are recognised by the shape of their entries, and times in any notation."""

from datetime import UTC, datetime

import pytest

from tests.transfer.importing.exports import loaded
from transfer.importing.reading import recognise
from transfer.importing.threads import moment

NOON = datetime(2025, 4, 18, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("entry", "found"),
    [
        ({"mapping": {}}, "ChatGPT"),
        ({"title": "t", "messages": []}, "ChatGPT"),
        ({"conversation_id": "c", "chat_messages": [{"text": "x"}]}, "ChatGPT"),
        ({"uuid": "u", "name": "n", "chat_messages": []}, "Claude.ai"),
        ({"type": "user", "sessionId": "s", "message": {}}, "Claude Code"),
        ({"type": "file-history-snapshot"}, "Claude Code"),
        ({"id": "i", "chat": {"history": {"messages": {}}}}, "Open WebUI"),
        ({"title": "t", "history": {"messages": {}}}, "Open WebUI"),
        ({"id": "i", "chat": {"title": "t", "messages": []}}, "Open WebUI"),
        ({"conversationId": "c", "title": "t", "messages": []}, "LibreChat"),
        ({"conversationId": "c", "messagesTree": []}, "LibreChat"),
        ({"display": "/model", "sessionId": "s"}, None),
        ({"uuid": "p", "name": "Trips", "docs": []}, None),
        ({"messages": []}, None),
        ({"mapping": 5}, None),
        ({"chat": "x"}, None),
        ({"id": 5, "email": "a@example.org"}, None),
        ([], None),
        (None, None),
        ("mapping", None),
    ],
)
def test_product_is_recognised_by_its_shape(entry, found):
    recognised = recognise(loaded(entry))
    assert (recognised.name if recognised else None) == found


SECONDS = (1744977600, 1744977600.0, "1744977600", " 1744977600.0 ", 1744977600000)
WRITTEN = ("2025-04-18T12:00:00Z", "2025-04-18T14:00:00+02:00", "2025-04-18 12:00:00")
NUMBERS = (True, 0, -5, float("nan"), float("inf"), 10**30)
OTHERS = (None, "9" * 400, "", "yesterday", "0001-01-01T00:00:00+23:00", [1744977600], {})


@pytest.mark.parametrize("written", [*SECONDS, *WRITTEN])
def test_all_time_formats_give_the_same_moment(written):
    read = moment(written)
    assert read == NOON
    assert read.tzinfo is UTC
    assert moment(1744977600.25) == NOON.replace(microsecond=250_000)


@pytest.mark.parametrize("written", [*NUMBERS, *OTHERS])
def test_invalid_time_is_none(written):
    assert moment(written) is None
