"""Time until the first token: measured over real connections, told by the same question."""

import sys
from contextlib import closing
from time import perf_counter

import pytest

from bench.errors import BenchmarkImpossible
from bench.first_token import DIRECT, WITH, WITHOUT, Line, Timed, figures
from bench.processes import free_port, running, wait_for
from tests.openai_server import Behaviour, OpenAIServer


def line_to(server: OpenAIServer):
    return closing(Line(int(server.base_url.rsplit(":", 1)[1].split("/")[0])))


def test_the_first_token_is_timed_not_the_last():
    with (
        OpenAIServer(Behaviour(text="One two three four", drip_s=0.3)) as server,
        line_to(server) as line,
    ):
        started = perf_counter()
        timed = line.ask("Hello?")
    assert 0 < timed.ms < (perf_counter() - started) * 1000 - 600
    assert (timed.recalled, timed.complete) == (0, True)


def test_an_answer_without_a_token_is_no_measure():
    with (
        OpenAIServer(Behaviour(status=503)) as server,
        line_to(server) as line,
        pytest.raises(BenchmarkImpossible),
    ):
        line.ask("Hello?")


def test_the_stand_in_answers_over_a_connection_that_is_kept():
    port = free_port()
    with running([sys.executable, "-m", "bench.upstream", "--port", str(port)]):
        wait_for(port)
        with closing(Line(port)) as line:
            line.ask("Hello?")
            assert line.ask("And again?").ms < 1000


def test_what_is_added_is_told_by_the_same_question():
    found = figures(
        {
            DIRECT: [Timed(1), Timed(2)],
            WITHOUT: [Timed(5), Timed(105)],
            WITH: [Timed(25, 3), Timed(125, 0, complete=False)],
        }
    )
    assert found["added_by_recall"] == {"p50": 20.0, "p95": 20.0}
    assert found["added_by_palace"]["p50"] == 73.5
    assert (found["asked"], found["recalled"], found["complete"]) == (2, 0.5, 0.5)
