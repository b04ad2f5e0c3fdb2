"""Fetches the file of a data set, from an address that somebody gives."""

import shutil
from hashlib import file_digest
from pathlib import Path
from typing import Any, BinaryIO
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import urlopen

from bench.errors import BenchmarkImpossible

MOST_BYTES = 4 * 1024**3
PIECE = 1024**2
TIMEOUT_S = 60


def is_address(data: str) -> bool:
    """Whether this is an address in the web and not a file."""
    return urlsplit(data).scheme in {"http", "https"}


def download(address: str, out: Path, most: int = MOST_BYTES) -> dict[str, Any]:
    """Put what is at a web address into a folder; returns the file, its size and SHA-256. A file
    that is there already stays. Raises BenchmarkImpossible."""
    if not is_address(address):
        raise BenchmarkImpossible(f"{address} is no web address.")
    out.mkdir(parents=True, exist_ok=True)
    path = out / (Path(urlsplit(address).path).name or "data.json")
    if not path.exists():
        _fetch(address, path, most)
    with path.open("rb") as file:
        digest = file_digest(file, "sha256").hexdigest()
    return {"file": str(path), "bytes": path.stat().st_size, "sha256": digest}


def _fetch(address: str, path: Path, most: int) -> None:
    part = path.with_name(f"{path.name}.part")
    try:
        with urlopen(address, timeout=TIMEOUT_S) as answer, part.open("wb") as file:  # noqa: S310 - is_address
            _copy(answer, file, most)
    except (URLError, OSError) as error:
        raise BenchmarkImpossible(f"{address} could not be fetched.") from error
    shutil.move(part, path)


def _copy(answer: BinaryIO, file: BinaryIO, most: int) -> None:
    taken = 0
    while piece := answer.read(PIECE):
        taken += len(piece)
        if taken > most:
            raise BenchmarkImpossible(f"The file is larger than {most} bytes, so it was left.")
        file.write(piece)
