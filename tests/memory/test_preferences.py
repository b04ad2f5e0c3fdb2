from datetime import UTC, datetime

import pytest
from django.core.exceptions import ValidationError

from accounts.models import User
from accounts.tenancy import tenant
from memory.models import ActivityEvent, MemoryPreferences
from memory.preferences import change_preferences, preferences_of

NOW = datetime(2024, 5, 6, 9, 0, tzinfo=UTC)


def test_a_person_without_choices_has_the_defaults(as_alice: User):
    assert preferences_of(as_alice.id).top_k == 5
    assert not MemoryPreferences.objects.exists()


def test_only_what_is_new_is_written_down(as_alice: User):
    assert change_preferences(as_alice.id, {"top_k": 7, "enabled": True}, NOW) == ["top_k"]
    assert change_preferences(as_alice.id, {"top_k": 7}, NOW) == []

    (event,) = ActivityEvent.objects.all()
    assert (event.kind, event.details, event.at) == (
        "settings_changed",
        {"changed": ["top_k"]},
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
