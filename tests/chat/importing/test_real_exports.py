"""Runs over real-format exports when they lie beside the checkout."""

import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from chat.importing.reading import read_entries
from chat.importing.types import ImportedConversation
from tests.chat.importing.exports import REAL_EXPORTS

pytestmark = pytest.mark.skipif(not REAL_EXPORTS.is_dir(), reason="no real exports here")

FILES = sorted(REAL_EXPORTS.glob("*.*"))


def raw_conversations(path: Path) -> list[Any]:
    if path.suffix == ".json":
        whole: list[Any] = json.loads(path.read_text("utf-8"))
        return whole
    with zipfile.ZipFile(path) as archive:
        names = sorted(name for name in archive.namelist() if name.startswith("conversations"))
        return [entry for name in names for entry in json.loads(archive.read(name))]


def raw_words(conversation: dict[str, Any]) -> Iterator[str]:
    for node in conversation.get("mapping", {}).values():
        content = (node["message"] or {}).get("content") or {}
        yield from (part for part in content.get("parts", []) if isinstance(part, str))
        yield content.get("text") or content.get("result") or ""
    yield from (message["text"] for message in conversation.get("chat_messages", []))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_word_of_every_conversation_is_kept(path):
    raws = raw_conversations(path)
    parsed = list(read_entries(path))
    assert len(parsed) == len(raws)
    for entry, raw in zip(parsed, raws, strict=True):
        assert isinstance(entry, ImportedConversation)
        kept = "\n".join(m.content + m.tool_arguments for m in entry.messages)
        assert [words for words in raw_words(raw) if words.strip() and words not in kept] == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_message_has_a_time_an_id_and_an_earlier_parent(path):
    for entry in read_entries(path):
        assert isinstance(entry, ImportedConversation)
        earlier: set[str | None] = {None}
        for message in entry.messages:
            assert message.said_at is not None
            assert message.parent_external_id in earlier
            assert message.external_id not in earlier
            earlier.add(message.external_id)
        assert entry.current_leaf in earlier
