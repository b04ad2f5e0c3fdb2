"""Starts all of Palace on one machine: database, static files, web server, worker and scheduler."""

import http.client
import ipaddress
import os
import sys
import threading
import time
from urllib.parse import urlsplit

from django.conf import settings
from django.db import connections

from llm import current
from palace.preparation import collect_static_files, prepare_database, say
from palace.processes.instance_lock import bound_socket, single_instance
from palace.processes.supervisor import Program, Supervisor

READY_TIMEOUT_S = 120
PAUSE_S = 0.2


def launch(stop: threading.Event) -> None:
    """Run Palace until `stop` is set.

    Raises AlreadyRunning, PortTaken, ProgramKeepsFailing or EmbedderUnavailable.
    """
    address = local_url(settings.BIND, settings.PORT)
    with (
        single_instance(settings.PALACE_HOME, address) as recovering,
        bound_socket(settings.BIND, settings.PORT, recovering=recovering) as listener,
    ):
        current.fetch_local_model()
        prepare_database()
        connections.close_all()
        collect_static_files()
        say("Starting Palace…")
        threading.Thread(target=_announce, args=(address, stop), daemon=True).start()
        Supervisor(programs(listener.fileno()), say).run(stop)
    say("Palace has stopped.")


def local_url(host: str, port: int) -> str:
    """The URL at which a browser on this machine finds the site."""
    found = ipaddress.ip_address(host)
    if found.is_unspecified:
        host = "127.0.0.1"
    elif found.version == 6:
        host = f"[{host}]"
    return f"http://{host}:{port}"


def programs(descriptor: int) -> tuple[Program, ...]:
    """The web server on the open socket, the worker and the scheduler; all end with this process."""
    manage = (sys.executable, str(settings.BASE_DIR / "manage.py"))
    parent = ("--parent", str(os.getpid()))
    web = (*manage, "web", *parent, "--descriptor", str(descriptor))
    return (
        Program("web server", web, essential=True, descriptors=(descriptor,)),
        Program("worker", (*manage, "worker", *parent)),
        Program("scheduler", (*manage, "scheduler", *parent)),
    )


def _announce(address: str, stop: threading.Event) -> None:
    """Print where Palace is as soon as it answers."""
    deadline = time.monotonic() + READY_TIMEOUT_S
    while not stop.wait(PAUSE_S):
        if _answers(address):
            say(f"Palace is running at {address} (press Ctrl-C to stop).")
            return
        if time.monotonic() > deadline:
            say(f"Palace does not answer at {address} yet; the lines above may say why.")
            return


def _answers(address: str) -> bool:
    """Whether the front page responds without a server error."""
    place = urlsplit(address)
    host = next((name for name in settings.ALLOWED_HOSTS if "*" not in name), place.netloc)
    headers = {"Host": host.lstrip("."), "X-Forwarded-Proto": "https"}
    connection = http.client.HTTPConnection(place.netloc, timeout=5)
    try:
        connection.request("GET", "/", headers=headers)
        return connection.getresponse().status < http.client.INTERNAL_SERVER_ERROR
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
