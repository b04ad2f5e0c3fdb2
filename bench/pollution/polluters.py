"""What people paste around a question, and the ways they put it there."""

import tomllib
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path

LENGTH = 5_000
PLACES = ("before", "after", "around")


@dataclass(frozen=True, slots=True)
class Polluter:
    """Something pasted, at least as long as was asked for."""

    name: str
    text: str

    def around(self, question: str, place: str) -> str:
        """The question `before` the paste, `after` it, or with half of it on each side."""
        if place == "before":
            return f"{question}\n\n{self.text}"
        if place == "after":
            return f"{self.text}\n\n{question}"
        lines = self.text.split("\n")
        half = len(lines) // 2
        return "\n".join((*lines[:half], "", question, "", *lines[half:]))


def polluters(length: int = LENGTH) -> tuple[Polluter, ...]:
    """Every paste there is, repeated to `length` characters."""
    found = tomllib.loads(Path(__file__).with_name("polluters.toml").read_text())["polluter"]
    return tuple(Polluter(each["name"], _filled(each["text"], length)) for each in found)


def _filled(text: str, length: int) -> str:
    kept: list[str] = []
    size = 0
    for line in cycle(text.strip("\n").split("\n")):
        if size >= length and line == text.strip("\n").split("\n", 1)[0]:
            break
        kept.append(line)
        size += len(line) + 1
    return "\n".join(kept)
