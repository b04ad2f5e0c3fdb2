"""Where the tests find exports to read, and small ways to make more."""

import io
import json
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path

FIXTURES = Path(__file__).parents[2] / "fixtures" / "chatgpt"
REAL_EXPORTS = Path(__file__).resolve().parents[4] / "shared" / "data" / "exports" / "chatgpt"


def conversation(title: str | None = "Boats", **changes: object) -> dict[str, object]:
    mapping = {"u": node(said("My boat is called Petrel."))}
    return {"id": f"id-{title}", "title": title, "mapping": mapping, **changes}


def said(words: str, role: str = "user", **changes: object) -> dict[str, object]:
    content = {"content_type": "text", "parts": [words]}
    return {"author": {"role": role}, "create_time": None, "content": content, **changes}


def node(
    message: object, parent: str | None = None, children: Iterable[str] = ()
) -> dict[str, object]:
    return {"message": message, "parent": parent, "children": list(children)}


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
