"""Waiting for what happens in another thread."""

import time
from collections.abc import Callable


def eventually(condition: Callable[[], object], within: float = 10.0) -> None:
    """Wait until the condition holds; fails the test when it does not."""
    deadline = time.monotonic() + within
    while not condition():
        assert time.monotonic() < deadline, "it did not come to pass"
        time.sleep(0.02)
