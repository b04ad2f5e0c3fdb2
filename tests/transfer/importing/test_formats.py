import pytest

from transfer.importing.formats import recognise


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
def test_each_product_by_its_shape(entry, found):
    recognised = recognise(entry)
    assert (recognised.name if recognised else None) == found
