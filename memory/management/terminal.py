"""Progress of a command on a terminal."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.core.management.base import OutputWrapper


class ProgressLine:
    """One line on a terminal that is overwritten as work progresses; silent elsewhere."""

    def __init__(self, stream: OutputWrapper) -> None:
        self._stream = stream
        self._shown = ""

    def show(self, text: str) -> None:
        """Replace the text; an empty one clears the line."""
        if not self._stream.isatty() or text == self._shown:
            return
        blank = " " * max(0, len(self._shown) - len(text))
        self._stream.write(f"\r{text}{blank}", ending="" if text else "\r")
        self._stream.flush()
        self._shown = text

    @contextmanager
    def during(self, text: str) -> Iterator[None]:
        """Show a text during the block, and clear the line afterwards."""
        self.show(text)
        try:
            yield
        finally:
            self.show("")

    def messages_left(self, count: int) -> None:
        """Show how many messages are left to mine."""
        self.show(f"Messages left to mine: {count:,} …" if count else "")

    def windows_left(self, count: int) -> None:
        """Show how many windows are left to re-extract."""
        self.show(f"Parts of chats left to re-extract: {count:,} …" if count else "")
