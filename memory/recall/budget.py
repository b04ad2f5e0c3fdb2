"""Budget: choose the hits that fit, and cut long ones so that the block keeps to its tokens.

Long hits are cut to the sentences that matter to the question, with an ellipsis for what is left out.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo
from functools import cache
from math import log
from uuid import UUID

from django.utils.translation import gettext_noop

from llm.tokens import estimate_tokens, truncate_tokens
from memory.recall.block import tokens_left, tokens_of_hit, tokens_of_text
from memory.recall.types import Chosen, Cut, Hit, Query, RecallSettings
from memory.text.matching import lexemes, lexemes_of_terms
from memory.text.sentences import Range, sentences

MIN_LENGTH, MIN_BEST_LENGTH = 136, 66
"""The fewest tokens, with its address, that a long hit keeps: more but shorter hits contain fewer answers.
The best one may keep fewer in a small budget."""
MIN_LENGTH_OF_SEVERAL, MIN_LENGTH_OF_ASSISTANT = 96, 76
"""The same if several passages answer together, and for an assistant's words that nobody asked about."""
REQUESTED = ("pointer", "pinned")
DEMOTION = 10
"""How many places an assistant's words move down if nobody asked about them, unless they are the best match
or all hits fit uncut: they are long, and rarely answer a question about the user."""

MAX_TOKEN_LENGTH = 20
"""More characters than any usual token has."""

OMITTED = "…"
NEAREST = 3.0
"""The score for being in the passage nearest in meaning; a word that every sentence has scores 0.7."""
NEIGHBOUR_SHARE = 0.7
"""The share of its score that a sentence lends to its neighbours, which help to understand it."""

MAX_SENTENCES = 200
"""How many sentences of a hit are tried, best first."""

TOO_MANY = gettext_noop("There were already enough better matches.")
TOO_LONG = gettext_noop("It did not fit into the token budget.")


Neighbours = Callable[[Sequence[Hit]], Mapping[UUID, Sequence[Hit]]]
"""Returns the neighbours of hits, by the id of the hit's drawer."""


def choose(
    hits: Sequence[Hit],
    settings: RecallSettings,
    neighbours: Neighbours,
    query: Query,
    reserved: int = 0,
) -> Chosen:
    """The best hits, in order: as many as the kind of question needs and the token budget holds.

    A hit that needs more than its share of the budget is cut to the sentences that share most with the words
    of the question. Neighbours fill what is left, except for `reserved` tokens.
    """
    left, zone = tokens_left(settings), settings.zone
    budget = left

    @cache
    def cost(index: int) -> int:
        """The tokens of a hit; of one that exceeds the budget anyway, only those of its beginning."""
        hit = hits[index]
        beginning = hit.text[: MAX_TOKEN_LENGTH * budget]
        tokens = tokens_of_hit(replace(hit, text=beginning), zone)
        return tokens if tokens > budget or beginning == hit.text else tokens_of_hit(hit, zone)

    def min_tokens(index: int) -> int:
        return _min_tokens(hits[index], query)

    def fit(index: int, share: int) -> tuple[Hit, int]:
        if cost(index) <= share:
            return hits[index], cost(index)
        hit = cut_to(hits[index], share, query.words, zone)
        return hit, tokens_of_hit(hit, zone)

    allowance = _Allowance(left, settings.limit_for(query), hits, cost)
    indexes, cut = allowance.admit(range(len(hits)), cost)
    if any(each.stage == "budget" for each in cut):
        indexes, cut = allowance.admit(_priority_order(hits, query), min_tokens)
    fitted = [fit(*each) for each in zip(indexes, _shares(list(map(cost, indexes)), left), strict=True)]
    chosen = [hit for hit, _ in fitted]
    left -= sum(tokens for _, tokens in fitted)
    return Chosen((*chosen, *_fitting_neighbours(chosen, left - reserved, settings, neighbours)), tuple(cut))


@dataclass(frozen=True, slots=True)
class _Allowance:
    """The tokens available, the maximum number of hits, the hits, and what each costs uncut."""

    tokens: int
    limit: int
    hits: Sequence[Hit]
    cost: Callable[[int], int]

    def admit(self, order: Iterable[int], min_tokens: Callable[[int], int]) -> tuple[list[int], list[Cut]]:
        """The indexes of the hits that fit, if need be cut to `min_tokens`, in their order, and the others.
        Room is given out in the `order` of these indexes."""
        kept: list[int] = []
        cut: list[Cut] = []
        left = self.tokens
        for index in order:
            if len(kept) >= self.limit:
                cut.append(Cut(self.hits[index].drawer_id, TOO_MANY, "top_k"))
            elif left <= 0 or min(self.cost(index), min_tokens(index) if kept else MIN_BEST_LENGTH) > left:
                cut.append(Cut(self.hits[index].drawer_id, TOO_LONG, "budget"))
            else:
                kept.append(index)
                left -= min(self.cost(index), min_tokens(index))
        return sorted(kept), cut


