"""Imports at size, each by a process of its own: how long they take, and the most memory that the
process ever held, of a small and a large file in one run."""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any, TextIO
from uuid import UUID

import psutil
from django.conf import settings

from accounts.models import User
from accounts.tenancy import tenant
from bench.cases import BenchSession
from bench.corpus import sessions
from bench.errors import BenchmarkImpossible
from bench.ingest import owner_of
from bench.isolation import own_database
from bench.processes import environment
from chat.models import ImportRun, Message

TURNS = 20
LOOK_EVERY_S = 0.02
ASK_EVERY = 25

Report = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class ImportPlan:
    """How many messages the files have, the small one first, and the length that each message is
    brought to, in characters."""

    sizes: tuple[int, ...]
    length: int = 0


@dataclass(slots=True)
class _Watch:
    """The peak of a process's memory in bytes, and each number of messages it was seen at."""

    peak: int = 0
    seen: list[int] = field(default_factory=list)


def importing(plan: ImportPlan, now: datetime, report: Report) -> dict[str, Any]:
    """Seconds, megabytes at most and steps of progress at each size, and the ratio of the peaks.

    Raises BenchmarkImpossible when a message is lost, or a second import adds something.
    """
    found: dict[str, Any] = {}
    with TemporaryDirectory() as folder, own_database("palace_bench_importing", keep=False):
        for size in plan.sizes:
            path = Path(folder) / f"{size}.json"
            write_export(path, size, plan.length, now)
            found[str(size)] = _at_size(owner_of(f"import {size}"), path, size)
            path.unlink()
            report(f"{size} messages imported")
    peaks = [found[str(size)]["peak_mb"] for size in plan.sizes]
    return {**found, "peak_ratio": round(peaks[-1] / peaks[0], 2)}


def write_export(path: Path, messages: int, length: int, now: datetime) -> None:
    """Write an export like those of ChatGPT, of chats with 20 messages each."""
    with path.open("w", encoding="utf-8") as file:
        file.write("[")
        for number, chat in enumerate(sessions(messages // TURNS, TURNS, 5, now)):
            file.write("," * bool(number))
            _write(file, chat, length)
        file.write("]")


def _write(file: TextIO, chat: BenchSession, length: int) -> None:
    mapping = dict(_nodes(chat, length))
    moment = chat.said_at.timestamp()
    about = {"id": chat.key, "title": chat.key, "create_time": moment}
    json.dump({**about, "mapping": mapping, "current_node": str(TURNS - 1)}, file)


def _nodes(chat: BenchSession, length: int) -> Iterator[tuple[str, object]]:
    for number, turn in enumerate(chat.turns):
        words = turn.content
        long = (words + " ") * (length // len(words) + 1)
        message = {
            "author": {"role": turn.role},
            "create_time": chat.said_at.timestamp() + number,
            "content": {"content_type": "text", "parts": [max(words, long[:length], key=len)]},
        }
        parent = str(number - 1) if number else None
        yield str(number), {"message": message, "parent": parent, "children": []}


def _at_size(user: User, path: Path, size: int) -> dict[str, Any]:
    started = perf_counter()
    watch = _import(user, path)
    took = perf_counter() - started
    again = perf_counter()
    _import(user, path)
    again = perf_counter() - again
    with tenant(user.id):
        kept = Message.objects.filter(user_id=user.id).count()
    if kept != size:
        raise BenchmarkImpossible(f"Of {size} messages {kept} were there after two imports.")
    return {
        "file_mb": round(path.stat().st_size / 1_048_576, 1),
        "seconds": round(took, 1),
        "messages_per_second": round(size / took),
        "peak_mb": round(watch.peak / 1_048_576, 1),
        "progress_seen": len(watch.seen),
        "again_seconds": round(again, 1),
    }


def _import(user: User, path: Path) -> _Watch:
    command = [sys.executable, "manage.py", "import_chats", str(path), "--user", user.email]
    process = subprocess.Popen(  # noqa: S603 - our own program
        command,
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        cwd=settings.BASE_DIR,
    )
    watch = _watched(process, user.id)
    _, errors = process.communicate()
    if process.returncode:
        raise BenchmarkImpossible(f"The import failed: {errors.decode()[-300:]}")
    return watch


def _watched(process: "subprocess.Popen[bytes]", user_id: UUID) -> _Watch:
    """Look at the process until it ends, and from time to time at the progress of its run."""
    watch, looks = _Watch(), 0
    seen_from_outside = psutil.Process(process.pid)
    while process.poll() is None:
        watch.peak = max(watch.peak, _held(seen_from_outside))
        if looks % ASK_EVERY == 0:
            _note_progress(user_id, watch)
        looks += 1
        time.sleep(LOOK_EVERY_S)
    return watch


def _held(process: psutil.Process) -> int:
    try:
        return int(process.memory_info().rss)
    except psutil.NoSuchProcess:
        return 0


def _note_progress(user_id: UUID, watch: _Watch) -> None:
    with tenant(user_id):
        runs = ImportRun.objects.filter(user_id=user_id, state=ImportRun.State.RUNNING)
        messages = runs.values_list("messages", flat=True).first()
    if messages and messages not in watch.seen:
        watch.seen.append(messages)
