"""Kills a process with -9 while it tidies up a memory, and looks at what is left."""

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

if not apps.ready:  # in the process from which others are forked
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
    """What a drill found: seconds of each step, how many kills hit a process at work, how often
    the old and the new rows were found afterwards, and whether anything else ever was."""

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
    """The rows before and after, the plan, and how long each step took."""

    before: Dump
    after: Dump
    run: ConsolidationRun
    seconds: tuple[float, float, float, float]


def drill(facts: int, kills: int, seed: int = 1) -> Report:
    """One clean run and its undoing, then kills at random moments of further runs and undoings."""
    chance = random.Random(seed)
    person = User.objects.create_user("tidy@example.org").id
    with tenant(person), current.using(embedder=FakeEmbedder()):
        crowd(person, facts, NOW)
        steps = _cleanly(person)
    found = [_after_a_kill(person, steps, chance) for _ in range(kills)]
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


def _cleanly(person: UUID) -> _Steps:
    before = dump(person)
    started = [time.monotonic()]
    made = plan(person, NOW)
    started.append(time.monotonic())
    run = store_plan(person, made)
    started.append(time.monotonic())
    apply(person, run.id, run.digest, NOW)
    started.append(time.monotonic())
    after = dump(person)
    again = time.monotonic()
    undo(person, run.id, NOW)
    seconds = [later - sooner for sooner, later in pairwise(started)]
    return _Steps(before, after, run, (*seconds, time.monotonic() - again))  # type: ignore[arg-type]


def _after_a_kill(person: UUID, steps: _Steps, chance: random.Random) -> tuple[bool, str]:
    """Apply in another process and kill it; whether it was still at work, and what is left."""
    with tenant(person):
        run = store_plan(person, plan(person, NOW))
    process = _start_at_work(person, run)
    process.join(chance.uniform(0.0, 1.2 * steps.seconds[2]))
    hit = process.exitcode is None
    process.kill()
    process.join(TIMEOUT_S)
    with tenant(person):
        _outlive_its_transaction(person)
        run.refresh_from_db()
        state = _state(dump(person), steps, run)
        if state == "new":
            undo(person, run.id, NOW)
    return hit, state


def _outlive_its_transaction(person: UUID) -> None:
    """A server that was told to commit does so after its client is dead: wait for it."""
    with transaction.atomic():
        lock_palace(person)


def _state(rows: Dump, steps: _Steps, run: ConsolidationRun) -> str:
    """Old, new, or a mixture. What bears new ids in each plan is counted."""
    applied = run.state == ConsolidationRun.State.APPLIED
    wanted = steps.after if applied else steps.before
    as_many = all(len(wanted[name]) == len(rows[name]) for name in NEW_EACH_TIME)
    same = all(rows[name] == wanted[name] for name in wanted if name not in NEW_EACH_TIME)
    if not (same and as_many):
        return "mixed"
    return "new" if applied else "old"


def _start_at_work(person: UUID, run: ConsolidationRun) -> ForkServerProcess:
    """A process that is connected and begins: what kills it hits the work and not the start."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__])
    here, there = context.Pipe(duplex=False)
    address = {name: str(connection.settings_dict[name]) for name in ("NAME", "HOST", "PORT")}
    process = context.Process(target=_work, args=(address, run, there), daemon=True)
    process.start()
    if not here.poll(TIMEOUT_S):
        raise RuntimeError("The process never began.")
    return process


def _work(address: dict[str, str], run: ConsolidationRun, ready: Connection) -> None:
    connection.settings_dict.update(address)
    with tenant(run.user_id):
        connection.ensure_connection()
        ready.send_bytes(b"begun")
        apply(run.user_id, run.id, run.digest, NOW)
    connection.close()
