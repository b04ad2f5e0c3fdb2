"""Budget: choose the hits that fit, and cut long ones so that the block keeps to its tokens."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from uuid import UUID

from django.utils.translation import gettext_noop

from memory.recall.block import tokens_left, tokens_of_hit
from memory.recall.passages import cut_to
from memory.recall.types import Chosen, Cut, Hit, Query, RecallSettings

MIN_LENGTH, SMALLEST = 136, 66
"""A long hit keeps at least so many tokens, with its address: more hits in smaller pieces hold fewer answers.
The best one may keep fewer in a small budget."""
OF_SEVERAL, OF_ASSISTANT = 96, 76
"""The same when several passages answer together, and for words of an assistant that nobody asked about."""
WANTED = ("pointer", "pinned")
LATER = 10
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
    spared: int = 0,
) -> Chosen:
    """As many hits as the kind of question needs and as render within the token budget, in order.

    A hit that needs more than its share of the budget is cut to the sentences that share most with the words
    of the question. Neighbours fill what is left, minus `spared` tokens.
    """
    left, zone = tokens_left(settings), settings.zone

    @cache
    def need(place: int) -> int:
        return tokens_of_hit(hits[place], zone)

    def least(place: int) -> int:
        return _least(hits[place], query)

    def fitted(place: int, share: int) -> tuple[Hit, int]:
        if need(place) <= share:
            return hits[place], need(place)
        hit = cut_to(hits[place], share, query.words, zone)
        return hit, tokens_of_hit(hit, zone)

    room = _Room(left, settings.most_for(query), hits, need)
    places, cut = room.admitted(range(len(hits)), need)
    if any(each.stage == "budget" for each in cut):
        places, cut = room.admitted(_turns(hits, query), least)
    needs = [fitted(*each) for each in zip(places, _shares(list(map(need, places)), left), strict=True)]
    chosen = [hit for hit, _ in needs]
    left -= sum(tokens for _, tokens in needs)
    return Chosen((*chosen, *_beside(chosen, left - spared, settings, neighbours)), tuple(cut))


@dataclass(frozen=True, slots=True)
class _Room:
    """Room for so many tokens and for at most so many of the hits, each with what it needs as a whole."""

    tokens: int
    most: int
    hits: Sequence[Hit]
    need: Callable[[int], int]

    def admitted(self, turns: Iterable[int], least: Callable[[int], int]) -> tuple[list[int], list[Cut]]:
        """The places of the hits that fit, at least when cut to `least`, and the others. They get room by
        `turns`, which holds their places, and keep their order."""
        taken: list[int] = []
        cut: list[Cut] = []
        left = self.tokens
        for place in turns:
            if len(taken) >= self.most:
                cut.append(Cut(self.hits[place].drawer_id, TOO_MANY, "top_k"))
            elif left <= 0 or min(self.need(place), least(place) if taken else SMALLEST) > left:
                cut.append(Cut(self.hits[place].drawer_id, TOO_LONG, "budget"))
            else:
                taken.append(place)
                left -= min(self.need(place), least(place))
        return sorted(taken), cut


def _turns(hits: Sequence[Hit], query: Query) -> list[int]:
    """The places of the hits in the order in which they get room when not all of them fit."""
    return sorted(
        range(len(hits)), key=lambda place: place + LATER * (place > 0 and _is_aside(hits[place], query))
    )


def _least(hit: Hit, query: Query) -> int:
    if _is_aside(hit, query):
        return OF_ASSISTANT
    return OF_SEVERAL if query.several else MIN_LENGTH


def _is_aside(hit: Hit, query: Query) -> bool:
    """Whether these are words of an assistant that nobody asked about."""
    return hit.role == "assistant" and not query.about_assistant and hit.scores.keys().isdisjoint(WANTED)


def _shares(needs: Sequence[int], tokens: int) -> list[int]:
    """What each gets: all it needs, or an equal share of what those who need less leave."""
    shares = [0] * len(needs)
    smallest_first = sorted(range(len(needs)), key=lambda place: needs[place])
    for done, place in enumerate(smallest_first):
        shares[place] = min(needs[place], tokens // (len(needs) - done))
        tokens -= shares[place]
    return shares


def _beside(chosen: list[Hit], left: int, settings: RecallSettings, neighbours: Neighbours) -> list[Hit]:
    """The neighbours of the hits that fit into what is left, up to top-K in all."""
    if not chosen or len(chosen) >= settings.top_k:
        return []
    found: list[Hit] = []
    known = {hit.drawer_id for hit in chosen}
    beside = neighbours(chosen)
    for neighbour in (each for hit in chosen for each in beside.get(hit.drawer_id, ())):
        room = len(chosen) + len(found) < settings.top_k
        need = tokens_of_hit(neighbour, settings.zone)
        if room and neighbour.drawer_id not in known and need <= left:
            found.append(neighbour)
            known.add(neighbour.drawer_id)
            left -= need
    return found
