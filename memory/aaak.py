"""AAAK: the compact address of a drawer and the tag lines that follow it."""

import re
from dataclasses import dataclass
from typing import NoReturn

_LARGEST = 999_999_999

_GAP = r"[ \t\u00a0\u202f]*"
_DASH = rf"{_GAP}(?:[-\u2010-\u2013\u2212]{_GAP})?"
_PART = rf"{_DASH}0*([0-9]{{1,9}})(?![0-9])"
_POINTER = re.compile(
    rf"(?:§{_GAP}|(?<![\w§/-]))W{_PART}{_GAP}/{_GAP}R{_PART}{_GAP}/{_GAP}D{_PART}", re.IGNORECASE
)

_LETTERS = {"p": "people", "l": "places", "e": "events", "i": "items", "t": "times"}
KINDS_OF_TAGS = tuple(_LETTERS.values())

# Characters that an editor, a database or str.splitlines() could drop, trim or treat as a line end.
_FRAGILE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]|^[\s@]|\s$")
_SEPARATOR = re.compile(r"(?<!\\)((?:\\\\)*)~")
_ESCAPE = re.compile(r"\\(?:u\{([0-9a-f]{1,6})\}|([\\~])|(.?))", re.DOTALL)


class PointerUnreadable(ValueError):
    """A text is not an AAAK address with tag lines; the message is a sentence for users."""


@dataclass(frozen=True, slots=True, order=True)
class Pointer:
    """The address of a drawer: its wing in the palace, room in the wing, place in the room.

    `str()` gives `§ W-042/R-11/D-007`. Each part is 0 to 999,999,999; others raise ValueError.
    """

    wing: int
    room: int
    drawer: int

    def __post_init__(self) -> None:
        if not all(0 <= part <= _LARGEST for part in (self.wing, self.room, self.drawer)):
            raise ValueError("Every part of a pointer is a whole number from 0 to 999,999,999.")

    def __str__(self) -> str:
        return f"§ W-{self.wing:03d}/R-{self.room:02d}/D-{self.drawer:03d}"


@dataclass(frozen=True, slots=True)
class Tags:
    """The AAAK tag lines of a drawer; each value a short phrase from the text."""

    people: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    events: tuple[str, ...] = ()
    items: tuple[str, ...] = ()
    times: tuple[str, ...] = ()


def parse_pointer(text: str) -> Pointer | None:
    """The pointer that `text` consists of, or None. Spacing, case, padding and `§` may vary."""
    found = _POINTER.fullmatch(text.strip())
    return _pointer(found) if found else None


def find_pointers(text: str) -> tuple[tuple[int, int, Pointer], ...]:
    """Every pointer in running text with its half-open character range, in order."""
    return tuple((found.start(), found.end(), _pointer(found)) for found in _POINTER.finditer(text))


def encode(pointer: Pointer, tags: Tags) -> str:
    """The pointer line, then one line per kind of tag that has values; no trailing newline."""
    lines = [str(pointer)]
    for letter, name in _LETTERS.items():
        values: tuple[str, ...] = getattr(tags, name)
        if values:
            lines.append(f"@{letter} " + "~".join(_escaped(value) for value in values))
    return "\n".join(lines)


def decode(text: str) -> tuple[Pointer, Tags]:
    """The pointer and tags that `encode` wrote, exactly. Raises PointerUnreadable."""
    head, *lines = text.strip("\r\n").split("\n")
    pointer = parse_pointer(head)
    if pointer is None:
        _refuse("The first line is not a pointer such as § W-042/R-11/D-007.")
    values: dict[str, tuple[str, ...]] = {}
    for line in lines:
        name, found = _tag_line(line.rstrip("\r"))
        if name in values:
            _refuse("A kind of tag has more than one line.")
        values[name] = found
    return pointer, Tags(**values)


def all_values(tags: Tags) -> tuple[str, ...]:
    """Every tag value of every kind, in the order of the lines: the values that search uses."""
    return tuple(value for kind in KINDS_OF_TAGS for value in getattr(tags, kind))


def _pointer(found: re.Match[str]) -> Pointer:
    wing, room, drawer = found.groups()
    return Pointer(int(wing), int(room), int(drawer))


def _escaped(value: str) -> str:
    value = value.replace("\\", "\\\\").replace("~", "\\~")
    return _FRAGILE.sub(lambda found: f"\\u{{{ord(found[0]):x}}}", value)


def _tag_line(line: str) -> tuple[str, tuple[str, ...]]:
    mark, _, rest = line.partition(" ")
    name = _LETTERS.get(mark[1:]) if mark.startswith("@") else None
    if name is None:
        _refuse("Each line after the pointer starts with @p, @l, @e, @i or @t and a space.")
    # The backslashes before a separator belong to the value it ends.
    parts = _SEPARATOR.sub("\\1\n", rest).split("\n")
    return name, tuple(_ESCAPE.sub(_unescaped, part) for part in parts)


def _unescaped(found: re.Match[str]) -> str:
    code, plain, _ = found.groups()
    if plain:
        return str(plain)
    if code is None or int(code, 16) > 0x10FFFF:
        _refuse("A tag holds a backslash that is not part of an escape.")
    return chr(int(code, 16))


def _refuse(sentence: str) -> NoReturn:
    raise PointerUnreadable(sentence)
