import pytest

from chat.importing.formats import Format, recognise


@pytest.mark.parametrize(
    ("entry", "found"),
    [
        ({"mapping": {}}, Format.CHATGPT),
        ({"title": "t", "messages": []}, Format.CHATGPT),
        ({"conversation_id": "c", "chat_messages": [{"text": "x"}]}, Format.CHATGPT),
        ({"uuid": "u", "name": "n", "chat_messages": []}, Format.CLAUDE),
        ({"type": "user", "sessionId": "s", "message": {}}, Format.CLAUDE_CODE),
        ({"type": "file-history-snapshot"}, Format.CLAUDE_CODE),
        ({"id": "i", "chat": {"history": {"messages": {}}}}, Format.OPEN_WEBUI),
        ({"title": "t", "history": {"messages": {}}}, Format.OPEN_WEBUI),
        ({"id": "i", "chat": {"title": "t", "messages": []}}, Format.OPEN_WEBUI),
        ({"conversationId": "c", "title": "t", "messages": []}, Format.LIBRECHAT),
        ({"conversationId": "c", "messagesTree": []}, Format.LIBRECHAT),
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
    assert recognise(entry) is found
