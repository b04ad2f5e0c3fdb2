"""Recall's settings from what a person has chosen."""

from memory.models import MemoryPreferences
from memory.recall.recipes import DEFAULT, RECIPES
from memory.recall.types import RecallSettings


def settings_from(preferences: MemoryPreferences) -> RecallSettings:
    """The settings of recall for these preferences."""
    return RecallSettings(
        enabled=preferences.enabled,
        recipe=RECIPES.get(preferences.recipe, DEFAULT),
        top_k=preferences.top_k,
        token_budget=preferences.token_budget,
        similarity_floor=preferences.similarity_floor,
        rerank=preferences.use_rerank,
        rerank_model=preferences.rerank_model,
        embedding_model=preferences.embedding_model,
        inject_profile=preferences.inject_profile,
        timezone=preferences.time_zone,
    )
