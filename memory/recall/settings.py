"""Derive recall settings from user preferences."""

from django.conf import settings

from memory.models import MemoryPreferences
from memory.recall.presets import DEFAULT, RECIPES
from memory.recall.types import RecallSettings

MOST, FOR_SEVERAL = 20, 2
"""A question that several passages answer gets twice as many drawers as another, and never more than 20."""


def settings_from(preferences: MemoryPreferences) -> RecallSettings:
    """The recall settings for these preferences; `RECALL_PATIENCE` scales the time limit on slow machines."""
    recipe = RECIPES.get(preferences.recipe, DEFAULT)
    return RecallSettings(
        enabled=preferences.enabled,
        recipe=recipe,
        time_limit_ms=recipe.time_limit_ms * settings.RECALL_PATIENCE,
        top_k=preferences.top_k,
        several_k=min(MOST, FOR_SEVERAL * preferences.top_k),
        token_budget=preferences.token_budget,
        similarity_floor=preferences.similarity_floor,
        rerank=preferences.use_rerank,
        rerank_model=preferences.rerank_model,
        embedding_model=preferences.embedding_model,
        inject_profile=preferences.inject_profile,
        never_remember=preferences.never_remember,
        timezone=preferences.time_zone,
    )
