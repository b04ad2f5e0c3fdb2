"""Consolidation: summaries are renewed without a plan. Plans, applied and undone: `pages/activity`."""

import pytest

from tests.browser.conftest import Settle
from tests.browser.walks.walker import Walker

pytestmark = pytest.mark.drill


@pytest.fixture(scope="module")
def tora(settle: Settle) -> Walker:
    """Somebody with a closet that has no summary yet."""
    tora = settle("Tora")
    for part in ("roof", "door", "slip", "floor"):
        tora.note(f"The {part} of the boathouse was painted green last summer.", "Boathouse", "Paint")
    return tora


def test_a_memory_without_duplicates_needs_no_plan(tora: Walker) -> None:
    tora.go("/memory/activity/consolidation/")
    tora.press("Preview changes")
    tora.notice("There is nothing to consolidate.")
