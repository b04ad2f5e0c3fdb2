"""The owner's decisions about facts; each can be undone."""

from memory.facts.review.decisions import NoSuchFact

__all__ = ["NoSuchFact"]
