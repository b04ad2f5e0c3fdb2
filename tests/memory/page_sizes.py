"""Shortens the pages of a list, so that a few rows fill several, and reads all of them."""

from collections.abc import Callable
from typing import Any

import pytest


def shorten(monkeypatch: pytest.MonkeyPatch, listing: Callable[..., Any], limit: int) -> None:
    """Change the default page size of a list."""
    if listing.__kwdefaults__:
        monkeypatch.setitem(listing.__kwdefaults__, "limit", limit)
    else:
        assert listing.__defaults__ is not None
        monkeypatch.setattr(listing, "__defaults__", (*listing.__defaults__[:-1], limit))


def walk(step: Callable[[str], Any]) -> list[Any]:
    """The items of all pages of a list; `step` returns the page after a cursor."""
    found, after = [], ""
    for _ in range(100):
        page = step(after)
        found += page.items
        after = page.after
        if not after:
            return found
    raise AssertionError("the list never ends")
