"""Facts: filing, duplicates, contradictions, and the time in which each holds."""

from memory.facts.beginnings import begin_earlier, begin_later
from memory.facts.endings import endings_in
from memory.facts.filing import compare_later, file_fact
from memory.facts.likeness import NO_VECTORS, FactVectors, embed_statements, without_fact_vectors
from memory.facts.reading import current_facts, facts_at_hand, mark_recalled
from memory.facts.statements import Statement, content_hash
from memory.facts.succession import (
    begin_with,
    drop_endings,
    end_again,
    make_room_for,
    reopen,
    settle,
    settle_around,
    settle_ended_in,
    withdraw_endings,
)

__all__ = [
    "NO_VECTORS",
    "FactVectors",
    "Statement",
    "begin_earlier",
    "begin_later",
    "begin_with",
    "compare_later",
    "content_hash",
    "current_facts",
    "drop_endings",
    "embed_statements",
    "end_again",
    "endings_in",
    "facts_at_hand",
    "file_fact",
    "make_room_for",
    "mark_recalled",
    "reopen",
    "settle",
    "settle_around",
    "settle_ended_in",
    "withdraw_endings",
    "without_fact_vectors",
]
