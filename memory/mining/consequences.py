"""What is over because something else has begun: whoever is married is no longer engaged."""

from dataclasses import replace

from memory.mining.types import ExtractedFact, ExtractedRelation, Extraction

# A new relation to somebody, and the earlier one to the same person it takes the place of.
_REPLACED = {"married_to": ("engaged_to", "fiance", "{object} is the user's fiancé.")}


def with_consequences(extraction: Extraction) -> Extraction:
    """The same extraction, with what its facts and relations bring to an end added behind them."""
    facts = tuple(_over(fact) for fact in extraction.facts if _replaces(fact.predicate, fact))
    relations = tuple(
        _edge_over(edge) for edge in extraction.relations if _replaces(edge.relation, edge)
    )
    return replace(
        extraction,
        facts=extraction.facts + facts,
        relations=extraction.relations + relations,
    )


def _replaces(predicate: str, item: ExtractedFact | ExtractedRelation) -> bool:
    return predicate in _REPLACED and not item.ended and item.valid_to is None


def _over(fact: ExtractedFact) -> ExtractedFact:
    predicate, key, statement = _REPLACED[fact.predicate]
    return replace(
        fact,
        key=key,
        predicate=predicate,
        statement=statement.format(object=fact.object),
        ended=True,
        valid_to=fact.valid_from,
    )


def _edge_over(edge: ExtractedRelation) -> ExtractedRelation:
    relation, *_ = _REPLACED[edge.relation]
    return replace(edge, relation=relation, ended=True, valid_from=None, valid_to=edge.valid_from)
