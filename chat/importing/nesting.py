"""Reads JSON in which replies stand inside of what they reply to, thousands of levels deep.

The parser of the standard library goes down one call a level and gives up at a thousand. Here the
events of a streaming parser are put together without recursion.
"""

import io
from decimal import Decimal

import ijson

from chat.importing.splitting import NOT_JSON, EntryUnreadable, too_deep

REPLIES = "children"

Container = dict[str, object] | list[object]


def load_nested(data: bytes, depth: int) -> object:
    """Return the JSON value. Levels of lists named `children` and of what is in them are free;
    with more than `depth` others it is refused.

    Raises EntryUnreadable.
    """
    builder = _Builder(depth)
    try:
        for event, value in ijson.basic_parse(io.BytesIO(data), use_float=True):
            builder.take(event, value)
    except ijson.JSONError as error:
        raise EntryUnreadable(NOT_JSON) from error
    return builder.value


class _Builder:
    """Puts the events of a parser together; `_open` has what is not complete, outermost first."""

    def __init__(self, depth: int) -> None:
        self.value: object = None
        self._most = depth
        self._charged = 0
        self._key = ""
        self._open: list[tuple[Container, bool, str]] = []

    def take(self, event: str, value: object) -> None:
        if event == "map_key":
            self._key = str(value)
        elif event == "start_map":
            self._begin({})
        elif event == "start_array":
            self._begin([])
        elif event in ("end_map", "end_array"):
            _, is_free, self._key = self._open.pop()
            self._charged -= not is_free
        else:
            self._put(float(value) if isinstance(value, Decimal) else value)

    def _begin(self, container: Container) -> None:
        is_free = self._is_reply(container)
        self._put(container)
        self._open.append((container, is_free, self._key))
        self._charged += not is_free
        if self._charged > self._most:
            raise EntryUnreadable(too_deep(self._most))

    def _is_reply(self, container: Container) -> bool:
        """A list of replies, or one of them."""
        if isinstance(container, list):
            return self._key == REPLIES
        return bool(self._open) and self._open[-1][1] and isinstance(self._open[-1][0], list)

    def _put(self, value: object) -> None:
        if not self._open:
            self.value = value
            return
        holder = self._open[-1][0]
        if isinstance(holder, list):
            holder.append(value)
        else:
            holder[self._key] = value
