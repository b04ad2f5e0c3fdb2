"""Budget: choose the hits that fit, and cut long ones so that the block keeps to its tokens."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from uuid import UUID

from django.utils.translation import gettext_noop

from memory.recall.block import tokens_left, tokens_of_hit
from memory.recall.passages import cut_to
from memory.recall.types import Chosen, Cut, Hit, Query, RecallSettings

MIN_LENGTH, MIN_BEST_LENGTH = 136, 66
"""A long hit keeps at least so many tokens, with its address: more hits in smaller pieces hold fewer answers.
The best one may keep fewer in a small budget."""
MIN_LENGTH_OF_SEVERAL, MIN_LENGTH_OF_ASSISTANT = 96, 76
"""The same when several passages answer together, and for words of an assistant that nobody asked about."""
REQUESTED = ("pointer", "pinned")
DEMOTION = 10
"""How many places an assistant's words move down if nobody asked about them, unless they are the best match
or all hits fit uncut: they are long, and seldom what a question about the user looks for."""

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
    """As many hits as the kind of question needs and as render within the token budget, in order.

    A hit that needs more than its share of the budget is cut to the sentences that share most with the words
    of the question. Neighbours fill what is left, minus `spared` tokens.
    """
    left, zone = tokens_left(settings), settings.zone

    @cache
    def need(index: int) -> int:
        return tokens_of_hit(hits[index], zone)

    def min_tokens(index: int) -> int:
        return _min_tokens(hits[index], query)

    def fit(index: int, share: int) -> tuple[Hit, int]:
        if need(index) <= share:
            return hits[index], need(index)
        hit = cut_to(hits[index], share, query.words, zone)
        return hit, tokens_of_hit(hit, zone)

    allowance = _Allowance(left, settings.limit_for(query), hits, need)
    indexes, cut = allowance.admit(range(len(hits)), need)
    if any(each.stage == "budget" for each in cut):
        indexes, cut = allowance.admit(_priority_order(hits, query), min_tokens)
    needs = [fit(*each) for each in zip(indexes, _shares(list(map(need, indexes)), left), strict=True)]
    chosen = [hit for hit, _ in needs]
    left -= sum(tokens for _, tokens in needs)
    return Chosen((*chosen, *_fitting_neighbours(chosen, left - reserved, settings, neighbours)), tuple(cut))


@dataclass(frozen=True, slots=True)
class _Allowance:
    """Room for so many tokens and for at most so many of the hits, each with what it needs as a whole."""

    tokens: int
    limit: int
    hits: Sequence[Hit]
    need: Callable[[int], int]

    def admit(self, order: Iterable[int], min_tokens: Callable[[int], int]) -> tuple[list[int], list[Cut]]:
        """The places of the hits that fit, at least when cut to `least`, and the others. They get room by
        `turns`, which holds their places, and keep their order."""
        kept: list[int] = []
        cut: list[Cut] = []
        left = self.tokens
        for index in order:
            if len(kept) >= self.limit:
                cut.append(Cut(self.hits[index].drawer_id, TOO_MANY, "top_k"))
            elif left <= 0 or min(self.need(index), min_tokens(index) if kept else MIN_BEST_LENGTH) > left:
                cut.append(Cut(self.hits[index].drawer_id, TOO_LONG, "budget"))
            else:
                kept.append(index)
                left -= min(self.need(index), min_tokens(index))
        return sorted(kept), cut


def _priority_order(hits: Sequence[Hit], query: Query) -> list[int]:
    """The places of the hits in the order in which they get room when not all of them fit."""
    return sorted(
        range(len(hits)),
        key=lambda index: index + DEMOTION * (index > 0 and _is_unrequested_assistant(hits[index], query)),
    )


def _min_tokens(hit: Hit, query: Query) -> int:
    if _is_unrequested_assistant(hit, query):
        return MIN_LENGTH_OF_ASSISTANT
    return MIN_LENGTH_OF_SEVERAL if query.several else MIN_LENGTH


def _is_unrequested_assistant(hit: Hit, query: Query) -> bool:
    """Whether these are words of an assistant that nobody asked about."""
    return hit.role == "assistant" and not query.about_assistant and hit.scores.keys().isdisjoint(REQUESTED)


def _shares(needs: Sequence[int], tokens: int) -> list[int]:
    """What each gets: all it needs, or an equal share of what those who need less leave."""
    shares = [0] * len(needs)
    smallest_first = sorted(range(len(needs)), key=lambda index: needs[index])
    for done, index in enumerate(smallest_first):
        shares[index] = min(needs[index], tokens // (len(needs) - done))
        tokens -= shares[index]
    return shares


def _fitting_neighbours(
    chosen: list[Hit], left: int, settings: RecallSettings, neighbours: Neighbours
) -> list[Hit]:
    """The neighbours of the hits that fit into what is left, up to top-K in all."""
    if not chosen or len(chosen) >= settings.top_k:
        return []
    found: list[Hit] = []
    included = {hit.drawer_id for hit in chosen}
    nearby = neighbours(chosen)
    for neighbour in (each for hit in chosen for each in nearby.get(hit.drawer_id, ())):
        has_room = len(chosen) + len(found) < settings.top_k
        need = tokens_of_hit(neighbour, settings.zone)
        if has_room and neighbour.drawer_id not in included and need <= left:
            found.append(neighbour)
            included.add(neighbour.drawer_id)
            left -= need
    return found
