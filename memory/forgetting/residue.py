"""Proves that forgotten words are gone: searches every table the database has for them.

Which tables and columns there are, the database's own catalogue says, so a new table cannot be
left out. What is found in a place where the person themselves said or wrote it, and which a wish
does not reach, is counted apart: it was left on purpose. So is a name that other chats gave to a
place of theirs: there an ordinary word stands by itself, and was not made of what is gone.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from time import monotonic
from typing import Any
from uuid import UUID

from memory.forgetting.catalogue import Table, rows_with, tables, texts_in
from memory.forgetting.erasing import Doomed
from memory.forgetting.journals import as_text
from memory.forgetting.places import named_elsewhere
from memory.forgetting.words import Words

LONGEST_S = 20.0
LEAST_IN_BYTES = 6
QUEUE = "queue"
DIARIES = frozenset(("memory_activityevent", "memory_consolidationchange", "memory_forgetting"))
"""Tables that may name what is gone by its id, which tells nothing."""

SAID_ELSEWHERE, IN_CHATS, WRITTEN, NAMED = "said_elsewhere", "in_chats", "written", "named"
NAMED_ELSEWHERE = "named_elsewhere"
LEFT: dict[str, str] = {
    "memory_drawer": SAID_ELSEWHERE,
    "chat_message": IN_CHATS,
    "chat_conversation": IN_CHATS,
    "chat_generation": IN_CHATS,
    "memory_recalltrace": IN_CHATS,
    "memory_ownwords": WRITTEN,
    "memory_savedsearch": WRITTEN,
    "chat_agent": WRITTEN,
    "accounts_user": WRITTEN,
    "memory_entity": NAMED,
    "memory_entityname": NAMED,
    "memory_graphedit": NAMED,
}


@dataclass(frozen=True, slots=True)
class Found:
    """Rows of a table that have the words in a column, or name what is gone by its id. `why` says
    for what reason they were left, and is empty for what should not be there."""

    table: str
    column: str
    rows: int
    why: str = ""


@dataclass(frozen=True, slots=True)
class Residue:
    """What a search looked for and through, and what it found."""

    words: int
    runs: int
    tables: int = 0
    columns: int = 0
    found: tuple[Found, ...] = ()
    unsearched: tuple[str, ...] = ()

    @property
    def is_clean(self) -> bool:
        """Whether every table was searched and nothing was found that should not be there."""
        return not self.unsearched and all(each.why for each in self.found)

    def as_json(self) -> dict[str, Any]:
        """The same as plain values, for a receipt."""
        found = [asdict(each) for each in self.found]
        left = {"found": found, "unsearched": list(self.unsearched), "is_clean": self.is_clean}
        return asdict(self) | left


@dataclass(slots=True)
class _Search:
    """A search under way."""

    user_id: UUID
    words: Words
    ids: list[UUID]
    end: float
    elsewhere: dict[tuple[str, str], int]
    found: list[Found] = field(default_factory=list)
    columns: int = 0

    def look_through(self, table: Table) -> bool:
        """Search one table; False when time ran out before its last row."""
        counts = [0] * len(table.words)
        for number, row in enumerate(texts_in(table, self.user_id) if table.words else ()):
            if number % 200 == 0 and monotonic() > self.end:
                return False
            for place, hit in enumerate(self._hits(table, row)):
                counts[place] += hit
        self.columns += len(counts)
        for (column, _), count in zip(table.words, counts, strict=True):
            self._note(table, column, count)
        if table.name not in DIARIES and self.ids:
            self._note(table, "id", rows_with(table, self.user_id, self.ids))
        return True

    def _hits(self, table: Table, row: Sequence[Any]) -> Iterator[bool]:
        words = self.words if table.owner or table.name == QUEUE else Words(runs=self.words.runs)
        for (_, sort), value in zip(table.words, row, strict=True):
            yield value is not None and words.are_in(_text(sort, value))

    def _note(self, table: Table, column: str, rows: int) -> None:
        apart = min(rows, self.elsewhere.get((table.name, column), 0))
        if apart:
            self.found.append(Found(table.name, column, apart, NAMED_ELSEWHERE))
        if rows > apart:
            why = LEFT.get(table.name, "") if column != "id" else ""
            self.found.append(Found(table.name, column, rows - apart, why))


def search_for(gone: Doomed, *, seconds: float = LONGEST_S) -> Residue:
    """Search every table for what was erased, small tables first, for so many seconds at most."""
    elsewhere = named_elsewhere(gone.user_id, gone.named, gone.words)
    search = _Search(gone.user_id, gone.words, list(gone.ids), monotonic() + seconds, elsewhere)
    everywhere = tables()
    unsearched = [table.name for table in everywhere if not search.look_through(table)]
    return Residue(
        words=len(gone.words.words),
        runs=len(gone.words.runs),
        tables=len(everywhere) - len(unsearched),
        columns=search.columns,
        found=tuple(search.found),
        unsearched=tuple(unsearched),
    )


def _text(sort: str, value: Any) -> str:
    """Words are told from noise in bytes only by their length, so short pieces do not count."""
    if sort == "json":
        return as_text(json.loads(value))
    if sort == "bytes":
        decoded = bytes(value).decode("utf-8", errors="replace")
        return " ".join(part for part in decoded.split("\ufffd") if len(part) > LEAST_IN_BYTES)
    return str(value)
