"""Kills workers with -9 at random points and compares what they leave with one clean run."""

import json
import random
import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import UUID

from tests.drills import miner
from tests.drills.chats import export
from tests.drills.rows import Rows, differences, rows_of

from accounts.models import User  # isort: skip - after the setup in miner
from accounts.tenancy import tenant  # isort: skip

PATIENCE_S = 600
MIN_S_LENGTH = 0.15


@dataclass(frozen=True, slots=True)
class Report:
    """What a drill found: the size of the clean run, how many kills hit a worker at work in how
    many runs, and how the rows differ."""

    drawers: int
    facts: int
    clean_s: float
    killed: int
    runs: int
    differences: tuple[str, ...]


def finish(user_id: UUID, path: Path, *, workers: int = 1) -> float:
    """Let workers do all there is to do; returns the seconds it took."""
    started = time.monotonic()
    processes = [miner.start(user_id, path) for _ in range(workers)]
    for process in processes:
        process.join(PATIENCE_S)
        if process.exitcode != 0:
            raise RuntimeError(f"A worker ended with {process.exitcode}.")
    return time.monotonic() - started


def rows(user_id: UUID) -> Rows:
    """The rows of a person, read as that person."""
    with tenant(user_id):
        return rows_of(user_id)


def kill_at_random(user_id: UUID, path: Path, kills: int, chance: random.Random, longest_s: float) -> int:
    """Start workers and kill each after a random while, until one has finished or `kills` were
    killed at work; returns how many were."""
    for killed in range(kills):
        process = miner.start(user_id, path)
        process.join(chance.uniform(0.0, longest_s))
        if process.exitcode is not None:
            return killed
        process.kill()
        process.join()
    return kills


def kill_beside_another(
    user_id: UUID, path: Path, kills: int, chance: random.Random, longest_s: float
) -> int:
    """The same with two workers at once: both are killed, each at a moment of its own."""
    for killed in range(0, kills, 2):
        pair = [miner.start(user_id, path) for _ in range(2)]
        for process in pair:
            process.join(chance.uniform(0.0, longest_s / 2))
            if process.exitcode is not None:
                for other in pair:
                    other.join(PATIENCE_S)
                return killed
            process.kill()
        for process in pair:
            process.join()
    return kills


def drill(conversations: int, kills: int, seed: int = 1) -> Report:
    """One clean run, then kills until there were enough of them, and two workers at once; each
    for a person of their own, whose rows are compared with those of the clean run."""
    chance = random.Random(seed)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "conversations.json"
        path.write_text(json.dumps(export(conversations)), "utf-8")
        finish(new_person("warming"), path)
        clean = new_person("clean")
        clean_s = finish(clean, path)
        two = new_person("two")
        finish(two, path, workers=2)
        others, killed = {"two at once": two}, 0
        longest_s = max(MIN_S_LENGTH, 3 * clean_s / kills)
        for way, wanted_kills in ((kill_at_random, kills // 2), (kill_beside_another, kills)):
            while killed < wanted_kills:
                name = f"{way.__name__} {len(others)}"
                others[name] = person = new_person(name.replace(" ", "-"))
                killed += way(person, path, wanted_kills - killed, chance, longest_s)
                finish(person, path)
    wanted = rows(clean)
    found = [
        f"{name}: {line}" for name, person in others.items() for line in differences(wanted, rows(person))
    ]
    return Report(len(wanted["drawers"]), len(wanted["facts"]), clean_s, killed, len(others), tuple(found))


def new_person(name: str) -> UUID:
    """An account for one run."""
    return User.objects.create_user(f"{name}@example.org").id
