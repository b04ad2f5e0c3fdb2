"""Turn labelled messages into training targets of the reader. T tokens, S sentences."""

import hashlib
import json
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from llm.multilingual.base import BEGIN, END
from llm.multilingual.tokens import Pieces, Span
from memory.mining.reader.decoding import whole_words
from memory.mining.reader.predicates import KINDS, NAMES, PREDICATES
from memory.text.sentences import sentence_numbers, sentences

MAX_LENGTH = 256
OPTIONAL_WEIGHT = 0.4
BY_KIND = {kind: tuple(i for i, name in enumerate(NAMES) if PREDICATES[name].kind == kind) for kind in KINDS}
Line = dict[str, Any]


@dataclass(slots=True)
class Example:
    """`tags` (T): 0 outside a value, 1 begins one, 2 inside one. `allowed` holds, for each token of a value,
    the predicates a reader would accept, and `ended` whether it is over. `sentence` (T) numbers
    the sentences; `kinds` (S) holds the kinds of facts in each and `unsure` those that count neither way."""

    line: Line
    ids: list[int]
    spans: list[Span]
    sentence: list[int]
    tags: list[int]
    weights: list[float]
    allowed: dict[int, tuple[int, ...]] = field(default_factory=dict)
    ended: dict[int, float] = field(default_factory=dict)
    kinds: list[set[int]] = field(default_factory=list)
    unsure: list[set[int]] = field(default_factory=list)
    lower: Any = None


def read_lines(paths: Iterable[Path]) -> list[Line]:
    """Labelled user messages, each with an id."""
    lines = []
    for path in paths:
        for number, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            line = json.loads(text)
            if line.get("role", "user") == "user":
                lines.append({"id": f"{path.stem}-{number}", "language": path.stem} | line)
    return lines


def is_validation(line: Line) -> bool:
    """A tenth of the fully trusted messages, the same in every run; conversations stay together."""
    sample: str = line.get("conversation") or line["text"]
    return line.get("weight", 1.0) == 1.0 and hashlib.sha256(sample.encode()).digest()[0] % 10 == 0


def example(line: Line, pieces: Pieces) -> Example:
    """The targets of one message, truncated to `MAX_LENGTH` tokens."""
    text = line["text"]
    ids, spans = pieces.cut(text)
    ids, spans = [BEGIN, *ids[: MAX_LENGTH - 2], END], [(0, 0), *spans[: MAX_LENGTH - 2], (0, 0)]
    ranges = sentences(text)
    count = len(ranges)
    made = Example(line, ids, spans, sentence_numbers(spans, ranges), [0] * len(ids), [1.0] * len(ids))
    made.weights = [line.get("weight", 1.0)] * len(ids)
    made.kinds, made.unsure = [set() for _ in range(count)], [set() for _ in range(count)]
    for fact in sorted(line["facts"], key=lambda fact: fact.get("optional", False)):
        _mark(made, fact)
    return made


def _mark(made: Example, fact: Line) -> None:
    place = anchor(made.line["text"], fact["object"])
    if place is None:
        return
    allowed, optional = accepted(fact), fact.get("optional", False)
    tag = 1
    for at, (start, end) in enumerate(made.spans):
        if start < end and start < place[1] and end > place[0] and not made.tags[at]:
            made.tags[at], tag = tag, 2
            made.weights[at] *= OPTIONAL_WEIGHT if optional else 1.0
            made.allowed[at] = allowed
            made.ended[at] = float(fact.get("ended", False))
            kinds = [KINDS.index(PREDICATES[NAMES[i]].kind) for i in allowed]
            target = made.unsure if optional or len(set(kinds)) > 1 else made.kinds
            target[made.sentence[at]].update(kinds)
            if not optional:
                made.kinds[made.sentence[at]].add(kinds[0])


def accepted(fact: Line) -> tuple[int, ...]:
    """The predicates a reader would accept, most likely first."""
    if "predicate" in fact:
        names = (fact["predicate"], *fact.get("also", ()))
        found = [NAMES.index(name) for name in names if name in PREDICATES]
        others = [i for kind in fact.get("accept_kinds", ()) for i in BY_KIND.get(kind, ())]
        return tuple(dict.fromkeys(found + others))
    return tuple(i for kind in (fact["kind"], *fact.get("accept_kinds", ())) for i in BY_KIND.get(kind, ()))


def anchor(text: str, value: str | list[str]) -> Span | None:
    """The range of a value in the text, or of a stretch of at most 90 characters that contains its words."""
    folded = [unicodedata.normalize("NFKC", character).casefold() for character in text]
    plain, origins = "".join(folded), [i for i, part in enumerate(folded) for _ in part]
    for option in [value] if isinstance(value, str) else value:
        words = unicodedata.normalize("NFKC", option).casefold().split()
        for wanted in ([" ".join(words)], words):
            starts = [plain.find(word) for word in wanted]
            ends = [start + len(word) for start, word in zip(starts, wanted, strict=True)]
            if words and min(starts) >= 0 and max(ends) - min(starts) <= 90:
                return whole_words(text, (origins[min(starts)], origins[max(ends) - 1] + 1))
    return None
