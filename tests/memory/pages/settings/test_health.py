from datetime import timedelta

import pytest

from accounts.models import User
from memory.mining.progress import progress_of
from memory.models import Drawer, DrawerVector, MiningProgress
from memory.pages.settings.health import health_of
from tests.memory.palaces import MONDAY, file, learn

pytestmark = pytest.mark.usefixtures("embedder")


@pytest.fixture
def drawers(as_alice: User) -> list[Drawer]:
    return file(as_alice.id, ["I feed my rye starter.", "Ines gave it to me."])


def shares(user: User) -> dict[str, float]:
    found = health_of(user.id, MONDAY)
    return {str(check.name): round(check.share, 3) for check in found.checks}


def test_an_empty_or_untroubled_memory_is_well(as_alice):
    assert health_of(as_alice.id, MONDAY).score == 100
    file(as_alice.id, ["I feed my rye starter.", "Ines gave it to me."])
    found = health_of(as_alice.id, MONDAY)
    assert found.score == 100
    assert all(check.is_well for check in found.checks)


def test_every_trouble_lowers_its_own_share(as_alice, drawers):
    for number in range(10):
        learn(drawers[0], "rye starter", f"Feeds starter {number}.", review_reason="Unsure.")
    found = health_of(as_alice.id, MONDAY)
    assert shares(as_alice)["Review"] == 0.5
    assert found.score < 100
    assert found.checks[0].page == "memory:review"
    assert found.checks[0].words.startswith("10 facts wait")

    DrawerVector.objects.filter(user_id=as_alice.id, drawer_id=drawers[0].id).delete()
    assert shares(as_alice)["Search by meaning"] < 1
    progress = progress_of(as_alice.id, "conversation", drawers[0].source_id)
    MiningProgress.objects.filter(user_id=as_alice.id, id=progress.id).update(state=MiningProgress.State.DEAD)
    assert shares(as_alice)["Saving to memory"] == 0.5
    User.objects.filter(id=as_alice.id).update(drawer_quota=2)
    assert shares(as_alice)["Room"] == 0.0
    found = health_of(as_alice.id, MONDAY + timedelta(days=9_000))
    assert "Consolidation" in {str(check.name) for check in found.checks if not check.is_well}
