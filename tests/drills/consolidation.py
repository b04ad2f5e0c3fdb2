"""Kill a process with -9 during consolidation, and check the rows."""

import multiprocessing
import random
import time
from dataclasses import dataclass
from datetime import timedelta
from itertools import pairwise
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerProcess
from uuid import UUID

import django
from django.apps import apps
from django.db import connection, transaction

if not apps.ready:  # in the fork server
    django.setup()

from accounts.models import User
from accounts.tenancy import tenant
from llm import current
from memory.consolidation.application import apply, store_plan, undo
from memory.consolidation.planning import plan
from memory.models import ConsolidationRun
from memory.placement import lock_palace
from tests.fake_gateway import FakeEmbedder
from tests.memory.consolidation.crowd import crowd
from tests.memory.consolidation.dumps import Dump, dump
from tests.memory.palaces import MONDAY

NOW = MONDAY + timedelta(days=800)
TIMEOUT_S = 300
NEW_EACH_TIME = ("memory.factsource",)


@dataclass(frozen=True, slots=True)
class Report:
    """The result of a drill: seconds of each step, how many kills hit a working process, and how often the
    old, the new or mixed rows were found afterwards."""

    facts: int
    changes: int
    plan_s: float
    keep_s: float
    apply_s: float
    undo_s: float
    killed: int
    old: int
    new: int
    mixed: int


@dataclass(frozen=True, slots=True)
class _Steps:
    """The rows before and after, the plan, and the seconds of each step."""

    before: Dump
    after: Dump
    run: ConsolidationRun
    seconds: tuple[float, float, float, float]


def drill(facts: int, kills: int, seed: int = 1) -> Report:
    """One clean run and its undo, then kills at random moments of further runs."""
    chance = random.Random(seed)
    user_id = User.objects.create_user("tidy@example.org").id
    with tenant(user_id), current.using(embedder=FakeEmbedder()):
        crowd(user_id, facts, NOW)
        steps = _clean_run(user_id)
    found = [_kill_once(user_id, steps, chance) for _ in range(kills)]
    hit = [state for was_hit, state in found if was_hit]
    return Report(
        facts,
        sum(steps.run.counts.values()),
        *steps.seconds,
        killed=len(hit),
        old=hit.count("old"),
        new=hit.count("new"),
        mixed=[state for _, state in found].count("mixed"),
    )


def _clean_run(user_id: UUID) -> _Steps:
    before = dump(user_id)
    started = [time.monotonic()]
    made = plan(user_id, NOW)
    started.append(time.monotonic())
    run = store_plan(user_id, made)
    started.append(time.monotonic())
    apply(user_id, run.id, run.digest, NOW)
    started.append(time.monotonic())
    after = dump(user_id)
    again = time.monotonic()
    undo(user_id, run.id, NOW)
    seconds = [later - sooner for sooner, later in pairwise(started)]
    return _Steps(before, after, run, (*seconds, time.monotonic() - again))  # type: ignore[arg-type]


def _kill_once(user_id: UUID, steps: _Steps, chance: random.Random) -> tuple[bool, str]:
    """Apply in another process and kill it; returns whether it was still working, and the state of the
    rows."""
    with tenant(user_id):
        run = store_plan(user_id, plan(user_id, NOW))
    process = _start_working(user_id, run)
    process.join(chance.uniform(0.0, 1.2 * steps.seconds[2]))
    hit = process.exitcode is None
    process.kill()
    process.join(TIMEOUT_S)
    with tenant(user_id):
        _wait_for_its_transaction(user_id)
        run.refresh_from_db()
        state = _state(dump(user_id), steps, run)
        if state == "new":
            undo(user_id, run.id, NOW)
    return hit, state


def _wait_for_its_transaction(user_id: UUID) -> None:
    """The server finishes a commit after its client was killed: wait for it."""
    with transaction.atomic():
        lock_palace(user_id)


def _state(rows: Dump, steps: _Steps, run: ConsolidationRun) -> str:
    """Whether the rows are old, new or mixed. Rows with new ids in each plan are only counted."""
    applied = run.state == ConsolidationRun.State.APPLIED
    wanted = steps.after if applied else steps.before
    as_many = all(len(wanted[name]) == len(rows[name]) for name in NEW_EACH_TIME)
    same = all(rows[name] == wanted[name] for name in wanted if name not in NEW_EACH_TIME)
    if not (same and as_many):
        return "mixed"
    return "new" if applied else "old"


def _start_working(user_id: UUID, run: ConsolidationRun) -> ForkServerProcess:
    """Start a process and wait until it is connected, so that the kill hits its work and not its start."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__])
    here, there = context.Pipe(duplex=False)
    address = {name: str(connection.settings_dict[name]) for name in ("NAME", "HOST", "PORT")}
    process = context.Process(target=_work, args=(address, run, there), daemon=True)
    process.start()
    if not here.poll(TIMEOUT_S):
        raise RuntimeError("The process never started.")
    return process


def _work(address: dict[str, str], run: ConsolidationRun, ready: Connection) -> None:
    connection.settings_dict.update(address)
    with tenant(run.user_id):
        connection.ensure_connection()
        ready.send_bytes(b"begun")
        apply(run.user_id, run.id, run.digest, NOW)
    connection.close()
