"""The confidence that the trees of the reader give."""

import numpy as np
import pytest

from memory.mining.reader.network import DEPTH, TRAINED, Calibration

INNER, LEAVES = 2**DEPTH - 1, 2**DEPTH


@pytest.fixture
def trees():
    """Two trees: the first asks twice whether a feature exceeds its threshold, the second never."""
    features, thresholds = np.zeros((2, INNER), np.uint8), np.full((2, INNER), np.inf, np.float32)
    features[0, :3], thresholds[0, :3] = (0, 0, 1), (1.0, np.inf, -2.0)
    leaves = np.zeros((2, LEAVES), np.float32)
    leaves[0, [0, LEAVES // 2, 3 * LEAVES // 4]] = -3, 1, 2
    leaves[1, 0] = 0.5
    return Calibration(np.array(-0.5, np.float32), features, thresholds, leaves)


def test_the_leaves_that_a_finding_reaches_add_up(trees):
    given = [(1.0, 9.0), (1.5, -2.0), (1.5, -1.0)]
    assert trees.agreements(given) == pytest.approx(1 / (1 + np.exp([3, -1, -2])))
    assert trees.agreements([]) == []


def test_trees_are_stored_and_loaded(trees, tmp_path):
    np.savez_compressed(tmp_path / "trees.npz", **trees.stored())
    with np.load(tmp_path / "trees.npz") as stored:
        assert Calibration.load(stored).agreements([(1.5, 0.0)]) == trees.agreements([(1.5, 0.0)])


def test_the_shipped_trees_grow_more_confident_with_the_network():
    with np.load(TRAINED, allow_pickle=False) as stored:
        shipped = Calibration.load(stored)
    low, high = ([value] * 45 for value in (-3.0, 3.0))
    assert shipped.agreements([low])[0] < 0.3 < 0.7 < shipped.agreements([high])[0]
