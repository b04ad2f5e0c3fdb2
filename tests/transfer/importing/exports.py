"""Find the exports in the fixtures, and build more."""

import io
import json
import os
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from transfer.importing.archives import DEFAULT_LIMITS, Source
from transfer.importing.entries import RawEntry, load_entry
from transfer.importing.reading import read_entries
from transfer.importing.threads import ImportedConversation

FIXTURES = Path(__file__).parents[2] / "fixtures" / "chatgpt"
PRODUCTS = ("chatgpt", "claude", "claude_code", "librechat", "open_webui")
DAMAGED = "damaged.json"
NO_CHATS = {"projects.json", "memories.json", "users.json"}


def export_files() -> list[Path]:
    """The undamaged exports in the fixtures, and those in the folder PALACE_EXPORTS."""
    folders = [FIXTURES.parent / product for product in PRODUCTS]
    if given := os.environ.get("PALACE_EXPORTS"):
        folders.append(Path(given))
    found = (path for folder in folders for path in sorted(folder.rglob("*.*")))
    return [path for path in found if path.is_file() and path.name != DAMAGED]


def conversation(title: str | None = "Boats", **changes: object) -> dict[str, object]:
    mapping = {"u": node(said("My boat is called Petrel."))}
    return {"id": f"id-{title}", "title": title, "mapping": mapping, **changes}


def said(words: str, role: str = "user", **changes: object) -> dict[str, object]:
    content = {"content_type": "text", "parts": [words]}
    return {"author": {"role": role}, "create_time": None, "content": content, **changes}


def node(message: object, parent: str | None = None, children: Iterable[str] = ()) -> dict[str, object]:
    return {"message": message, "parent": parent, "children": list(children)}


def loaded(value: object) -> Any:
    """A value as parsed by an import."""
    return load_entry(RawEntry(1, json.dumps(value).encode()), DEFAULT_LIMITS)


def only(source: Source) -> ImportedConversation:
    """The only conversation of an export."""
    [entry] = read_entries(source)
    assert isinstance(entry, ImportedConversation)
    return entry


def only_in(value: object) -> ImportedConversation:
    """The only conversation of this export."""
    return only(as_file(value))


def turns_of(chat: ImportedConversation) -> list[tuple[str, str, str]]:
    """The role, tool name and content of each message, in order."""
    return [(each.role, each.tool_name, each.content) for each in chat.messages]


def as_file(value: object) -> io.BytesIO:
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    return io.BytesIO(data)


def as_zip(members: Mapping[str, object], compression: int = zipfile.ZIP_DEFLATED) -> io.BytesIO:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as archive:
        for name, value in members.items():
            data = value if isinstance(value, bytes) else json.dumps(value).encode()
            archive.writestr(name, data)
    file.seek(0)
    return file
