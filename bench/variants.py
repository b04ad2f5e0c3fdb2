"""Recall with one thing switched off, or one arm of it alone, to see what each is worth."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from bench.errors import BenchmarkImpossible
from memory.recall.recipes import RECIPES, Recipe
from memory.recall.types import RecallSettings

PATIENCE_MS = 5_000
"""More than the product allows the database, so that a busy machine does not change what is found;
the scores say how many recalls the product's own limit would have cut short."""
RECENCY = "recency"

SIGNALS: Mapping[str, tuple[str, ...]] = {
    "wording": ("words",),
    "time": ("time",),
    "pinned": ("pinned",),
    "pointer": ("pointer",),
    "speaker": ("user", "tool", "asked_assistant"),
    "little": ("little",),
    "sentence": ("sentence",),
    "room": ("room",),
    "further": ("further",),
}
"""Signals of fusion, each with the weights that carry it."""


@dataclass(frozen=True, slots=True)
class Variant:
    """A recipe by its name, the arms, stages and signals it has to do without, the arm that ranks
    alone, and how long the database may work."""

    recipe: str = "default"
    without: tuple[str, ...] = ()
    only: str = ""
    time_limit_ms: int = PATIENCE_MS

    @property
    def settings(self) -> RecallSettings:
        """How recall is asked. Raises BenchmarkImpossible for what nobody can switch off."""
        settings = RecallSettings(recipe=RECIPES[self.recipe], time_limit_ms=self.time_limit_ms)
        for name in self.without:
            settings = _without(settings, name)
        return settings


def _without(settings: RecallSettings, name: str) -> RecallSettings:
    if name == RECENCY:
        return replace(settings, recency=0.0)
    return replace(settings, recipe=_less(settings.recipe, name))


def _less(recipe: Recipe, name: str) -> Recipe:
    if name in recipe.arms:
        return replace(recipe, arms={arm: most for arm, most in recipe.arms.items() if arm != name})
    if recipe.has(name):
        return replace(recipe, stages=recipe.stages - {name})
    if name in SIGNALS:
        off = dict.fromkeys(SIGNALS[name], 0.0)
        return replace(recipe, weights=replace(recipe.weights, **off))
    known = ", ".join(sorted({*recipe.arms, *recipe.stages, *SIGNALS, RECENCY}))
    raise BenchmarkImpossible(f"Nothing is called “{name}” here; what can be left out is: {known}.")
