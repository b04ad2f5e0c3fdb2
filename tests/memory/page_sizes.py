"""Makes the pages of a long list short, so that a few rows fill several, and reads them all."""

from collections.abc import Callable
from typing import Any

import pytest


def shorten(monkeypatch: pytest.MonkeyPatch, listing: Callable[..., Any], limit: int) -> None:
    """Let this list give so many rows a page, where its caller does not say how many."""
    if listing.__kwdefaults__:
        monkeypatch.setitem(listing.__kwdefaults__, "limit", limit)
    else:
        assert listing.__defaults__ is not None
        monkeypatch.setattr(listing, "__defaults__", (*listing.__defaults__[:-1], limit))


def walk(step: Callable[[str], Any]) -> list[Any]:
    """Everything on the pages of a list, of which `step` gives the one after a cursor."""
    found, after = [], ""
    for _ in range(100):
        page = step(after)
        found += page.items
        after = page.after
        if not after:
            return found
    raise AssertionError("the list never ends")
