"""Real exports, also from the folder PALACE_EXPORTS: no text of a file is lost."""

import json
import zipfile

import pytest

from tests.transfer.importing.exports import NO_CHATS, export_files
from transfer.importing.reading import read_entries
from transfer.importing.threads import ImportedConversation

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
    for message in conversation.get("messages", []):
        said = message.get("text", message.get("content"))
        for part in said if isinstance(said, list) else [said]:
            yield part.get("text", "") if isinstance(part, dict) else part


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
