from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from django.core.exceptions import ValidationError

from accounts.models import User
from accounts.tenancy import tenant
from memory.models import ActivityEvent, MemoryPreferences
from memory.preferences import (
    NoEarlierSettings,
    change_preferences,
    keep_choices,
    preferences_of,
    take_back,
)

NOW = datetime(2024, 5, 6, 9, 0, tzinfo=UTC)
LATER = NOW + timedelta(hours=1)


def test_a_person_without_choices_has_the_defaults(as_alice: User):
    assert preferences_of(as_alice.id).top_k == 5
    assert not MemoryPreferences.objects.exists()


def test_only_what_is_new_is_written_down(as_alice: User):
    assert change_preferences(as_alice.id, {"top_k": 7, "enabled": True}, NOW) == ["top_k"]
    assert change_preferences(as_alice.id, {"top_k": 7}, NOW) == []

    (event,) = ActivityEvent.objects.all()
    assert (event.kind, event.details, event.at) == (
        "settings_changed",
        {"changed": ["top_k"], "before": {"top_k": "5"}, "after": {"top_k": "7"}},
        NOW,
    )
    assert preferences_of(as_alice.id).top_k == 7


@pytest.mark.parametrize("choices", [{"top_k": 0}, {"enabled": False, "token_budget": 1}])
def test_one_choice_out_of_bounds_changes_nothing(as_alice: User, choices: dict[str, object]):
    with pytest.raises(ValidationError):
        change_preferences(as_alice.id, choices, NOW)

    assert not MemoryPreferences.objects.exists()
    assert not ActivityEvent.objects.exists()


def test_everyone_chooses_for_themselves(as_alice: User, bob: User):
    change_preferences(as_alice.id, {"top_k": 7}, NOW)

    with tenant(bob.id):
        assert preferences_of(bob.id).top_k == 5


def test_every_sort_of_choice_comes_back_as_it_was(as_alice: User):
    change_preferences(as_alice.id, {"monthly_budget": Decimal("2.50")}, NOW)
    chosen = {
        "monthly_budget": None,
        "enabled": False,
        "top_k": 9,
        "similarity_floor": 0.125,
        "time_zone": "Asia/Tokyo",
        "extraction_model": "模型",
    }
    event = keep_choices(as_alice.id, chosen, NOW)
    assert event is not None
    assert take_back(as_alice.id, event.id, LATER) == (list(chosen), [])
    back = preferences_of(as_alice.id)
    assert back.monthly_budget == Decimal("2.50")
    assert (back.enabled, back.top_k, back.similarity_floor) == (True, 5, 0.6)
    assert (back.time_zone, back.extraction_model) == ("UTC", "")


def test_taking_back_twice_changes_nothing_more(as_alice: User):
    event = keep_choices(as_alice.id, {"top_k": 9}, NOW)
    assert event is not None
    take_back(as_alice.id, event.id, LATER)
    change_preferences(as_alice.id, {"top_k": 9}, LATER)
    assert take_back(as_alice.id, event.id, LATER) == (["top_k"], [])
    assert preferences_of(as_alice.id).top_k == 9
    event.refresh_from_db()
    assert event.undone_at == LATER


def test_what_was_chosen_anew_stays(as_alice: User):
    event = keep_choices(as_alice.id, {"top_k": 9, "window_size": 10}, NOW)
    change_preferences(as_alice.id, {"top_k": 11}, NOW)
    assert event is not None
    assert take_back(as_alice.id, event.id, LATER) == (["window_size"], ["top_k"])
    kept = preferences_of(as_alice.id)
    assert (kept.top_k, kept.window_size) == (11, 8)


def test_nothing_else_is_taken_back(as_alice: User, bob: User):
    event = keep_choices(as_alice.id, {"top_k": 9}, NOW)
    assert event is not None
    with tenant(bob.id), pytest.raises(NoEarlierSettings):
        take_back(bob.id, event.id, LATER)
    old = ActivityEvent.objects.create(
        user_id=as_alice.id, kind="settings_changed", details={"changed": ["top_k"]}
    )
    other = ActivityEvent.objects.create(user_id=as_alice.id, kind="purged", details={})
    for row in (old, other):
        with pytest.raises(NoEarlierSettings):
            take_back(as_alice.id, row.id, LATER)
    assert preferences_of(as_alice.id).top_k == 9
