"""How likely N findings with F features agree with the labels, by T gradient-boosted trees of D levels."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

DEPTH = 4
_ARRAYS = ("prior", "features", "thresholds", "leaves")


@dataclass(frozen=True, slots=True)
class Calibration:
    """Complete trees, level by level: the feature that each inner node compares with its threshold
    (T, 2^D - 1), and the log odds of each leaf (T, 2^D), which are added to the `prior`."""

    prior: NDArray[np.float32]
    features: NDArray[np.uint8]
    thresholds: NDArray[np.float32]
    leaves: NDArray[np.float32]

    @classmethod
    def load(cls, stored: Mapping[str, NDArray[Any]]) -> Self:
        """The trees in a file of weights. Raises KeyError."""
        return cls(*(stored[f"calibration.{name}"] for name in _ARRAYS))

    def stored(self) -> dict[str, Any]:
        """The trees as `load` reads them."""
        return {f"calibration.{name}": getattr(self, name) for name in _ARRAYS}

    def agreements(self, given: Sequence[Sequence[float]]) -> list[float]:
        """How likely each finding is to agree with the labels (N), given its features (N, F)."""
        if not given:
            return []
        x, rows, trees = (
            np.array(given, np.float32),
            np.arange(len(given))[:, None],
            np.arange(len(self.leaves)),
        )
        nodes = np.zeros((len(given), len(self.leaves)), np.intp)
        for _ in range(DEPTH):
            is_right = x[rows, self.features[trees, nodes]] > self.thresholds[trees, nodes]
            nodes = 2 * nodes + 1 + is_right
        log_odds = self.prior + self.leaves[trees, nodes - (2**DEPTH - 1)].sum(axis=1, dtype=np.float64)
        return [float(one) for one in 1 / (1 + np.exp(-log_odds))]
