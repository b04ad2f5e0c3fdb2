"""What follows from what was said: whoever is married is no longer engaged, and what lasted from
one year to another says nothing of today."""

from dataclasses import replace
from datetime import timedelta

from memory.mining.rules.vocabulary import slug
from memory.mining.types import ExtractedFact, ExtractedRelation, Extraction

# What takes the place of what, of the same object: predicate, key, statement. What somebody likes
# and dislikes often has one key, so the end of the one is told under a key of its own.
_REPLACED = {
    "married_to": ("engaged_to", "fiance", "{object} is the user's fiancé."),
    "likes": ("dislikes", "dislikes_{slug}", "The user dislikes {object}."),
    "dislikes": ("likes", "likes_{slug}", "The user likes {object}."),
}


def with_consequences(extraction: Extraction) -> Extraction:
    """The same extraction with past facts told as such, and with what its facts and relations
    bring to an end added behind them."""
    told = tuple(_in_its_time(fact) for fact in extraction.facts)
    facts = tuple(_over(fact) for fact in extraction.facts if _replaces(fact.predicate, fact))
    relations = tuple(
        _edge_over(edge) for edge in extraction.relations if _replaces(edge.relation, edge)
    )
    return replace(
        extraction,
        facts=told + facts,
        relations=extraction.relations + relations,
    )


def _in_its_time(fact: ExtractedFact) -> ExtractedFact:
    """A fact whose end is known, dated, so that it is not taken for the one that holds now. Where
    only the end is known, the fact is that it is over."""
    if fact.ended or fact.valid_to is None:
        return fact
    if fact.valid_from is None:
        return replace(fact, ended=True)
    last = fact.valid_to - timedelta(microseconds=1)
    lasted = f"from {fact.valid_from:%Y-%m-%d} to {max(last, fact.valid_from):%Y-%m-%d}"
    return replace(
        fact,
        statement=f"{fact.statement.rstrip('.')} ({lasted}).",
        single_valued=False,
        event_time=fact.event_time or fact.valid_from,
    )


def _replaces(predicate: str, item: ExtractedFact | ExtractedRelation) -> bool:
    return predicate in _REPLACED and not item.ended and item.valid_to is None


def _over(fact: ExtractedFact) -> ExtractedFact:
    predicate, key, statement = _REPLACED[fact.predicate]
    return replace(
        fact,
        key=key.format(slug=slug(fact.object)),
        value=fact.object,
        predicate=predicate,
        statement=statement.format(object=fact.object),
        ended=True,
        valid_to=fact.valid_from,
    )


def _edge_over(edge: ExtractedRelation) -> ExtractedRelation:
    relation, *_ = _REPLACED[edge.relation]
    return replace(edge, relation=relation, ended=True, valid_from=None, valid_to=edge.valid_from)
