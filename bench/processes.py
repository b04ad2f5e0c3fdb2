"""The processes of the product, started for a benchmark, and how much memory they hold once they
have worked."""

import http.client
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import quote

import psutil
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.core.management import call_command
from django.db import connection

from accounts.models import User
from accounts.sessions import SessionStore
from bench.errors import BenchmarkImpossible

PATIENCE_S = 60
SEARCHES = 20


def resident_memory(user: User) -> dict[str, float]:
    """Megabytes of the web process after searches, and of the worker with all it forked."""
    call_command("collectstatic", interactive=False, verbosity=0)
    port = free_port()
    web = [sys.executable, "-m", "uvicorn", "palace.asgi:application", "--port", str(port)]
    worker = [sys.executable, "-m", "dramatiq", "palace.worker", "-p", "1", "-t", "2"]
    with running(web) as web_process, running(worker) as worker_process:
        _search_often(port, _cookie(user))
        return {"web": _megabytes(web_process), "worker": _megabytes(worker_process)}


@contextmanager
def running(command: list[str], **more: str) -> Iterator[psutil.Process]:
    """A program of ours on the database of this moment, with more in its environment; it is ended
    at the end of the block."""
    process = subprocess.Popen(  # noqa: S603 - our own programs
        command,
        env=environment() | more,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=settings.BASE_DIR,
    )
    try:
        yield psutil.Process(process.pid)
    finally:
        process.terminate()
        process.wait(timeout=PATIENCE_S)


def environment() -> dict[str, str]:
    """What the environment of a process says that is to work in the database in use here."""
    chosen = connection.settings_dict
    password = f":{quote(chosen['PASSWORD'])}" if chosen.get("PASSWORD") else ""
    place = quote(chosen["HOST"], safe="")
    port = f":{chosen['PORT']}" if chosen.get("PORT") else ""
    url = f"postgresql://{chosen['USER']}{password}@{place}{port}/{chosen['NAME']}"
    return {**os.environ, "DATABASE_URL": url, "DJANGO_SETTINGS_MODULE": "palace.settings"}


def _cookie(user: User) -> str:
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[-1]
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.create()
    return f"{settings.SESSION_COOKIE_NAME}={session.session_key}"


def _search_often(port: int, cookie: str) -> None:
    path = "/memory/search/?q=" + quote("What did I do with the telescope?")
    deadline = time.monotonic() + PATIENCE_S
    answered = 0
    while answered < SEARCHES:
        if time.monotonic() > deadline:
            raise BenchmarkImpossible("The web process did not answer.")
        try:
            client = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
            client.request("GET", path, headers={"Cookie": cookie, "Host": "localhost"})
            answered += client.getresponse().status == http.HTTPStatus.OK
        except OSError:
            time.sleep(0.3)


def _megabytes(process: psutil.Process) -> float:
    family = [process, *process.children(recursive=True)]
    used = sum(int(member.memory_info().rss) for member in family)
    return round(used / 1_048_576, 1)


def free_port() -> int:
    """A port of this machine that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for(port: int) -> None:
    """Wait until a process of this machine listens. Raises BenchmarkImpossible."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=1):
                return
        except OSError as error:
            if time.monotonic() > deadline:
                raise BenchmarkImpossible("A process did not start.") from error
            time.sleep(0.2)
