"""Every export there is, against what plain JSON says of it. PALACE_EXPORTS names a folder of more."""

import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.transfer.importing.exports import NO_CHATS, export_files
from tests.transfer.importing.tallies import NO_WORDS
from transfer.importing.reading import read_entries
from transfer.importing.types import ImportedConversation, ImportedMessage

FILES = [path for path in export_files() if path.name not in NO_CHATS]
CHATGPT = [path for path in FILES if "chatgpt" in str(path)]

every_file = pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)


def conversations_of(path: Path) -> list[ImportedConversation]:
    return [entry for entry in read_entries(path) if isinstance(entry, ImportedConversation)]


def raw_conversations(path: Path) -> list[Any]:
    if path.suffix == ".json":
        whole: list[Any] = json.loads(path.read_text("utf-8"))
        return whole
    with zipfile.ZipFile(path) as archive:
        names = sorted(name for name in archive.namelist() if "conversations" in name)
        return [entry for name in names for entry in json.loads(archive.read(name))]


def raw_words(conversation: dict[str, Any]) -> Iterator[str]:
    for node in conversation.get("mapping", {}).values():
        content = (node["message"] or {}).get("content") or {}
        yield from (part for part in content.get("parts", []) if isinstance(part, str))
        yield content.get("text") or content.get("result") or ""
    for message in conversation.get("chat_messages", conversation.get("messages", [])):
        yield from _strings(message.get("text", message.get("content")))


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner)
    elif isinstance(value, dict) and value.get("type") == "text":
        yield from (inner for name, inner in value.items() if name not in NO_WORDS)


@pytest.mark.parametrize("path", CHATGPT, ids=lambda path: path.name)
def test_every_word_of_every_conversation_is_kept(path):
    raws = raw_conversations(path)
    parsed = conversations_of(path)
    assert len(parsed) == len(raws)
    for entry, raw in zip(parsed, raws, strict=True):
        kept = "\n".join(m.content + m.tool_arguments for m in entry.messages)
        assert [words for words in raw_words(raw) if words.strip() and words not in kept] == []


@every_file
def test_every_message_has_a_time_an_id_and_an_earlier_parent(path):
    for entry in conversations_of(path):
        earlier: set[str | None] = {None}
        for message in entry.messages:
            assert _is_dated(message, entry)
            assert message.parent_external_id in earlier
            assert message.external_id not in earlier
            earlier.add(message.external_id)
        assert entry.current_leaf in earlier


def _is_dated(message: ImportedMessage, entry: ImportedConversation) -> bool:
    """Only a conversation in which nothing at all has a time leaves its messages without one."""
    return message.said_at is not None or entry.created_at is None
