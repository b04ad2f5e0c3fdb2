"""What a person decides about facts; every decision can be taken back."""

from memory.review.decisions import NoSuchFact

__all__ = ["NoSuchFact"]
