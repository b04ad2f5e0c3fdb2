"""Masks secrets in text that leaves the palace for models, programs, lists and readable exports.

Secrets are masked on the way out, so that text stored before a format was known is covered as well. The pages
of a chat and of a drawer show their owner everything.
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
"""How many characters to read on each side of an excerpt, for words that identify a secret."""
ISSUED = frozenset(("next", "confirmation"))
"""The fields of answers that hold a string Palace made, which a program sends back as it is."""
_ID = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
"""Ids are never masked; some hold the digits of a card number by chance."""


class Outgoing:
    """Masks secrets in the text of a user, except those in drawers whose secrets they unmasked."""

    def __init__(self, user_id: UUID) -> None:
        self._user_id = user_id

    def words(self, text: str, start: int = 0, end: int | None = None) -> str:
        """All or part of a text with secrets masked; they are searched for in all of `text`."""
        return hide_within(text, start, len(text) if end is None else end, lambda: self._unmasked)

    def beginning(self, text: str, length: int) -> tuple[str, bool]:
        """The first `length` characters with secrets masked, and whether that is all. `text` may be truncated
        to no less than `length + MARGIN` characters."""
        masked = self.words(text)
        return masked[:length], len(masked) <= length and len(text) <= length + MARGIN

    def masked(self, value: Any) -> Any:
        """JSON data with secrets masked in every string except ids and the fields in ISSUED."""
        return _each_text(value, self.words)

    def plain(self, value: Any) -> Any:
        """The same with hidden characters made visible."""
        return _each_text(value, lambda text: visible(self.words(text)))

    @cached_property
    def _unmasked(self) -> Collection[str]:
        """The secrets of drawers that their owner unmasked."""
        drawers = Drawer.objects.live().filter(user_id=self._user_id, secrets_open=True)
        texts = drawers.values_list("content", flat=True)
        return {text[each.start : each.end] for text in texts for each in find_secrets(text)}


def _each_text(value: Any, told: Callable[[str], str]) -> Any:
    if isinstance(value, dict):
        return {name: inner if name in ISSUED else _each_text(inner, told) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_each_text(inner, told) for inner in value]
    return told(value) if isinstance(value, str) and not _ID.fullmatch(value) else value
