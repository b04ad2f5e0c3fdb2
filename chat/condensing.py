"""What a long stretch of a chat comes to, in few words and without a model: whole sentences that
were said, sorted by what they are for."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

LONGEST_SENTENCE = 240
FROM_A_TURN = 3
FROM_A_REPLY = 1
FIRST_KEPT = 3
MOST = {"asked": 24, "told": 32, "answered": 24}

_END = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？؟])|\n+")
_CODE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_MARKS = re.compile(r"^(?:[#>*+-]+|\d+[.)])\s+|\*\*|__|`")
_SAYS_SOMETHING = re.compile(r"\w{2}|[^\W\d_]")
_ASKS = ("?", "？", "؟", ";")


@dataclass(frozen=True, slots=True)
class Turn:
    """Something said in a chat, by the person or by an assistant."""

    by_person: bool
    words: str


def condensed(before: Mapping[str, Sequence[str]], turns: Iterable[Turn]) -> dict[str, list[str]]:
    """What was `asked` and `told` by the person and `answered`, oldest first: that of `before` and
    that of the turns after it. Of each the first and the newest sentences are kept."""
    state = {name: list(before.get(name, ())) for name in MOST}
    for turn in turns:
        for name, sentence in _sorted(turn):
            if sentence not in state[name]:
                state[name].append(sentence)
    return {name: _bounded(sentences, MOST[name]) for name, sentences in state.items()}


def _sorted(turn: Turn) -> Iterator[tuple[str, str]]:
    sentences = list(_sentences(turn.words))
    if not turn.by_person:
        yield from (("answered", each) for each in sentences[:FROM_A_REPLY])
        return
    asked = [each for each in sentences if each.endswith(_ASKS)]
    told = [each for each in sentences if not each.endswith(_ASKS)]
    yield from (("asked", each) for each in asked[-FROM_A_TURN:])
    yield from (("told", each) for each in told[:FROM_A_TURN])


def _sentences(words: str) -> Iterator[str]:
    for piece in _END.split(_CODE.sub("\n", words)):
        sentence = " ".join(_MARKS.sub("", piece.strip()).split())
        if _SAYS_SOMETHING.search(sentence):
            yield _cut(sentence)


def _cut(sentence: str) -> str:
    if len(sentence) <= LONGEST_SENTENCE:
        return sentence
    return sentence[: LONGEST_SENTENCE - 2].rstrip() + " …"


def _bounded(sentences: list[str], most: int) -> list[str]:
    if len(sentences) <= most:
        return sentences
    return sentences[:FIRST_KEPT] + sentences[FIRST_KEPT - most :]
