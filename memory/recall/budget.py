"""Budget: choose the hits that fit, and cut long ones so that the block keeps to its tokens."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from uuid import UUID

from django.utils.translation import gettext_noop

from memory.recall.block import tokens_left, tokens_of_hit
from memory.recall.passages import cut_to
from memory.recall.types import Chosen, Cut, Hit, RecallSettings

MIN_LENGTH, SMALLEST = 160, 90
"""A long hit keeps at least so many tokens, with its address: more hits in smaller pieces hold fewer answers.
The best one may keep fewer in a small budget."""

TOO_MANY = gettext_noop("There were already enough better matches.")
TOO_LONG = gettext_noop("It did not fit into the token budget.")

Neighbours = Callable[[Sequence[Hit]], Mapping[UUID, Sequence[Hit]]]
"""Returns the neighbours of hits, by the id of the hit's drawer."""


def choose(
    hits: Iterable[Hit],
    settings: RecallSettings,
    neighbours: Neighbours,
    words: Sequence[str] = (),
    spared: int = 0,
) -> Chosen:
    """At most top-K hits that render within the token budget, in order.

    A hit that needs more than its share of the budget is cut to the sentences that share most with `words`,
    those of the question. Neighbours fill what is left, minus `spared` tokens.
    """
    left = tokens_left(settings)
    needs, cut = _admitted(hits, settings, left)
    chosen = [
        hit if need <= share else cut_to(hit, share, words, settings.zone)
        for (hit, need), share in zip(needs, _shares([need for _, need in needs], left), strict=True)
    ]
    left -= sum(tokens_of_hit(hit, settings.zone) for hit in chosen)
    return Chosen((*chosen, *_beside(chosen, left - spared, settings, neighbours)), tuple(cut))


def _admitted(
    hits: Iterable[Hit], settings: RecallSettings, left: int
) -> tuple[list[tuple[Hit, int]], list[Cut]]:
    """The hits that fit, at least when cut, each with the tokens it needs as a whole, and the others."""
    taken: list[tuple[Hit, int]] = []
    cut: list[Cut] = []
    for hit in hits:
        if len(taken) >= settings.top_k:
            cut.append(Cut(hit.drawer_id, TOO_MANY, "top_k"))
            continue
        need = tokens_of_hit(hit, settings.zone) if left > 0 else MIN_LENGTH
        if min(need, MIN_LENGTH if taken else SMALLEST) > left:
            cut.append(Cut(hit.drawer_id, TOO_LONG, "budget"))
            continue
        taken.append((hit, need))
        left -= min(need, MIN_LENGTH)
    return taken, cut


def _shares(needs: Sequence[int], tokens: int) -> list[int]:
    """What each gets: all it needs, or an equal share of what those who need less leave."""
    shares = [0] * len(needs)
    smallest_first = sorted(range(len(needs)), key=lambda place: needs[place])
    for done, place in enumerate(smallest_first):
        shares[place] = min(needs[place], tokens // (len(needs) - done))
        tokens -= shares[place]
    return shares


def _beside(chosen: list[Hit], left: int, settings: RecallSettings, neighbours: Neighbours) -> list[Hit]:
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
