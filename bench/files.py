"""Reads the files of data sets, plain or compressed."""

import gzip
import json
from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

from bench.cases import Case
from bench.errors import BenchmarkImpossible

Entry = Any
"""A JSON value of a data set; a reader that finds it other than it should be says so."""


CHATS = ("chat_trunecated.json", "chat.json")
"""What BEAM calls a conversation in its repository; the one cut to size goes before the whole."""
PROBES = Path("probing_questions") / "probing_questions.json"


def load(path: Path) -> Any:
    """The JSON of a file, which may be compressed by gzip or hold one value a line; of a folder,
    a list of what is in it: its conversations, as BEAM keeps them, or else its files. Raises
    BenchmarkImpossible."""
    if not path.is_dir():
        return _file(path)
    conversations = [_conversation(chat) for chat in _chats(path)]
    return conversations or [_file(file) for file in sorted(path.glob("*.json*"))]


def digest(path: Path) -> str:
    """The SHA-256 of a file, or of all files in a folder one after another."""
    found = sha256()
    try:
        for file in sorted(path.rglob("*.json")) if path.is_dir() else [path]:
            found.update(file.read_bytes())
    except OSError as error:
        raise BenchmarkImpossible(f"The data file {path} cannot be read.") from error
    return found.hexdigest()


def _chats(folder: Path) -> Iterator[Path]:
    for probes in sorted(folder.rglob(PROBES.name)):
        home = probes.parent.parent
        yield from [home / name for name in CHATS if (home / name).exists()][:1]


def _conversation(chat: Path) -> dict[str, Any]:
    name = chat.parent.name
    return {"id": name, "chat": _file(chat), "probing_questions": _file(chat.parent / PROBES)}


def _file(path: Path) -> Any:
    try:
        raw = path.read_bytes()
        text = gzip.decompress(raw) if raw.startswith(b"\x1f\x8b") else raw
        return _lines(text) if ".jsonl" in path.suffixes else json.loads(text)
    except (OSError, EOFError) as error:
        raise BenchmarkImpossible(f"The data file {path} cannot be read.") from error
    except ValueError as error:
        raise BenchmarkImpossible(f"The data file {path} is not JSON.") from error


def cases(entries: Iterable[Entry], read: Callable[[Entry], Case]) -> Iterator[Case]:
    """Each entry as a case. Raises BenchmarkImpossible that names the entry which is not in the
    format of the data set."""
    for number, entry in enumerate(entries, start=1):
        try:
            yield read(entry)
        except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
            raise BenchmarkImpossible(
                f"Entry {number} of the data is not in the format of this benchmark "
                f"({type(error).__name__}: {error})."
            ) from error


def _lines(text: bytes) -> list[Any]:
    return [json.loads(line) for line in text.splitlines() if line.strip()]
