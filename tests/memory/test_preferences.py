from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from django.core.exceptions import ValidationError

from accounts.owned import NotFound
from memory.models import ActivityEvent, MemoryPreferences
from memory.preferences import change_preferences, preferences_of, undo

NOW = datetime(2024, 5, 6, 9, 0, tzinfo=UTC)
LATER = NOW + timedelta(hours=1)


def test_only_valid_and_actual_changes_are_saved_and_logged(as_alice):
    for wrong in ({"top_k": 0}, {"enabled": False, "token_budget": 1}):
        with pytest.raises(ValidationError):
            change_preferences(as_alice.id, wrong, NOW)
    assert not MemoryPreferences.objects.exists()
    for expected in (["monthly_budget"], None):
        change = {"monthly_budget": Decimal("2.50"), "enabled": True}
        event = change_preferences(as_alice.id, change, NOW)
        assert (event and event.details["changed"]) == expected


def test_undo_restores_settings_of_every_type_once(as_alice):
    change_preferences(as_alice.id, {"monthly_budget": Decimal("2.50")}, NOW)
    chosen = {"monthly_budget": None, "enabled": False, "top_k": 9, "similarity_floor": 0.125}
    chosen |= {"time_zone": "Asia/Tokyo", "extraction_model": "模型"}
    event = change_preferences(as_alice.id, chosen, NOW)
    assert (event.kind, event.at, event.details["changed"]) == ("settings_changed", NOW, list(chosen))
    assert (event.details["before"]["top_k"], event.details["after"]["top_k"]) == ("10", "9")
    assert undo(as_alice.id, event.id, LATER) == (list(chosen), [])
    back = preferences_of(as_alice.id)
    assert back.monthly_budget == Decimal("2.50")
    assert (back.enabled, back.top_k, back.similarity_floor) == (True, 10, 0.6)
    assert (back.time_zone, back.extraction_model) == ("UTC", "")
    change_preferences(as_alice.id, {"top_k": 9}, LATER)
    assert undo(as_alice.id, event.id, LATER) == (list(chosen), []), "without further effect"
    assert preferences_of(as_alice.id).top_k == 9
    event.refresh_from_db()
    assert event.undone_at == LATER


def test_undo_skips_settings_that_no_longer_exist_and_refuses_events_without_values(as_alice):
    event = change_preferences(as_alice.id, {"top_k": 9}, NOW)
    for kind, details in (("settings_changed", {"changed": ["top_k"]}), ("purged", {})):
        row = ActivityEvent.objects.create(user_id=as_alice.id, kind=kind, details=details)
        with pytest.raises(NotFound):
            undo(as_alice.id, row.id, LATER)
    assert preferences_of(as_alice.id).top_k == 9
    event.details["changed"].append("recipe")
    event.save()
    assert undo(as_alice.id, event.id, LATER) == (["top_k"], [])
