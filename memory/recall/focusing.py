"""Cuts a long message to what it asks: people paste letters, logs and whole pages around a question."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memory.recall import pasted_words as pasted
from memory.recall import rewriting_words as words

LONGEST_QUERY = 600

_BEGINNING, _END = 10_000, 20_000
_SHORT = 160
_BETWEEN, _AT_AN_EDGE, _ALONE, _OTHER_SCRIPT, _LISTED = 3, 2, 1, 2, -3
_NEARLY, _HARDLY = 1, 1

_HIDDEN = re.compile(pasted.HIDDEN)
_COMMENT = re.compile(pasted.HTML_COMMENT, re.DOTALL | re.IGNORECASE)
_ENCODED = re.compile(pasted.ENCODED)
_FENCE = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)
_PASTED_LINE = re.compile("|".join((*pasted.LETTER_LINES, *pasted.MACHINE_LINES)), re.MULTILINE)
_LISTED_LINE = re.compile(pasted.LISTED)
_SALUTATION = re.compile(pasted.SALUTATION, re.IGNORECASE)
_BLOCK_END = re.compile(r"\n[ \t]*(?:\n[ \t]*)+")
_SENTENCE = re.compile(r"[^\n.!?。！？؟]+(?:[.](?=\S)[^\n.!?。！？؟]*)*[.!?。！？؟]*[\"'”’)]*")
_SENTENCE_END = re.compile(r"(?<=[.!?…])\s|(?<=[。！？؟])|\n")
_QUESTION_LABEL = re.compile(words.QUESTION_LABEL, re.IGNORECASE)
_QUESTION = re.compile(f"[?？؟]|{words.QUESTION_ENDINGS}")
_ASKING = re.compile(words.ASKING, re.IGNORECASE)
_PERSONAL = re.compile(words.PERSONAL, re.IGNORECASE)
_ORDERING = re.compile(words.ORDERING, re.IGNORECASE)
_SCRIPTS = tuple(
    re.compile(letters)
    for letters in (
        "[A-Za-z]",
        "[\u0400-\u04ff]",
        "[\u0590-\u06ff]",
        "[\u3040-\u9fff\uac00-\ud7ff]",
    )
)
_WORD = re.compile(r"[^\W_]")


@dataclass(frozen=True, slots=True)
class _Unit:
    """A piece of a message that may be what it asks: how much it sounds like it, and whether it
    stands by itself at the beginning or the end."""

    text: str
    asks: int
    bonus: int = 0

    @property
    def weight(self) -> int:
        return self.asks + self.bonus

    @property
    def at_an_edge(self) -> bool:
        return self.bonus >= _AT_AN_EDGE


def focus(message: str) -> str:
    """The message itself when it is short, else at most 600 characters of it: what it asks, or its
    beginning when it asks nothing. Without what cannot be seen. Empty only when the message is."""
    text = _seen(message) or message.strip()
    if len(text) <= LONGEST_QUERY:
        return text
    if len(text) > _BEGINNING + _END:
        text = f"{text[:_BEGINNING]}\n{text[-_END:]}"
    said = _said(text) or text
    if len(said) <= LONGEST_QUERY:
        return said
    units = list(_units(said))
    return _asked(units) or _beginning(said)


def _seen(message: str) -> str:
    return _COMMENT.sub("\n", _HIDDEN.sub("", message)).strip()


def _said(text: str) -> str:
    """What is left without code, logs, letters and tables; after a label such as "Question:" only
    what it announces."""
    bare = _PASTED_LINE.sub("", _ENCODED.sub("", _FENCE.sub("\n\n", text))).strip()
    labels = list(_QUESTION_LABEL.finditer(bare))
    announced = bare[labels[-1].end() :].strip() if labels else ""
    return announced or bare


def _units(text: str) -> Iterator[_Unit]:
    blocks = [block.strip() for block in _BLOCK_END.split(text) if _WORD.search(block)]
    if len(blocks) == 1:
        yield from _lines(blocks[0], _AT_AN_EDGE)
        return
    script = _script(text)
    for place, block in enumerate(blocks):
        if len(block) <= LONGEST_QUERY:
            other = 0 if _script(block) == script else _OTHER_SCRIPT
            yield _unit(block, _ALONE + _standing(blocks, place) + other)
        else:
            yield from _lines(block)


def _standing(blocks: Sequence[str], place: int) -> int:
    """Questions stand before a paste, after it, or between two."""
    if place in {0, len(blocks) - 1}:
        return _AT_AN_EDGE
    beside = (blocks[place - 1], blocks[place + 1])
    return _BETWEEN if all(len(block) > LONGEST_QUERY for block in beside) else 0


def _script(text: str) -> int:
    """In which of the scripts that are told apart most of a text is written."""
    counts = [len(script.findall(text)) for script in _SCRIPTS]
    return counts.index(max(counts))


def _lines(block: str, edge: int = 0) -> Iterator[_Unit]:
    """The lines of a long block, and the sentences of its long lines."""
    lines = [line.strip() for line in block.split("\n") if _WORD.search(line)]
    for place, line in enumerate(lines):
        if len(line) <= LONGEST_QUERY:
            yield _unit(line, edge if place in {0, len(lines) - 1} else 0)
        else:
            yield from (_unit(found[0].strip()) for found in _SENTENCE.finditer(line))


def _unit(text: str, bonus: int = 0) -> _Unit:
    if _LISTED_LINE.match(text):
        return _Unit(text, _weight(text) + _LISTED)
    if _SALUTATION.match(text):
        return _Unit(text, 0)
    if bonus:
        return _Unit(text, _weight(text), bonus)
    return _Unit(text, max((_weight(found[0]) for found in _SENTENCE.finditer(text)), default=0))


def _weight(sentence: str) -> int:
    """How much a sentence sounds like the question that a person has."""
    weight = 2 * bool(_QUESTION.search(sentence)) + bool(_ASKING.search(sentence))
    return weight + 3 * bool(_PERSONAL.search(sentence)) - 2 * bool(_ORDERING.search(sentence))


def _asked(units: Sequence[_Unit]) -> str:
    """What sounds most like a question, and a second one that stands at the other end."""
    asking = [unit for unit in units if unit.asks > _HARDLY or _is_key(unit)]
    if not asking:
        return ""
    most = max(unit.weight for unit in asking)
    best = [unit for unit in asking if unit.weight == most][-1]
    kept = [
        unit
        for unit in asking
        if unit is best or (unit.at_an_edge and best.at_an_edge and unit.weight >= most - _NEARLY)
    ]
    together = " ".join(dict.fromkeys(unit.text for unit in kept))
    return together if len(together) <= LONGEST_QUERY else best.text[:LONGEST_QUERY].strip()


def _is_key(unit: _Unit) -> bool:
    """A few words that stand by themselves at an edge are asked for without saying so."""
    return unit.at_an_edge and len(unit.text) <= _SHORT and unit.asks >= 0


def _beginning(text: str) -> str:
    """The first whole sentences."""
    ends = [found.start() for found in _SENTENCE_END.finditer(text[:LONGEST_QUERY])]
    return text[: ends[-1] if ends else LONGEST_QUERY].strip() or text[:LONGEST_QUERY]
