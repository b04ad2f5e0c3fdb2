from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from accounts.tenancy import operator
from memory.mining.progress import progress_of
from memory.models import DrawerVector, MiningProgress
from memory.pages.settings.health import health_of
from memory.preferences import change_preferences, preferences_of
from tests.drills.ledger import converse
from tests.html import check_page
from tests.memory.palaces import MONDAY, file, learn

pytestmark = pytest.mark.usefixtures("embedder")


@pytest.fixture
def drawers(as_alice):
    return file(as_alice.id, ["I feed my rye starter.", "Ines gave it to me."])


def shares(user):
    found = health_of(user.id, MONDAY)
    return {str(check.name): round(check.share, 3) for check in found.checks}


def test_an_empty_or_healthy_memory_has_the_full_score(as_alice):
    assert health_of(as_alice.id, MONDAY).score == 100
    file(as_alice.id, ["I feed my rye starter.", "Ines gave it to me."])
    found = health_of(as_alice.id, MONDAY)
    assert found.score == 100
    assert all(check.is_well for check in found.checks)


def test_every_problem_lowers_the_share_of_its_check(as_alice, drawers):
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
    with operator():
        User.objects.filter(id=as_alice.id).update(drawer_quota=2)
    assert shares(as_alice)["Capacity"] == 0.0
    found = health_of(as_alice.id, MONDAY + timedelta(days=9_000))
    assert "Consolidation" in {str(check.name) for check in found.checks if not check.is_well}


def test_the_health_page_shows_the_score(as_alice, alice_client, drawers):
    url = reverse("memory:health")
    assert "Health score: 100 of 100" in check_page(alice_client.get(url))
    DrawerVector.objects.filter(user_id=as_alice.id, drawer_id=drawers[0].id).delete()
    html = check_page(alice_client.get(url))
    score = health_of(as_alice.id, timezone.now()).score
    assert score < 100
    assert f"Health score: {score} of 100" in html
    assert f'max="100" value="{score}"' in html


def test_messages_waiting_for_mining_are_reported_and_can_be_mined(as_alice, alice_client, queued):
    for number in range(20):
        converse(as_alice.id, f"I have {number} boats.", "Noted.", at=MONDAY, source="chat")
    later = MONDAY + timedelta(days=1)
    found = health_of(as_alice.id, later)
    assert found.checks[0].words == "40 messages wait to be saved to memory."
    assert found.score <= 56
    change_preferences(as_alice.id, {"auto_mine": False}, MONDAY)
    assert "Chats are not saved automatically: 40 messages" in "".join(
        c.words for c in health_of(as_alice.id, later).checks
    )
    html = check_page(alice_client.get(reverse("memory:health")))
    assert reverse("memory:resume") in html
    alice_client.post(reverse("memory:mine_now"), {"back": "https://example.org/"})
    assert queued() == [("mine", (str(as_alice.id),))]
    alice_client.post(reverse("memory:resume"))
    assert preferences_of(as_alice.id).auto_mine
