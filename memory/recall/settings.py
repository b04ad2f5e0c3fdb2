"""Derive recall settings from user preferences."""

from django.conf import settings

from memory.models import MemoryPreferences
from memory.recall.types import RecallSettings
from memory.recall.weights import TIME_LIMIT_MS

MAX_HITS, SEVERAL_FACTOR = 20, 2
"""A question that several passages answer gets twice as many drawers as others, but never more than 20."""


def settings_from(preferences: MemoryPreferences) -> RecallSettings:
    """The recall settings for these preferences; `RECALL_PATIENCE` scales the time limit on slow machines."""
    return RecallSettings(
        enabled=preferences.enabled,
        time_limit_ms=TIME_LIMIT_MS * settings.RECALL_PATIENCE,
        top_k=preferences.top_k,
        several_k=min(MAX_HITS, SEVERAL_FACTOR * preferences.top_k),
        token_budget=preferences.token_budget,
        similarity_floor=preferences.similarity_floor,
        rerank=preferences.use_rerank,
        rerank_model=preferences.rerank_model,
        embedding_model=preferences.embedding_model,
        inject_profile=preferences.inject_profile,
        use_history=preferences.use_history,
        recency=preferences.recency,
        never_remember=preferences.never_remember,
        timezone=preferences.time_zone,
    )
