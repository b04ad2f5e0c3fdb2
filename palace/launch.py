"""Starts all of Palace on one machine: database, static files, web server, worker and sweep."""

import http.client
import ipaddress
import os
import sys
import threading
import time
from urllib.parse import urlsplit

from django.conf import settings
from django.db import connections

from palace.instance import bound_socket, only_instance
from palace.preparation import collect_static_files, prepare_database, say
from palace.supervisor import Program, Supervisor

MOST_REDIRECTS = 4
FIRST_PAGE_WITHIN_S = 120
PAUSE_S = 0.2


def launch(stop: threading.Event) -> None:
    """Run Palace until `stop` is set. Raises AlreadyRunning, PortTaken or GaveUp."""
    address = own_address(settings.BIND, settings.PORT)
    with (
        only_instance(settings.PALACE_HOME, address) as recovering,
        bound_socket(settings.BIND, settings.PORT, recovering=recovering) as listener,
    ):
        prepare_database()
        connections.close_all()
        collect_static_files()
        say("Starting Palace…")
        threading.Thread(target=_announce, args=(address, stop), daemon=True).start()
        Supervisor(programs(listener.fileno()), say).run(stop)
    say("Palace has stopped.")


def own_address(host: str, port: int) -> str:
    """Where a browser on this machine finds the site."""
    found = ipaddress.ip_address(host)
    if found.is_unspecified:
        host = "127.0.0.1"
    elif found.version == 6:
        host = f"[{host}]"
    return f"http://{host}:{port}"


def programs(descriptor: int) -> tuple[Program, ...]:
    """The web server on the open socket, the worker and the sweep; all end with this process."""
    python = (sys.executable, str(settings.BASE_DIR / "manage.py"))
    parent = ("--parent", str(os.getpid()))
    return (
        Program(
            "web server",
            (*python, "web", *parent, "--descriptor", str(descriptor)),
            essential=True,
            descriptors=(descriptor,),
        ),
        Program("worker", (*python, "worker", *parent)),
        Program("sweep", (*python, "sweep", "--every", str(settings.SWEEP_SECONDS), *parent)),
    )


def _announce(address: str, stop: threading.Event) -> None:
    """Say where Palace is as soon as its first page answers."""
    deadline = time.monotonic() + FIRST_PAGE_WITHIN_S
    while not stop.wait(PAUSE_S):
        if first_page_answers(address):
            say(f"Palace is ready at {address} (Ctrl-C stops it)")
            return
        if time.monotonic() > deadline:
            say(f"Palace does not answer at {address} yet; the lines above may say why.")
            return


def first_page_answers(address: str) -> bool:
    """Whether the front door leads to a page."""
    place = urlsplit(address)
    host = next((name for name in settings.ALLOWED_HOSTS if "*" not in name), place.netloc)
    headers = {"Host": host.lstrip("."), "X-Forwarded-Proto": "https"}
    path = "/"
    for _ in range(MOST_REDIRECTS):
        connection = http.client.HTTPConnection(place.netloc, timeout=5)
        try:
            connection.request("GET", path, headers=headers)
            answer = connection.getresponse()
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()
        if answer.status == http.client.OK:
            return True
        path = urlsplit(answer.headers.get("Location", "")).path
        if not path:
            return False
    return False
