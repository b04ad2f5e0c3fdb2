"""Users are served in turn: real jobs, taken off the queue one after another as one thread does."""

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
from jobs.sweep import sweep
from jobs.turns import Turns
from memory.mining import cpu_limit
from memory.mining.pipeline import mine_window
from memory.mining.progress import RETRIES
from memory.models import ActivityEvent, Drawer, MiningProgress
from tests.drills.ledger import NOW, Clock, converse

CHATS = 100
POISON = "." * 19_999 + "a"


pytestmark = pytest.mark.usefixtures("embedder")


@pytest.fixture
def line(queued, monkeypatch):
    """The line of jobs, with a clock that lets every slice mine one chat."""
    clock = Clock()

    def tick():
        clock.move(seconds=1)
        return clock.now

    monkeypatch.setattr(jobs.actors.timezone, "now", tick)
    monkeypatch.setattr(jobs.actors, "TIME_SLICE", timedelta(seconds=4))
    return Line(clock)


class Line:
    """Takes jobs off the queue as a worker with a single thread does, and counts slices by user."""

    def __init__(self, clock):
        self.clock = clock
        self.broker: Any = dramatiq.get_broker()
        self.turns = Turns()
        self.slices = Counter()

    @property
    def waiting(self) -> int:
        return self.broker.queues["default"].qsize()

    def begin(self, message) -> MessageProxy:
        """Begin with a job whose end is still to come; raises SkipMessage."""
        begun = MessageProxy(message)
        self.turns.before_process_message(self.broker, begun)
        return begun

    def serve(self) -> str:
        """Process the message at the head; returns the name of its job, empty when it was dropped."""
        message = MessageProxy(dramatiq.Message.decode(self.broker.queues["default"].get_nowait()))
        try:
            self.turns.before_process_message(self.broker, message)
        except SkipMessage:
            return ""
        self.broker.get_actor(message.actor_name).fn(*message.args)
        self.turns.after_process_message(self.broker, message)
        self.slices[message.actor_name, message.args[0]] += 1
        return message.actor_name


def test_a_hundred_poisoned_chats_do_not_hold_up_one_chat_of_somebody_else(alice, bob, line):
    with tenant(alice.id):
        for day in range(CHATS):
            converse(alice.id, POISON, at=NOW - timedelta(days=400 - day))
    for _ in range(20):
        sweep(NOW)
    with tenant(bob.id):
        converse(bob.id, "I live in Porto.")
    sweep(NOW)
    while line.slices["mine", str(bob.id)] == 0:
        line.serve()
    with tenant(bob.id):
        assert unmined_messages(bob.id) == 0
        assert Drawer.objects.count() == 1
    assert line.slices["mine", str(alice.id)] <= 2
    with tenant(alice.id):
        assert CHATS - 10 < unmined_messages(alice.id) < CHATS


def test_one_who_asks_often_has_no_more_turns(alice, bob, line):
    for person in (alice, bob):
        with tenant(person.id):
            for day in range(20):
                converse(person.id, f"I like number {day}.", at=NOW - timedelta(days=400 - day))
    mine.send(str(bob.id))
    for _ in range(30):
        mine.send(str(alice.id))
        line.serve()
    assert abs(line.slices["mine", str(alice.id)] - line.slices["mine", str(bob.id)]) <= 1
    while line.waiting:
        line.serve()
    for person in (alice, bob):
        with tenant(person.id):
            assert unmined_messages(person.id) == 0


def test_a_user_has_at_most_half_of_the_threads(alice, bob, line, settings):
    settings.WORKER_THREADS = 4
    begun = [line.begin(run_import.message(str(alice.id), str(number))) for number in range(2)]
    third = run_import.message(str(alice.id), "2")
    for message in (third, run_import.message(*third.args)):
        with pytest.raises(SkipMessage):
            line.begin(message)
    assert line.broker.queues["default.DQ"].qsize() == 1, "one of a kind waits for its turn"
    line.begin(deliver_webhooks.message(str(bob.id)))
    line.turns.after_process_message(line.broker, begun[0])
    line.begin(third)


def test_slow_models_leave_a_thread_to_others_and_are_asked_for_everybody_in_turn(line, settings):
    settings.WORKER_THREADS = 3
    first, second, third, fourth = (mine.message(str(UUID(int=number))) for number in range(4))
    begun = [line.begin(first), line.begin(second)]
    for message in (third, fourth, refresh_projections.message(*third.args)):
        with pytest.raises(SkipMessage):
            line.begin(message)
    line.turns.after_process_message(line.broker, line.begin(run_import.message(*third.args, "1")))
    line.turns.after_process_message(line.broker, begun[0])
    for again in (mine.message(*first.args), fourth):
        with pytest.raises(SkipMessage):
            line.begin(again)
    line.begin(third)
    line.turns.after_process_message(line.broker, begun[1])
    line.begin(fourth)


def test_what_is_asked_for_during_a_job_is_done_after_it(alice, line):
    first = line.begin(mine.message(str(alice.id)))
    later = mine.message(str(alice.id))
    with pytest.raises(SkipMessage):
        line.begin(later)
    line.turns.after_process_message(line.broker, first)
    line.begin(later)


@pytest.fixture
def watchdog(monkeypatch):
    """Interrupts windows as a worker does, but soon."""
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


def test_a_window_that_never_ends_is_given_up_and_others_are_mined(alice, bob, line, watchdog, monkeypatch):
    def endless(job, now):
        while job.transcript.user_id == alice.id:
            pass
        return mine_window(job, now)

    monkeypatch.setattr(chat.mining.run, "mine_window", endless)
    for person in (alice, bob):
        with tenant(person.id):
            converse(person.id, "I live in Porto.")
    for _ in range(RETRIES + 2):
        sweep(line.clock.now)
        while line.waiting:
            line.serve()
        with tenant(bob.id):
            assert Drawer.objects.filter(user_id=bob.id).count() == 1, "mined in the first round"
        line.clock.move(minutes=2)
    with tenant(alice.id):
        given_up = MiningProgress.objects.get(user_id=alice.id)
        assert (given_up.state, given_up.error) == ("dead", "TooMuchWork")
        assert ActivityEvent.objects.get(user_id=alice.id).kind == "mining_failed"
