"""The extractor that needs no model: tables of rules, read by a small engine."""

from memory.mining.rules.extractor import extract

__all__ = ["extract"]
