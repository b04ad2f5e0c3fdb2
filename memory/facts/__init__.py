"""Facts: filing, duplicates, contradictions, review, and when each of them holds."""

from memory.facts.endings import endings_in
from memory.facts.filing import compare_later, file_fact
from memory.facts.queries import current_facts, mark_recalled, recallable_facts
from memory.facts.similarity import NO_VECTORS, FactVectors, embed_statements, without_fact_vectors
from memory.facts.statements import Statement, content_hash
from memory.facts.validity import drop_endings, settle, settle_around, settle_drawers, settle_without

__all__ = [
    "NO_VECTORS",
    "FactVectors",
    "Statement",
    "compare_later",
    "content_hash",
    "current_facts",
    "drop_endings",
    "embed_statements",
    "endings_in",
    "file_fact",
    "mark_recalled",
    "recallable_facts",
    "settle",
    "settle_around",
    "settle_drawers",
    "settle_without",
    "without_fact_vectors",
]
