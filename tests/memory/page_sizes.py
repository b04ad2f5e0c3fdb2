"""Makes the pages of a long list short, so that a few rows fill several."""

from collections.abc import Callable
from typing import Any

import pytest


def shorten(monkeypatch: pytest.MonkeyPatch, listing: Callable[..., Any], most: int) -> None:
    """Let this list give so many rows a page, where its caller does not say how many."""
    if listing.__kwdefaults__:
        monkeypatch.setitem(listing.__kwdefaults__, "most", most)
    else:
        assert listing.__defaults__ is not None
        monkeypatch.setattr(listing, "__defaults__", (*listing.__defaults__[:-1], most))
