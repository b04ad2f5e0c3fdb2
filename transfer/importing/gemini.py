"""Reads what Takeout has of Gemini Apps in "My Activity": a log, newest first, of prompts with answers.

Newer exports name the chats a prompt belongs to; without that, a pause begins a new chat. The log is
read twice, so that only chats which are not yet complete are held in memory.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

from django.utils.translation import gettext_noop

from transfer.importing.activity_pages import text_of
from transfer.importing.entries import Value
from transfer.importing.threads import (
    PICTURES,
    SOURCES,
    BrokenEntry,
    Entry,
    Heading,
    ImportedConversation,
    MessagePart,
    Node,
    Raw,
    conversation,
    digest,
    fields,
    file_label,
    joined,
    plain_id,
    plain_text,
)

NEW_CHAT_AFTER = timedelta(hours=1)
NO_ACTIVITY = gettext_noop("It is not an entry of My Activity.")
NO_TIME = gettext_noop(
    "Its time cannot be read. Ask Takeout for My Activity as JSON: JSON times do not depend on the language."
)

_GEMINI = re.compile(r"gemini|\bbard\b", re.IGNORECASE)
_CHATS = "https://gemini.google.com/app/"
# Known prefixes of titles; for other languages, they are what most titles have in common.
_TITLE_PREFIXES = ("Prompted", "Branched", "Answered", "Asked", "Запит:", "Pokyn", "분기된")
_MAX_PREFIX_WORDS = 3
_MIN_TITLES = 5
_MIN_SHARE = 0.9


def recognises(entry: Raw) -> bool:
    """Whether an entry is an activity of Gemini, in whatever language the account is."""
    if not isinstance(entry.get("title"), str) or "time" not in entry:
        return False
    names = [entry.text("header"), *map(plain_text, entry.listed("products"))]
    return any(map(_GEMINI.search, names)) or bool(_chats(entry))


def group(read: Callable[[], Iterator[Value]]) -> Iterator[Entry]:
    """The chats of a log, and each entry that cannot be read. `read` starts from the beginning each time."""
    plan = _plan(read())
    for index, value in enumerate(read()):
        if problem := _problem(value):
            yield BrokenEntry(value.where, problem)
        else:
            yield from plan.add(index, fields(value.value))


@dataclass(frozen=True, slots=True)
class _Turn:
    """A prompt or answer, with its id and the beginning of its title."""

    index: int
    time: datetime
    key: str
    chats: tuple[str, ...]
    opening: tuple[str, ...]
    is_answered: bool


@dataclass(slots=True)
class _Plan:
    """The chats of each entry by its number, how many entries each chat still lacks, and the pieces
    of those it has, in the order of their time."""

    prefixes: tuple[str, ...]
    turns: Mapping[int, _Turn]
    chats: Mapping[int, list[str]]
    missing: Counter[str]
    _held: dict[str, list[tuple[_Turn, tuple[MessagePart, ...]]]] = field(default_factory=dict)

    def add(self, index: int, raw: Raw) -> Iterator[Entry]:
        """Add an entry, and yield the chats that are complete with it."""
        for chat in self.chats.get(index, ()):
            turn = self.turns[index]
            self._held.setdefault(chat, []).append((turn, tuple(_parts(raw, turn, self.prefixes))))
            self.missing[chat] -= 1
            if not self.missing[chat]:
                yield self._chat(chat)

    def _chat(self, chat: str) -> ImportedConversation:
        turns = sorted(self._held.pop(chat), key=lambda held: (held[0].time, -held[0].index))
        nodes: dict[str, Node] = {}
        previous: str | None = None
        for turn, parts in turns:
            if turn.key not in nodes:
                nodes[turn.key] = Node(previous, parts)
                previous = turn.key
        return conversation(Heading(plain_id(chat)), nodes)


def _plan(values: Iterator[Value]) -> _Plan:
    """Read the log once to group its entries by chat."""
    turns: dict[int, _Turn] = {}
    for index, value in enumerate(values):
        raw = fields(value.value)
        if recognises(raw) and (time := raw.moment("time")):
            turns[index] = _turn(index, raw, time)
    answered = [turn.opening for turn in turns.values() if turn.is_answered]
    prefixes = (*_TITLE_PREFIXES, *_common_prefixes(answered))
    kept = {
        index: turn
        for index, turn in turns.items()
        if turn.is_answered or _longest_prefix(turn.opening, prefixes)
    }
    chats = defaultdict(list, {index: list(turn.chats) for index, turn in kept.items()})
    for chat, index in _split_by_pauses([turn for turn in kept.values() if not turn.chats]):
        chats[index].append(chat)
    return _Plan(prefixes, kept, chats, Counter(chat for names in chats.values() for chat in names))


def _problem(value: Value) -> str:
    """Why an entry cannot be read; empty if it can, or if it is not from Gemini."""
    if value.problem:
        return value.problem
    if not isinstance(value.value, Raw):
        return NO_ACTIVITY
    return NO_TIME if recognises(value.value) and value.value.moment("time") is None else ""


def _turn(index: int, raw: Raw, time: datetime) -> _Turn:
    title = " ".join(raw.text("title").split())
    second = time.replace(microsecond=0).isoformat()  # as precise as the web page
    return _Turn(
        index=index,
        time=time,
        key=digest(f"{second}\n{title}"),
        chats=_chats(raw),
        opening=tuple(title.split(" ", _MAX_PREFIX_WORDS)[:_MAX_PREFIX_WORDS]),
        is_answered=any(map(plain_text, _answers(raw))),
    )


def _chats(raw: Raw) -> tuple[str, ...]:
    """The ids of the chats it belongs to: several, where a chat was branched off later."""
    links = (detail.text("url") for detail in raw.objects("details"))
    found = (urlsplit(link).path.rpartition("/")[2] for link in links if link.startswith(_CHATS))
    return tuple(dict.fromkeys(filter(None, found)))


def _split_by_pauses(turns: list[_Turn]) -> Iterator[tuple[str, int]]:
    """Assign entries without a chat to chats that begin after a pause."""
    chat, last = "", datetime.min.replace(tzinfo=UTC)
    for turn in sorted(turns, key=lambda turn: (turn.time, -turn.index)):
        if not chat or turn.time - last > NEW_CHAT_AFTER:
            chat = f"derived-{turn.key}"
        last = turn.time
        yield chat, turn.index


def _common_prefixes(openings: list[tuple[str, ...]]) -> Iterator[str]:
    """The common first words of nearly all titles: one, two, and so on."""
    for length in range(1, _MAX_PREFIX_WORDS + 1):
        counted = Counter(" ".join(words[:length]) for words in openings).most_common(1)
        if not counted or counted[0][1] < max(_MIN_TITLES, _MIN_SHARE * len(openings)):
            break
        yield counted[0][0]


def _longest_prefix(words: Iterable[str], prefixes: Iterable[str]) -> str:
    """The longest of these prefixes that a title begins with."""
    title = f"{' '.join(words)} "
    return max((prefix for prefix in prefixes if title.startswith(f"{prefix} ")), key=len, default="")


def _parts(raw: Raw, turn: _Turn, prefixes: Iterable[str]) -> Iterator[MessagePart]:
    """The prompt with labels of its files, the answer, and the pages it cites."""
    title = raw.text("title").replace("\xa0", " ").strip()
    prompt = title.removeprefix(_longest_prefix(turn.opening, prefixes)).strip()
    yield MessagePart("user", joined(prompt, *_files(raw)), said_at=turn.time)
    yield MessagePart("assistant", joined(*map(text_of, _answers(raw)), by="\n\n"), said_at=turn.time)
    yield MessagePart("tool", "\n\n".join(_sources(raw)), SOURCES)


def _answers(raw: Raw) -> list[str]:
    return [item.text("html") for item in raw.objects("safeHtmlItem")]


def _files(raw: Raw) -> Iterator[str]:
    image = raw.text("imageFile")
    for name in dict.fromkeys([*map(plain_text, raw.listed("attachedFiles")), image]):
        is_image = name == image or name.lower().endswith(PICTURES)
        if name:
            yield file_label(name, is_image=is_image)


def _sources(raw: Raw) -> Iterator[str]:
    """Pages an answer cites; other subtitles name files, or the Gem that was used."""
    for subtitle in raw.objects("subtitles"):
        url = subtitle.text("url")
        if url.startswith(("http://", "https://")) and urlsplit(url).hostname != "gemini.google.com":
            name = subtitle.text("name")
            yield f"{name}\n{url}" if name and name != url else url
