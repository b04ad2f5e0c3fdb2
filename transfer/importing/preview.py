"""Counts what an export holds, before anything is written."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from transfer.importing.types import BrokenEntry, Entry, ImportedConversation, ImportedMessage

_BROKEN_NAMED = 100


@dataclass(frozen=True, slots=True)
class Preview:
    """The result of a dry run: counts, the time span, and what could not be read.

    `entries` are the steps of an import. `branches` counts the alternatives beyond the first at each
    fork. `tool_messages` are calls and results, `tool_calls` calls only. `duplicates` are
    conversations whose id occurred before in the file. `broken` names the first hundred of
    `broken_entries`. `repairs` counts each sentence about a flaw that was fixed.
    """

    entries: int
    conversations: int
    empty_conversations: int
    duplicates: int
    messages: int
    by_role: Mapping[str, int]
    tool_messages: int
    tool_calls: int
    empty_messages: int
    branches: int
    broken_entries: int
    broken: tuple[BrokenEntry, ...]
    repairs: Mapping[str, int]
    first_said_at: datetime | None
    last_said_at: datetime | None

    def plain(self) -> dict[str, Any]:
        """The counts as JSON, without the names of entries, which are their owner's words."""
        first, last = self.first_said_at, self.last_said_at
        return {
            "entries": self.entries,
            "conversations": self.conversations - self.empty_conversations - self.duplicates,
            "empty": self.empty_conversations,
            "duplicates": self.duplicates,
            "messages": self.messages,
            "by_role": dict(self.by_role),
            "branches": self.branches,
            "tool_calls": self.tool_calls,
            "broken": self.broken_entries,
            "repairs": dict(self.repairs),
            "first_said_at": first.isoformat() if first else None,
            "last_said_at": last.isoformat() if last else None,
        }


def summarise(entries: Iterable[Entry]) -> Preview:
    """The counts over all entries, reading them once."""
    tally = _Tally()
    for entry in entries:
        if isinstance(entry, BrokenEntry):
            tally.add_broken(entry)
        else:
            tally.add(entry)
    return tally.preview()


class _Tally:
    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._roles: Counter[str] = Counter()
        self._repairs: Counter[str] = Counter()
        self._broken: list[BrokenEntry] = []
        self._seen: set[str] = set()
        self._span: tuple[datetime, ...] = ()

    def add_broken(self, entry: BrokenEntry) -> None:
        self._counts["entries"] += 1
        self._counts["broken"] += 1
        if len(self._broken) < _BROKEN_NAMED:
            self._broken.append(entry)

    def add(self, conversation: ImportedConversation) -> None:
        self._counts["entries"] += 1
        if not conversation.continues:
            self._counts["conversations"] += 1
            self._counts["empty"] += not conversation.messages
            self._counts["duplicates"] += conversation.external_id in self._seen
        self._counts["empty_messages"] += conversation.empty_messages
        self._counts["branches"] += _branches(conversation.messages)
        self._repairs.update(conversation.repairs)
        self._seen.add(conversation.external_id)
        for message in conversation.messages:
            self._roles[message.role] += 1
            self._counts["tools"] += message.role == "tool" or bool(message.call_id)
            self._counts["calls"] += message.role == "assistant" and bool(message.tool_name)
        self._spread(message.said_at for message in conversation.messages if message.said_at)

    def _spread(self, times: Iterable[datetime]) -> None:
        if seen := (*times, *self._span):
            self._span = (min(seen), max(seen))

    def preview(self) -> Preview:
        return Preview(
            entries=self._counts["entries"],
            conversations=self._counts["conversations"],
            empty_conversations=self._counts["empty"],
            duplicates=self._counts["duplicates"],
            messages=self._roles.total(),
            by_role=dict(self._roles),
            tool_messages=self._counts["tools"],
            tool_calls=self._counts["calls"],
            empty_messages=self._counts["empty_messages"],
            branches=self._counts["branches"],
            broken_entries=self._counts["broken"],
            broken=tuple(self._broken),
            repairs=dict(self._repairs),
            first_said_at=min(self._span, default=None),
            last_said_at=max(self._span, default=None),
        )


def _branches(messages: Iterable[ImportedMessage]) -> int:
    replies = Counter(message.parent_external_id for message in messages)
    return sum(count - 1 for count in replies.values())
