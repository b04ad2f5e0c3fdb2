"""Jobs that create files in the folder MARKS."""

import os
import re
import time
from pathlib import Path

import dramatiq
import structlog

MARKS = Path(os.environ.get("MARKS", "."))
PAUSE_S = 0.05
log = structlog.get_logger(__name__)


@dramatiq.actor
def wait_for_go(name: str) -> None:
    """Start, wait for the file `go`, and finish."""
    (MARKS / f"{name}.begun").touch()
    log.info("waiting")
    while not (MARKS / "go").exists():
        time.sleep(PAUSE_S)
    (MARKS / f"{name}.done").touch()


@dramatiq.actor
def fail(name: str) -> None:
    """Fail with an error message that must not be logged."""
    (MARKS / f"{name}.begun").touch()
    raise ValueError("my sister is called Zoé")


@dramatiq.actor
def stall(name: str) -> None:
    """Block every thread, once, in a regular expression that takes practically forever."""
    if not (MARKS / f"{name}.begun").exists():
        (MARKS / f"{name}.begun").touch()
        re.match(r"(a|a)+$", "a" * 60 + "b")
    (MARKS / f"{name}.done").touch()
