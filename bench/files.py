"""Reads the files of data sets, plain or compressed."""

import gzip
import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from bench.cases import Case
from bench.errors import BenchmarkImpossible

Entry = Any
"""A JSON value of a data set; a reader that finds it other than it should be says so."""


def load(path: Path) -> Any:
    """The JSON of a file, which may be compressed by gzip or hold one value a line. Raises
    BenchmarkImpossible."""
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
