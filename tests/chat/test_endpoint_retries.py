"""A window is tried again after each pause, and in the end rules read it."""

import socket
import threading
from contextlib import contextmanager
from datetime import timedelta

import pytest

from chat.mining.run import due_conversations
from memory.mining.progress import BACKOFF, RETRIES
from memory.models import Drawer
from tests.chat.endpoints import GOOD, WORDS, endpoint, event, methods, progress
from tests.drills.ledger import NOW, converse, mine
from tests.openai_server import Behaviour


@contextmanager
def cutting():
    """An address where every connection is cut in the middle of the answer."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve():
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                with connection:
                    connection.recv(65_536)
                    connection.sendall(b'HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n{"id"')

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
        listener.shutdown(socket.SHUT_RDWR)
    thread.join(5)


@pytest.mark.parametrize(
    "behaviour",
    [
        Behaviour(status=429, retry_after="1"),
        Behaviour(status=500),
        Behaviour(status=503),
        Behaviour(stall_s=2.5),
    ],
    ids=["busy", "broken", "away", "stalled"],
)
def test_a_passing_failure_is_tried_again_after_a_pause(as_alice, server, clock, behaviour):
    server.script(behaviour, Behaviour(text=GOOD))
    converse(as_alice.id, *WORDS)
    assert mine(as_alice.id, clock).failures == 1
    assert progress(as_alice).state == "retrying"
    assert progress(as_alice).next_attempt_at == NOW + BACKOFF[0]
    assert not Drawer.objects.exists()
    clock.move(seconds=BACKOFF[0].total_seconds() - 1)
    assert mine(as_alice.id, clock).windows == 0
    clock.move(seconds=1)
    assert mine(as_alice.id, clock).windows == 1
    assert methods(as_alice) == ["model"]
    assert (progress(as_alice).state, progress(as_alice).attempts) == ("ready", 0)


def test_an_endpoint_that_asks_for_a_longer_pause_gets_it(as_alice, server, clock):
    server.script(Behaviour(status=429, retry_after="45"))
    converse(as_alice.id, *WORDS)
    mine(as_alice.id, clock)
    assert progress(as_alice).next_attempt_at == NOW + timedelta(seconds=45)


def test_a_cut_connection_is_tried_again_and_in_the_end_rules_do_it(as_alice, clock):
    converse(as_alice.id, *WORDS)
    with cutting() as address, endpoint(address):
        for attempt in range(RETRIES):
            assert mine(as_alice.id, clock).failures == 1
            assert progress(as_alice).attempts == attempt + 1
            assert progress(as_alice).error == "ModelUnavailable"
            clock.now = progress(as_alice).next_attempt_at
        assert mine(as_alice.id, clock).windows == 1
    assert methods(as_alice) == ["rules"]
    assert Drawer.objects.count() == 2
    assert "could not be asked" in event(as_alice).details["notes"][0]
    assert clock.now == NOW + sum(BACKOFF, timedelta())


def test_every_retry_asks_the_model_before_the_rules_take_over(as_alice, server, clock):
    server.script(*[Behaviour(status=500)] * (RETRIES + 1))
    converse(as_alice.id, *WORDS)
    for _ in range(RETRIES + 1):
        mine(as_alice.id, clock)
        clock.move(minutes=5)
    assert len(server.received("chat")) == RETRIES + 1
    assert methods(as_alice) == ["rules"]
    assert not due_conversations(as_alice.id, clock()).exists()


def test_the_last_retry_may_still_succeed(as_alice, server, clock):
    server.script(*[Behaviour(status=500)] * RETRIES, Behaviour(text=GOOD))
    converse(as_alice.id, *WORDS)
    for _ in range(RETRIES + 1):
        mine(as_alice.id, clock)
        clock.move(minutes=5)
    assert methods(as_alice) == ["model"]


def test_a_wrong_key_is_not_tried_again(as_alice, server, clock):
    server.script(*[Behaviour(status=401)] * 3)
    converse(as_alice.id, *WORDS)
    assert mine(as_alice.id, clock).windows == 1
    assert methods(as_alice) == ["rules"]
    assert len(server.received("chat")) == 1
    assert progress(as_alice).attempts == 0
