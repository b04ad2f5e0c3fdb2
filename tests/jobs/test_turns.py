"""Users are served in turn: real jobs, processed one after another as by one worker thread."""

import threading
from collections import Counter
from datetime import timedelta
from typing import Any
from uuid import UUID

import dramatiq
import pytest
from dramatiq.broker import MessageProxy
from dramatiq.middleware import SkipMessage

import chat.mining.run
import jobs.actors
from accounts.tenancy import tenant
from chat.mining.run import unmined_messages
from jobs.actors import deliver_webhooks, mine, refresh_projections, run_import
from jobs.broker import Turns
from jobs.sweep import sweep
from memory.mining import cpu_limit
from memory.mining.pipeline import mine_window
from memory.mining.progress import RETRIES
from memory.models import ActivityEvent, Drawer, MiningProgress
from tests.drills.ledger import NOW, Clock, converse

CHATS = 100
POISON = "." * 19_999 + "a"


pytestmark = pytest.mark.usefixtures("embedder")


@pytest.fixture
def worker(queued, monkeypatch):
    """A worker, with a clock that lets every slice mine one chat."""
    clock = Clock()

    def tick():
        clock.move(seconds=1)
        return clock.now

    monkeypatch.setattr(jobs.actors.timezone, "now", tick)
    monkeypatch.setattr(jobs.actors, "TIME_SLICE", timedelta(seconds=4))
    return SingleThreadWorker(clock)


class SingleThreadWorker:
    """Processes jobs like a worker with a single thread, and counts slices by user."""

    def __init__(self, clock):
        self.clock = clock
        self.broker: Any = dramatiq.get_broker()
        self.turns = Turns()
        self.slices = Counter()

    @property
    def waiting(self):
        return self.broker.queues["default"].qsize()

    def start(self, message):
        """Start a job without finishing it; raises SkipMessage."""
        started = MessageProxy(message)
        self.turns.before_process_message(self.broker, started)
        return started

    def end(self, message):
        self.turns.after_process_message(self.broker, message)

    def process_next(self):
        """Process the next message; returns the name of its job, or an empty string if it was dropped."""
        message = dramatiq.Message.decode(self.broker.queues["default"].get_nowait())
        try:
            message = self.start(message)
        except SkipMessage:
            return ""
        self.broker.get_actor(message.actor_name).fn(*message.args)
        self.end(message)
        self.slices[message.actor_name, message.args[0]] += 1
        return message.actor_name


def test_slow_chats_of_one_user_do_not_delay_others(alice, bob, worker):
    with tenant(alice.id):
        for day in range(CHATS):
            converse(alice.id, POISON, at=NOW - timedelta(days=400 - day))
    for _ in range(20):
        sweep(NOW)
    with tenant(bob.id):
        converse(bob.id, "I live in Porto.")
    sweep(NOW)
    while worker.slices["mine", str(bob.id)] == 0:
        worker.process_next()
    with tenant(bob.id):
        assert unmined_messages(bob.id) == 0
        assert Drawer.objects.count() == 1
    assert worker.slices["mine", str(alice.id)] <= 2
    with tenant(alice.id):
        assert CHATS - 10 < unmined_messages(alice.id) < CHATS


def test_queueing_often_gives_no_additional_turns(alice, bob, worker):
    for person in (alice, bob):
        with tenant(person.id):
            for day in range(10):
                converse(person.id, f"I like number {day}.", at=NOW - timedelta(days=400 - day))
    mine.send(str(bob.id))
    for _ in range(16):
        mine.send(str(alice.id))
        worker.process_next()
    assert abs(worker.slices["mine", str(alice.id)] - worker.slices["mine", str(bob.id)]) <= 1
    while worker.waiting:
        worker.process_next()
    for person in (alice, bob):
        with tenant(person.id):
            assert unmined_messages(person.id) == 0


def test_user_gets_at_most_half_of_the_threads(alice, bob, worker, settings):
    settings.WORKER_THREADS = 4
    started = [worker.start(run_import.message(str(alice.id), str(number))) for number in range(2)]
    third = run_import.message(str(alice.id), "2")
    for message in (third, run_import.message(*third.args)):
        with pytest.raises(SkipMessage):
            worker.start(message)
    assert worker.broker.queues["default.DQ"].qsize() == 1, "one of each kind is delayed"
    worker.start(deliver_webhooks.message(str(bob.id)))
    worker.end(started[0])
    worker.start(third)


def test_mining_leaves_a_thread_for_other_jobs_and_serves_users_in_turn(worker, settings):
    settings.WORKER_THREADS = 3
    first, second, third, fourth = (mine.message(str(UUID(int=number))) for number in range(4))
    started = [worker.start(first), worker.start(second)]
    for message in (third, fourth, refresh_projections.message(*third.args)):
        with pytest.raises(SkipMessage):
            worker.start(message)
    worker.end(worker.start(run_import.message(*third.args, "1")))
    worker.end(started[0])
    for again in (mine.message(*first.args), fourth):
        with pytest.raises(SkipMessage):
            worker.start(again)
    worker.start(third)
    worker.end(started[1])
    worker.start(fourth)


def test_job_queued_during_the_same_job_runs_after_it(alice, worker):
    first = worker.start(mine.message(str(alice.id)))
    later = mine.message(str(alice.id))
    with pytest.raises(SkipMessage):
        worker.start(later)
    worker.end(first)
    worker.start(later)


@pytest.fixture
def watchdog(monkeypatch):
    """Interrupts windows as a worker does, but after a shorter time."""
    monkeypatch.setattr(cpu_limit, "CPU_LIMIT_S", 0.2)
    stop = threading.Event()

    def watch():
        while not stop.wait(0.05):
            cpu_limit.interrupt_overdue()

    thread = threading.Thread(target=watch)
    thread.start()
    yield
    stop.set()
    thread.join()


def test_endless_window_is_given_up_and_others_are_mined(alice, bob, worker, watchdog, monkeypatch):
    def endless(job, now):
        while job.transcript.user_id == alice.id:
            pass
        return mine_window(job, now)

    monkeypatch.setattr(chat.mining.run, "mine_window", endless)
    for person in (alice, bob):
        with tenant(person.id):
            converse(person.id, "I live in Porto.")
    for _ in range(RETRIES + 2):
        sweep(worker.clock.now)
        while worker.waiting:
            worker.process_next()
        with tenant(bob.id):
            assert Drawer.objects.filter(user_id=bob.id).count() == 1, "mined in the first round"
        worker.clock.move(minutes=2)
    with tenant(alice.id):
        given_up = MiningProgress.objects.get(user_id=alice.id)
        assert (given_up.state, given_up.error) == ("dead", "TooMuchWork")
        assert ActivityEvent.objects.get(user_id=alice.id).kind == "mining_failed"
