"""Real exports, also from the folder PALACE_EXPORTS: no text of a file is lost."""

import json
import zipfile

import pytest

from tests.transfer.importing.exports import NO_CHATS, export_files
from transfer.importing.reading import read_entries
from transfer.importing.threads import ImportedConversation

NO_WORDS = {"content_type", "type", "language", "response_format_name", "decoding_id", "direction"}
FILES = [path for path in export_files() if path.name not in NO_CHATS]


def raw_conversations(path):
    if path.suffix == ".json":
        return json.loads(path.read_text("utf-8"))
    with zipfile.ZipFile(path) as archive:
        names = sorted(name for name in archive.namelist() if "conversations" in name)
        return [entry for name in names for entry in json.loads(archive.read(name))]


def raw_words(conversation):
    for node in conversation.get("mapping", {}).values():
        content = (node["message"] or {}).get("content") or {}
        yield from (part for part in content.get("parts", []) if isinstance(part, str))
        yield content.get("text") or content.get("result") or ""
    for message in conversation.get("chat_messages", conversation.get("messages", [])):
        yield from strings(message.get("text", message.get("content")))


def strings(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for inner in value:
            yield from strings(inner)
    elif isinstance(value, dict) and value.get("type") == "text":
        yield from (inner for name, inner in value.items() if name not in NO_WORDS)


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_messages_have_a_time_an_id_an_earlier_parent_and_their_text(path):
    entries = [entry for entry in read_entries(path) if isinstance(entry, ImportedConversation)]
    for entry in entries:
        earlier = {None}
        for message in entry.messages:
            assert message.said_at is not None or entry.created_at is None
            assert message.parent_external_id in earlier
            assert message.external_id not in earlier
            earlier.add(message.external_id)
        assert entry.current_leaf in earlier
    if "chatgpt" in str(path):
        for entry, raw in zip(entries, raw_conversations(path), strict=True):
            kept = "\n".join(message.content + message.tool_arguments for message in entry.messages)
            assert [words for words in raw_words(raw) if words.strip() and words not in kept] == []
