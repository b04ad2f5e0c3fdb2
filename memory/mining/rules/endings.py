"""What is over: the fact that no longer holds, from words that say so."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from memory.mining.rules.matching import Found
from memory.mining.types import ExtractedFact

# What held before: "I used to work at …" is a fact of its own, and ends "The user works at …".
_HELD = {"worked_at": ("employer", "works_at"), "lived_in": ("home_city", "lives_in")}
_HOLDS = {"works_at": "The user works at {object}.", "lives_in": "The user lives in {object}."}
_LASTED = {"works_at": "The user worked at {object}.", "lives_in": "The user lived in {object}."}


def standing(found: Sequence[Found]) -> list[Found]:
    """What one turn says, without what holds no longer by its own words ("Our cat Miso died")."""
    over = {_named(claimed(item)) for item in found if item.ended and not item.lasted}
    return [item for item in found if item.ended or _named(item.fact) not in over]


def facts(found: Found) -> Iterator[ExtractedFact]:
    """Everything that one finding says, what has ended last."""
    if found.ended and found.fact.predicate in _HELD:
        yield found.fact
    yield claimed(found)


def claimed(found: Found) -> ExtractedFact:
    """The fact as it holds, as it held for a while, or marked as ended."""
    if not found.ended:
        return found.fact
    held = _held(found)
    if found.lasted:
        return replace(held, valid_from=found.lasted.start, valid_to=found.lasted.end)
    return replace(held, ended=True, valid_to=found.ended_at)


def _named(fact: ExtractedFact) -> tuple[str, str]:
    return fact.predicate, fact.object.casefold()


def _held(found: Found) -> ExtractedFact:
    fact = found.fact
    if fact.predicate not in _HELD:
        return fact
    key, predicate = _HELD[fact.predicate]
    statement = (_LASTED if found.lasted else _HOLDS)[predicate]
    return replace(
        fact,
        kind="identity",
        key=key,
        value=fact.object,
        predicate=predicate,
        statement=statement.format(object=fact.object),
        event_time=None,
        single_valued=True,
    )
