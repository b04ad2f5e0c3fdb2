"""The data sets: how to read each one, its unit of evidence, and where to get it."""

import gzip
import json
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import file_digest
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import urlopen

from bench.cases import BenchmarkImpossible, Case, Unit
from bench.readers import beam, locomo, longmemeval, memdaily, realmem

HAYSTACKS = longmemeval.HAYSTACKS
TIMEOUT_S = 60


@dataclass(frozen=True, slots=True)
class DataSet:
    """A reader, the unit that `recall_all@k` and `recall_any@k` count, a line of help, and where
    the original is published."""

    read: Callable[[Any, str], Iterator[Case]]
    unit: Unit
    help: str
    home: str


DATA_SETS: Mapping[str, DataSet] = {
    "longmemeval": DataSet(
        longmemeval.read,
        "session",
        "LongMemEval: which chats hold the answer",
        "https://huggingface.co/datasets/xiaowu0162/longmemeval-cleaned",
    ),
    "locomo": DataSet(
        locomo.read,
        "session",
        "LoCoMo and REALTALK: two friends chatting over months",
        "https://github.com/snap-research/locomo, data/locomo10.json",
    ),
    "beam": DataSet(
        beam.read,
        "turn",
        "BEAM: one very long conversation, ten types of questions",
        "https://huggingface.co/datasets/Mohammadta/BEAM",
    ),
    "realmem": DataSet(
        realmem.read,
        "session",
        "RealMem: projects over months, with questions between the chats",
        "https://github.com/AvatarMemory/RealMemBench, dataset/",
    ),
    "memdaily": DataSet(
        memdaily.read,
        "turn",
        "MemDaily: short trajectories in Chinese",
        "https://github.com/nuster1128/MemSim, data_generation/final_dataset/memdaily.json",
    ),
}


def load(path: Path) -> Any:
    """The JSON or JSON Lines of a file, gzipped or not. Raises BenchmarkImpossible."""
    try:
        raw = path.read_bytes()
        text = gzip.decompress(raw) if raw.startswith(b"\x1f\x8b") else raw
        if ".jsonl" in path.suffixes:
            return [json.loads(line) for line in text.splitlines() if line.strip()]
        return json.loads(text)
    except (OSError, EOFError) as error:
        raise BenchmarkImpossible(f"The data file {path} cannot be read.") from error
    except ValueError as error:
        raise BenchmarkImpossible(f"The data file {path} is not JSON.") from error


def download(address: str, out: Path) -> dict[str, Any]:
    """Fetch a data file into a folder unless it is there; returns its path, size and SHA-256.

    Raises BenchmarkImpossible.
    """
    where = urlsplit(address)
    if where.scheme not in {"http", "https"}:
        raise BenchmarkImpossible(f"{address} is not a URL.")
    out.mkdir(parents=True, exist_ok=True)
    path = out / (Path(where.path).name or "data.json")
    if not path.exists():
        part = path.with_name(f"{path.name}.part")
        try:
            with urlopen(address, timeout=TIMEOUT_S) as answer, part.open("wb") as file:  # noqa: S310
                shutil.copyfileobj(answer, file)
        except OSError as error:
            raise BenchmarkImpossible(f"{address} could not be downloaded: {error}.") from error
        part.rename(path)
    with path.open("rb") as file:
        digest = file_digest(file, "sha256").hexdigest()
    return {"file": str(path), "bytes": path.stat().st_size, "sha256": digest}
