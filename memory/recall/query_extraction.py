"""Extract the question from a long message: people paste letters, logs and whole pages around it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memory.text.patterns import compile_pattern, compile_words, patterns, table_of
from memory.text.sanitizing import storable

MAX_QUERY_LENGTH = 600

_BEGINNING, _END = 10_000, 20_000
_SHORT = 160
_BETWEEN, _AT_EDGE, _STANDALONE, _OTHER_SCRIPT, _LISTED = 3, 2, 1, 2, -3
_TIE_MARGIN, _MIN_WEIGHT = 1, 1

HIDDEN_PATTERN = (
    "[\u00ad\u200b\u2060-\u2064\u206a-\u206f\u180e\ufeff\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]+"
)
HTML_COMMENT_PATTERN = r"<!--.*?(?:-->|\Z)|<(script|style)\b.*?(?:</\1\s*>|\Z)"
ENCODED_PATTERN = r"(?:data:[\w/+.-]+;base64,)?[A-Za-z0-9+/_-]{60,}={0,2}"
_PATTERNS = patterns(table_of(__file__))

_HIDDEN = re.compile(HIDDEN_PATTERN)
_COMMENT = re.compile(HTML_COMMENT_PATTERN, re.DOTALL | re.IGNORECASE)
_ENCODED = re.compile(ENCODED_PATTERN)
_FENCE = compile_pattern(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", dot_all=True)
_PASTED_LINE = re.compile(f"{_PATTERNS['letter_lines']}|{_PATTERNS['machine_lines']}", re.MULTILINE)
_LISTED_LINE = re.compile(_PATTERNS["listed"])
_SALUTATION = re.compile(_PATTERNS["salutation"], re.IGNORECASE)
_BLOCK_END = compile_pattern(r"\n[ \t]*(?:\n[ \t]*)+")
_SENTENCE = re.compile(r"[^\n.!?。！？؟]+(?:[.](?=\S)[^\n.!?。！？؟]*)*[.!?。！？؟]*[\"'”’)]*")
_SENTENCE_END = re.compile(r"(?<=[.!?…])\s|(?<=[。！？؟])|\n")
_QUESTION_LABEL = re.compile(_PATTERNS["question_label"], re.IGNORECASE)
_QUESTION = re.compile(f"[?？؟]|{_PATTERNS['question_endings']}")
_ASKING = compile_words(_PATTERNS["asking"], _PATTERNS["asking_unspaced"])
PERSONAL = compile_words(_PATTERNS["personal"], _PATTERNS["personal_unspaced"])
_ORDERING = compile_words(_PATTERNS["ordering"], _PATTERNS["ordering_unspaced"])
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
    """A piece of a message that may be the question: how much it sounds like one, and a bonus for its
    position."""

    text: str
    asks: int
    bonus: int = 0

    @property
    def weight(self) -> int:
        return self.asks + self.bonus

    @property
    def at_edge(self) -> bool:
        return self.bonus >= _AT_EDGE


def ends_of(text: str) -> str:
    """The beginning and end of a text that is too long to search for a question as a whole."""
    return text if len(text) <= _BEGINNING + _END else f"{text[:_BEGINNING]}\n{text[-_END:]}"


def focus(message: str) -> str:
    """The question in a message, without invisible characters: a short message itself, else at most 600
    characters, or its beginning when it asks nothing. Empty only for an empty message."""
    whole = storable(message).text
    text = _COMMENT.sub("\n", _HIDDEN.sub("", whole)).strip() or whole.strip()
    if len(text) <= MAX_QUERY_LENGTH:
        return text
    text = ends_of(text)
    unpasted = _unpasted(text) or text
    if len(unpasted) <= MAX_QUERY_LENGTH:
        return unpasted
    units = list(_units(unpasted))
    return _best_question(units) or _beginning(unpasted)


def _unpasted(text: str) -> str:
    """The text without code, logs, e-mails and tables; after a label such as "Question:", only what
    follows it."""
    bare = _PASTED_LINE.sub("", _ENCODED.sub("", _FENCE.sub("\n\n", text))).strip()
    labels = list(_QUESTION_LABEL.finditer(bare))
    announced = bare[labels[-1].end() :].strip() if labels else ""
    return announced or bare


def _units(text: str) -> Iterator[_Unit]:
    blocks = [block.strip() for block in _BLOCK_END.split(text) if _WORD.search(block)]
    if len(blocks) == 1:
        yield from _lines(blocks[0], _AT_EDGE)
        return
    script = _script(text)
    for index, block in enumerate(blocks):
        if len(block) <= MAX_QUERY_LENGTH:
            other = 0 if _script(block) == script else _OTHER_SCRIPT
            yield _unit(block, _STANDALONE + _position_bonus(blocks, index) + other)
        else:
            yield from _lines(block)


def _position_bonus(blocks: Sequence[str], index: int) -> int:
    """The bonus for a typical place of questions: before a paste, after it, or between two."""
    if index in {0, len(blocks) - 1}:
        return _AT_EDGE
    neighbours = (blocks[index - 1], blocks[index + 1])
    return _BETWEEN if all(len(block) > MAX_QUERY_LENGTH for block in neighbours) else 0


def _script(text: str) -> int:
    """The index of the script that most of a text is written in."""
    counts = [len(script.findall(text)) for script in _SCRIPTS]
    return counts.index(max(counts))


def _lines(block: str, edge: int = 0) -> Iterator[_Unit]:
    """The lines of a long block, with long lines split into sentences."""
    lines = [line.strip() for line in block.split("\n") if _WORD.search(line)]
    for index, line in enumerate(lines):
        if len(line) <= MAX_QUERY_LENGTH:
            yield _unit(line, edge if index in {0, len(lines) - 1} else 0)
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
    """How much a sentence sounds like a personal question."""
    weight = 2 * bool(_QUESTION.search(sentence)) + bool(_ASKING.search(sentence))
    return weight + 3 * bool(PERSONAL.search(sentence)) - 2 * bool(_ORDERING.search(sentence))


def _best_question(units: Sequence[_Unit]) -> str:
    """The most question-like unit, joined with close runners-up if all are at an edge."""
    asking = [unit for unit in units if unit.asks > _MIN_WEIGHT or _is_keyword_query(unit)]
    if not asking:
        return ""
    best_weight = max(unit.weight for unit in asking)
    best = [unit for unit in asking if unit.weight == best_weight][-1]
    kept = [
        unit
        for unit in asking
        if unit is best or (unit.at_edge and best.at_edge and unit.weight >= best_weight - _TIE_MARGIN)
    ]
    together = " ".join(dict.fromkeys(unit.text for unit in kept))
    return together if len(together) <= MAX_QUERY_LENGTH else best.text[:MAX_QUERY_LENGTH].strip()


def _is_keyword_query(unit: _Unit) -> bool:
    """A few words alone at an edge are a query without a question mark."""
    return unit.at_edge and len(unit.text) <= _SHORT and unit.asks >= 0


def _beginning(text: str) -> str:
    """The first whole sentences."""
    ends = [found.start() for found in _SENTENCE_END.finditer(text[:MAX_QUERY_LENGTH])]
    return text[: ends[-1] if ends else MAX_QUERY_LENGTH].strip() or text[:MAX_QUERY_LENGTH]
