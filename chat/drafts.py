"""A reply while it is written in this process."""

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from uuid import UUID

from llm.types import ToolCall, Usage
from memory.sanitising import storable

LONGEST_NAME = 200


@dataclass(frozen=True, slots=True)
class Tools:
    """The names of the tools that a reply has `used`, and of those it is `using` now."""

    used: tuple[str, ...] = ()
    using: tuple[str, ...] = ()

    def begin(self, names: Iterable[str]) -> "Tools":
        """The same while these are at work."""
        return replace(self, using=tuple(storable(name).text[:LONGEST_NAME] for name in names))

    def end(self) -> "Tools":
        """The same once they are done."""
        return Tools(self.used + self.using)

    def as_json(self) -> dict[str, list[str]]:
        """How a row keeps them."""
        return {"used": list(self.used), "using": list(self.using)}


NO_TOOLS = Tools()


def tools_from(kept: Mapping[str, list[str]]) -> Tools:
    """What a row keeps of them; none when it keeps nothing yet."""
    return Tools(tuple(kept.get("used", ())), tuple(kept.get("using", ())))


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
    tools: Tools = NO_TOOLS
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    def add(self, text: str) -> None:
        """Put words at the end."""
        self.text += storable(text).text
        self.tell()

    @property
    def reply(self) -> str:
        """The words since tools were last used."""
        return self.text[self.start :]

    def use(self) -> None:
        """Show the tools that were called as being at work."""
        self.tools = self.tools.begin(call.name for call in self.calls)
        self.tell()

    def turn(self) -> None:
        """Begin with another round."""
        self.tools = self.tools.end()
        if self.reply.strip():
            self.add("\n\n")
        self.start, self.usage, self.calls = len(self.text), None, ()
        self.tell()

    def tell(self) -> None:
        """Wake everybody who follows."""
        self.changed.set()
        self.changed = asyncio.Event()
