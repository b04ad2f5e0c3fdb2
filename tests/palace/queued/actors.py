"""Jobs that leave marks in the folder that MARKS names."""

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
def hold(name: str) -> None:
    """Begin, wait until somebody says go, and finish."""
    (MARKS / f"{name}.begun").touch()
    log.info("holding")
    while not (MARKS / "go").exists():
        time.sleep(PAUSE_S)
    (MARKS / f"{name}.done").touch()


@dramatiq.actor
def break_down(name: str) -> None:
    """Fail with words that nobody may see."""
    (MARKS / f"{name}.begun").touch()
    raise ValueError("my sister is called Zoé")


@dramatiq.actor
def stall(name: str) -> None:
    """Hold up every thread, once, in a single call that takes centuries."""
    if not (MARKS / f"{name}.begun").exists():
        (MARKS / f"{name}.begun").touch()
        re.match(r"(a|a)+$", "a" * 60 + "b")
    (MARKS / f"{name}.done").touch()


@dramatiq.actor(max_retries=1)
def break_down_once(name: str) -> None:
    """Fail the first time."""
    if not (MARKS / f"{name}.begun").exists():
        (MARKS / f"{name}.begun").touch()
        raise ValueError("my sister is called Zoé")
    (MARKS / f"{name}.done").touch()
