"""Split turns into windows for mining, and strip what must not be mined."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from memory.mining.transcripts import Turn
from memory.text.sanitizing import replace_spans

SIZE = 8
MAX_LENGTH = 10
MAX_SHORT_TAIL = 2

_MEMORY_TAG = re.compile(r"<(/?)memory_context\b[^<>]{0,200}>", re.IGNORECASE)


def windows(turns: Sequence[Turn], size: int = SIZE) -> tuple[tuple[Turn, ...], ...]:
    """`turns` in order of sequence, split into windows of `size` turns. A tail of one or two turns joins
    the window before it, unless that would then have more than ten.

    Every turn is in exactly one window. System turns do not count towards the size but stay in a window,
    so that its last sequence can become the pointer. Counting starts at the first turn given, which is
    always the one after the stored pointer; later turns can only change the last window, never an
    earlier boundary.
    """
    ordered = sorted(turns, key=lambda turn: turn.sequence)
    found = list(_chunks(ordered, size))
    if len(found) > 1 and _count(found[-1]) <= min(MAX_SHORT_TAIL, MAX_LENGTH - size, size - 1):
        found[-2:] = [found[-2] + found[-1]]
    return tuple(found)


def minable(turn: Turn) -> Turn | None:
    """The turn without injected memory blocks, or None if nothing in it may be mined."""
    if turn.role == "system":
        return None
    content = _without_blocks(turn.content)
    if not content.strip():
        return None
    return turn if content == turn.content else replace(turn, content=content)


def readable(turn: Turn) -> Turn | None:
    """The turn without injected memory blocks in its content and tool arguments, or None if nothing in it
    may be mined."""
    arguments = _without_blocks(turn.tool_arguments)
    if turn.role == "system" or not arguments.strip():
        return minable(turn)
    return replace(turn, content=_without_blocks(turn.content), tool_arguments=arguments)


def _without_blocks(content: str) -> str:
    return replace_spans(content, memory_blocks(content), lambda block: "")


def without_memory(content: str) -> str:
    """`content` with injected memory blocks replaced by line breaks, so offsets do not change."""
    return replace_spans(content, memory_blocks(content), lambda block: "\n" * len(block))


def memory_blocks(content: str) -> list[tuple[int, int]]:
    """Half-open ranges of the closed `<memory_context>` blocks in `content`, outermost only."""
    if "memory_context" not in content.casefold():
        return []
    blocks: list[tuple[int, int]] = []
    opened: list[int] = []
    for tag in _MEMORY_TAG.finditer(content):
        if not tag[1]:
            opened.append(tag.start())
        elif opened:
            start = opened.pop()
            while blocks and blocks[-1][0] > start:
                blocks.pop()
            blocks.append((start, tag.end()))
    return blocks


def _chunks(turns: Sequence[Turn], size: int) -> Iterator[tuple[Turn, ...]]:
    current: list[Turn] = []
    for turn in turns:
        current.append(turn)
        if _count(current) == size:
            yield tuple(current)
            current = []
    if current:
        yield tuple(current)


def _count(turns: Sequence[Turn]) -> int:
    return sum(turn.role != "system" for turn in turns)
