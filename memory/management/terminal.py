"""Progress of a command, for a person who watches."""

from django.core.management.base import OutputWrapper


class ProgressLine:
    """One line on a terminal that is written over as the work goes on; silent anywhere else."""

    def __init__(self, stream: OutputWrapper) -> None:
        self._stream = stream
        self._shown = ""

    def show(self, text: str) -> None:
        """Replace what the line says; an empty text clears it."""
        if not self._stream.isatty() or text == self._shown:
            return
        blank = " " * max(0, len(self._shown) - len(text))
        self._stream.write(f"\r{text}{blank}", ending="" if text else "\r")
        self._stream.flush()
        self._shown = text

    def messages_left(self, count: int) -> None:
        """Say how many messages are still to be mined."""
        self.show(f"{count:,} messages still to be mined …" if count else "")

    def windows_left(self, count: int) -> None:
        """Say how many windows a model is still to read again."""
        self.show(f"{count:,} parts of chats still to be read again …" if count else "")
