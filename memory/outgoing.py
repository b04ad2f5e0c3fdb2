"""Words on their way out of the palace, to models, programs, lists and readable exports: secrets are masked.

Masks are made when words leave, so that what was stored before a format was known is covered as well. The
pages of a chat and of a drawer show their owner everything.
"""

import re
from collections.abc import Callable, Collection
from functools import cached_property
from typing import Any
from uuid import UUID

from memory.models import Drawer
from memory.text.sanitizing import visible
from memory.text.secrets import find_secrets, hide_within

MARGIN = 400
"""How much more than an excerpt to read on each side, for words that tell a secret, in characters."""
ISSUED = frozenset(("next", "confirmation"))
"""The fields of answers that hold a string Palace made, which a program sends back as it is."""
_ID = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
"""Ids are never masked; some hold the digits of a card number by chance."""


class Outgoing:
    """Masks secrets in the words of one person, except those in drawers whose secrets they opened."""

    def __init__(self, user_id: UUID) -> None:
        self._user_id = user_id

    def words(self, text: str, start: int = 0, end: int | None = None) -> str:
        """The words, or a part of them, with secrets masked; secrets are sought in all of `text`."""
        return hide_within(text, start, len(text) if end is None else end, lambda: self._opened)

    def beginning(self, text: str, length: int) -> tuple[str, bool]:
        """The first `length` characters with secrets masked, and whether that is all of it. `text` may be
        cut, but not before `length + MARGIN` characters."""
        told = self.words(text)
        return told[:length], len(told) <= length and len(text) <= length + MARGIN

    def masked(self, value: Any) -> Any:
        """Data with secrets masked in every text but those that Palace issued."""
        return _each_text(value, self.words)

    def plain(self, value: Any) -> Any:
        """The same with hidden characters made visible."""
        return _each_text(value, lambda text: visible(self.words(text)))

    @cached_property
    def _opened(self) -> Collection[str]:
        """The secrets of the drawers that their owner opened."""
        drawers = Drawer.objects.live().filter(user_id=self._user_id, secrets_open=True)
        texts = drawers.values_list("content", flat=True)
        return {text[each.start : each.end] for text in texts for each in find_secrets(text)}


def _each_text(value: Any, told: Callable[[str], str]) -> Any:
    if isinstance(value, dict):
        return {name: inner if name in ISSUED else _each_text(inner, told) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_each_text(inner, told) for inner in value]
    return told(value) if isinstance(value, str) and not _ID.fullmatch(value) else value
