"""A reply while it is written in this process."""

import asyncio
from dataclasses import dataclass, field
from uuid import UUID

from llm.types import ToolCall, Usage
from memory.sanitising import storable


@dataclass(slots=True)
class Draft:
    """A reply while it is written in this process. `text` is all that was said on the way to it,
    the reply itself begins at `start`. `changed` is set at the next change."""

    text: str = ""
    start: int = 0
    trace_id: UUID | None = None
    usage: Usage | None = None
    finish_reason: str = ""
    calls: tuple[ToolCall, ...] = ()
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    def add(self, text: str) -> None:
        """Put words at the end."""
        self.text += storable(text).text
        self.tell()

    @property
    def reply(self) -> str:
        """The words since tools were last used."""
        return self.text[self.start :]

    def turn(self) -> None:
        """Begin with another round."""
        if self.reply.strip():
            self.add("\n\n")
        self.start, self.usage, self.calls = len(self.text), None, ()

    def tell(self) -> None:
        """Wake everybody who follows."""
        self.changed.set()
        self.changed = asyncio.Event()
