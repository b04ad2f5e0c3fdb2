"""Compares what was found in a sentence with what a reader finds in it."""

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bench.extraction.reading import Reading
from bench.extraction.sentences import GoldFact, Sentence
from memory.mining.screening import screen
from memory.mining.types import ExtractedFact

Match = tuple[GoldFact, ExtractedFact]


@dataclass(frozen=True, slots=True)
class Judged:
    """The verdict on one sentence. `hits` and `missed` are of required facts only; `wrong` are
    found facts no reader finds; `reviewed` wait for their owner and count neither way, like ends
    of facts that the reader does not ask for."""

    sentence: Sentence
    hits: tuple[Match, ...]
    missed: tuple[GoldFact, ...]
    wrong: tuple[ExtractedFact, ...]
    reviewed: tuple[ExtractedFact, ...]


def judge(reading: Reading) -> Judged:
    """Pair each fact of the reader with at most one that was found, required ones first."""
    reviewed = tuple(fact for fact in reading.facts if screen(fact).review)
    left = [fact for fact in reading.facts if fact not in reviewed]
    gold = sorted(reading.sentence.facts, key=lambda fact: fact.optional)
    matches = _pair(gold, left, _core) + _pair(gold, left, _everything)
    return Judged(
        sentence=reading.sentence,
        hits=tuple(match for match in matches if not match[0].optional),
        missed=tuple(fact for fact in gold if not fact.optional),
        wrong=tuple(fact for fact in left if not fact.ended),
        reviewed=reviewed,
    )


def _pair(
    gold: list[GoldFact], left: list[ExtractedFact], words: Callable[[ExtractedFact], str]
) -> tuple[Match, ...]:
    """Matches by these words of a fact; both sides of a match are taken out of their lists."""
    matches: list[Match] = []
    for wanted in tuple(gold):
        found = next((fact for fact in left if _same(wanted, fact, words(fact))), None)
        if found is not None:
            matches.append((wanted, found))
            gold.remove(wanted)
            left.remove(found)
    return tuple(matches)


def _same(wanted: GoldFact, found: ExtractedFact, words: str) -> bool:
    if found.kind not in wanted.kinds:
        return False
    turned = bool(wanted.opposite) and found.predicate == wanted.opposite
    if found.ended != turned:
        return False
    return any(_holds(words, option) for option in wanted.objects)


def _holds(words: str, option: str) -> bool:
    """Parts of words will do: many languages bend them, and some have no spaces."""
    text = _plain([words])
    return all(part in text for part in _plain([option]).split())


def _core(fact: ExtractedFact) -> str:
    return _plain([fact.value, fact.object])


def _everything(fact: ExtractedFact) -> str:
    return _plain([fact.value, fact.object, fact.statement])


def _plain(texts: Sequence[str]) -> str:
    return unicodedata.normalize("NFKC", " ".join(texts)).casefold()
