"""What a person decides about facts; every decision can be undone."""

from memory.facts.review.decisions import NoSuchFact

__all__ = ["NoSuchFact"]