def _priority_order(hits: Sequence[Hit], query: Query) -> list[int]:
    """The indexes of the hits in the order in which they get room if not all of them fit."""
    return sorted(
        range(len(hits)),
        key=lambda index: index + DEMOTION * (index > 0 and _is_unrequested_assistant(hits[index], query)),
    )


def _min_tokens(hit: Hit, query: Query) -> int:
    if _is_unrequested_assistant(hit, query):
        return MIN_LENGTH_OF_ASSISTANT
    return MIN_LENGTH_OF_SEVERAL if query.several else MIN_LENGTH


def _is_unrequested_assistant(hit: Hit, query: Query) -> bool:
    """Whether a hit was said by an assistant and nobody asked about it."""
    return hit.role == "assistant" and not query.about_assistant and hit.scores.keys().isdisjoint(REQUESTED)


def _shares(costs: Sequence[int], tokens: int) -> list[int]:
    """What each hit gets: its whole cost, or an equal share of what cheaper hits leave."""
    shares = [0] * len(costs)
    smallest_first = sorted(range(len(costs)), key=lambda index: costs[index])
    for done, index in enumerate(smallest_first):
        shares[index] = min(costs[index], tokens // (len(costs) - done))
        tokens -= shares[index]
    return shares


def _fitting_neighbours(
    chosen: list[Hit], left: int, settings: RecallSettings, neighbours: Neighbours
) -> list[Hit]:
    """The neighbours of the hits that fit into `left` tokens, up to top-K hits in total."""
    if not chosen or len(chosen) >= settings.top_k:
        return []
    found: list[Hit] = []
    included = {hit.drawer_id for hit in chosen}
    nearby = neighbours(chosen)
    for neighbour in (each for hit in chosen for each in nearby.get(hit.drawer_id, ())):
        has_room = len(chosen) + len(found) < settings.top_k
        cost = tokens_of_hit(neighbour, settings.zone)
        if has_room and neighbour.drawer_id not in included and cost <= left:
            found.append(neighbour)
            included.add(neighbour.drawer_id)
            left -= cost
    return found


def cut_to(hit: Hit, tokens: int, words: Iterable[str], zone: tzinfo) -> Hit:
    """The hit cut to the sentences that share most with the question's `words` or are nearest to it,
    verbatim and in order, so that it renders to at most `tokens`."""
    left = tokens - tokens_of_hit(replace(hit, text="x", excerpt=True), zone)
    ranges = list(sentences(hit.text))
    scores = _scores(hit, ranges, lexemes_of_terms(words))
    kept: list[int] = []
    best_first = sorted(range(len(ranges)), key=lambda index: (-scores[index], index))
    for index in best_first[:MAX_SENTENCES]:
        cost = 1 + tokens_of_text(hit.text[slice(*ranges[index])])
        if cost <= left:
            kept.append(index)
            left -= cost
        elif not kept:
            start, end = ranges[index]
            return _excerpt(hit, [(start, start + len(_beginning(hit.text[start:end], left)))])
    return _excerpt(hit, [ranges[index] for index in sorted(kept)])


def _scores(hit: Hit, ranges: Sequence[Range], stems: frozenset[str]) -> list[float]:
    """The score of each sentence: the rarity of the question's words in it, plus its nearness in meaning; or
    a share of the score of a neighbouring sentence if that is more."""
    found = [stems & lexemes(hit.text[start:end]) for start, end in ranges]
    frequency = Counter(word for words in found for word in words)
    rarity = {word: log(1 + len(ranges) / count) for word, count in frequency.items()}
    own = [
        sum(rarity[word] for word in words) + NEAREST * (start < hit.span[1] and hit.span[0] < end)
        for words, (start, end) in zip(found, ranges, strict=True)
    ]
    neighbours = zip([0.0, *own], [*own[1:], 0.0], strict=False)
    return [
        max(each, NEIGHBOUR_SHARE * max(adjacent)) for each, adjacent in zip(own, neighbours, strict=True)
    ]


def _beginning(text: str, tokens: int) -> str:
    """A beginning of a text that renders to at most `tokens`, even though escapes take more."""
    short = truncate_tokens(text, tokens)
    while short and tokens_of_text(short) > tokens:
        short = short[: len(short) * 3 // 4]
    return short


def _excerpt(hit: Hit, ranges: Iterable[Range]) -> Hit:
    """The hit with these ranges of its text; adjacent ones are joined."""
    text, last = "", 0
    for start, end in ranges:
        gap = f" {OMITTED} " if text and start > last else ""
        text = f"{text.rstrip() if gap else text}{gap}{hit.text[start:end]}"
        last = end
    text = text.strip()
    return replace(hit, text=text, excerpt=True, tokens=estimate_tokens(text), span=(0, 0))
