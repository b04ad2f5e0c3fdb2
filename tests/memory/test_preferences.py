from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from django.core.exceptions import ValidationError

from accounts.owned import NotFound
from accounts.tenancy import tenant
from memory.models import ActivityEvent, MemoryPreferences
from memory.preferences import change_preferences, preferences_of, undo

NOW = datetime(2024, 5, 6, 9, 0, tzinfo=UTC)
LATER = NOW + timedelta(hours=1)


def test_only_actual_changes_are_logged_and_each_user_has_their_own(as_alice, bob):
    for wrong in ({"top_k": 0}, {"enabled": False, "token_budget": 1}):
        with pytest.raises(ValidationError):
            change_preferences(as_alice.id, wrong, NOW)
    assert preferences_of(as_alice.id).top_k == 10
    assert not MemoryPreferences.objects.exists()
    assert change_preferences(as_alice.id, {"top_k": 7, "enabled": True}, NOW).details["changed"] == ["top_k"]
    assert change_preferences(as_alice.id, {"top_k": 7}, NOW) is None
    (event,) = ActivityEvent.objects.all()
    details = {"changed": ["top_k"], "before": {"top_k": "10"}, "after": {"top_k": "7"}}
    assert (event.kind, event.details, event.at) == ("settings_changed", details, NOW)
    assert preferences_of(as_alice.id).top_k == 7
    with tenant(bob.id):
        assert preferences_of(bob.id).top_k == 10


def test_undo_restores_settings_of_every_type(as_alice):
    change_preferences(as_alice.id, {"monthly_budget": Decimal("2.50")}, NOW)
    chosen = {
        "monthly_budget": None,
        "enabled": False,
        "top_k": 9,
        "similarity_floor": 0.125,
        "time_zone": "Asia/Tokyo",
        "extraction_model": "模型",
    }
    event = change_preferences(as_alice.id, chosen, NOW)
    assert event is not None
    assert undo(as_alice.id, event.id, LATER) == (list(chosen), [])
    back = preferences_of(as_alice.id)
    assert back.monthly_budget == Decimal("2.50")
    assert (back.enabled, back.top_k, back.similarity_floor) == (True, 10, 0.6)
    assert (back.time_zone, back.extraction_model) == ("UTC", "")


def test_undoing_twice_has_no_further_effect(as_alice):
    event = change_preferences(as_alice.id, {"top_k": 9}, NOW)
    assert event is not None
    undo(as_alice.id, event.id, LATER)
    change_preferences(as_alice.id, {"top_k": 9}, LATER)
    assert undo(as_alice.id, event.id, LATER) == (["top_k"], [])
    assert preferences_of(as_alice.id).top_k == 9
    event.refresh_from_db()
    assert event.undone_at == LATER


def test_undo_skips_settings_that_no_longer_exist(as_alice):
    event = change_preferences(as_alice.id, {"top_k": 9}, NOW)
    assert event is not None
    event.details["changed"].append("recipe")
    event.save()
    assert undo(as_alice.id, event.id, LATER) == (["top_k"], [])


def test_events_without_recorded_values_cannot_be_undone(as_alice):
    change_preferences(as_alice.id, {"top_k": 9}, NOW)
    for kind, details in (("settings_changed", {"changed": ["top_k"]}), ("purged", {})):
        row = ActivityEvent.objects.create(user_id=as_alice.id, kind=kind, details=details)
        with pytest.raises(NotFound):
            undo(as_alice.id, row.id, LATER)
    assert preferences_of(as_alice.id).top_k == 9
