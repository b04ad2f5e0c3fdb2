"""Budget: choose the hits that fit, whole drawers first."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from uuid import UUID

from django.utils.translation import gettext_noop

from llm.tokens import estimate_tokens, truncate_tokens
from memory.recall.types import Chosen, Cut, Hit, RecallSettings

LEAST_EXCERPT_TOKENS = 40

TOO_MANY = gettext_noop("There were already enough better matches.")
TOO_LONG = gettext_noop("It did not fit into the token budget.")

Neighbours = Callable[[Sequence[Hit]], Mapping[UUID, Sequence[Hit]]]
"""Returns the neighbours of hits, by the id of the hit's drawer."""


def choose(hits: Iterable[Hit], settings: RecallSettings, neighbours: Neighbours, spared: int = 0) -> Chosen:
    """At most top-K hits within the token budget, in order.

    A drawer that is too long is skipped, except the first, which is cut to its matching passage. Neighbours
    fill what is left, minus `spared` tokens.
    """
    chosen: list[Hit] = []
    cut: list[Cut] = []
    left = settings.token_budget
    for hit in hits:
        if len(chosen) >= settings.top_k:
            cut.append(Cut(hit.drawer_id, TOO_MANY, "top_k"))
            continue
        fitting = _fitting(hit, left, first=not chosen)
        if fitting is None:
            cut.append(Cut(hit.drawer_id, TOO_LONG, "budget"))
            continue
        chosen.append(fitting)
        left -= fitting.tokens
    return Chosen((*chosen, *_beside(chosen, left - spared, settings, neighbours)), tuple(cut))


def _fitting(hit: Hit, left: int, *, first: bool) -> Hit | None:
    if hit.tokens <= left:
        return hit
    return _excerpt(hit, left) if first and left >= LEAST_EXCERPT_TOKENS else None


def _excerpt(hit: Hit, tokens: int) -> Hit:
    start, end = hit.span
    passage = hit.text[start:end] if end > start else hit.text
    text = truncate_tokens(passage, tokens)
    return replace(hit, text=text, excerpt=True, tokens=estimate_tokens(text))


def _beside(chosen: list[Hit], left: int, settings: RecallSettings, neighbours: Neighbours) -> list[Hit]:
    if not chosen or len(chosen) >= settings.top_k:
        return []
    found: list[Hit] = []
    known = {hit.drawer_id for hit in chosen}
    beside = neighbours(chosen)
    for neighbour in (each for hit in chosen for each in beside.get(hit.drawer_id, ())):
        room = len(chosen) + len(found) < settings.top_k
        if room and neighbour.drawer_id not in known and neighbour.tokens <= left:
            found.append(neighbour)
            known.add(neighbour.drawer_id)
            left -= neighbour.tokens
    return found
