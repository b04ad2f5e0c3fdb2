from datetime import timedelta

import pytest

from accounts.models import User
from accounts.tenancy import tenant
from memory.models import Fact, Profile
from memory.projections.corrections import write_own_words
from memory.projections.profile import OWNER, profile_of, prose_of
from memory.projections.values import digest_of, values_of
from tests.memory.palaces import MONDAY

NOW = MONDAY + timedelta(days=30)


@pytest.fixture
def written(as_alice: User, priya: list[Fact]) -> Profile:
    """Prose that a model wrote of today's facts."""
    return Profile.objects.create(
        user=as_alice,
        digest=digest_of(values_of(as_alice.id, NOW).told),
        paragraphs=["Priya is from Zürich."],
        written_by=Profile.Writer.MODEL,
    )


def test_a_models_prose_is_used_while_its_facts_are_current(as_alice, bob, written, priya):
    assert prose_of(as_alice.id, NOW).text == "Priya is from Zürich."
    assert profile_of(as_alice.id, NOW).prose == prose_of(as_alice.id, NOW)
    with tenant(bob.id):
        view = profile_of(bob.id, NOW)
        assert (view.sections, view.prose.paragraphs, view.own_words) == ((), (), None)
    Fact.objects.filter(user_id=as_alice.id, id=priya[1].id).update(status="rejected")
    prose = prose_of(as_alice.id, NOW)
    assert prose.written_by == "rules"
    assert "Zürich" not in prose.text
    Fact.objects.filter(user_id=as_alice.id, id=priya[3].id).update(valid_to=NOW)
    assert "jazz" in prose_of(as_alice.id, NOW - timedelta(seconds=1)).text
    assert "jazz" not in prose_of(as_alice.id, NOW).text

    write_own_words(as_alice.id, "I am Priya.\n\nCall me P.", NOW)
    assert profile_of(as_alice.id, NOW).prose == prose_of(as_alice.id, NOW)
    assert prose_of(as_alice.id, NOW).written_by == OWNER


def test_prose_takes_two_queries(as_alice, priya, django_assert_num_queries):
    with django_assert_num_queries(2):
        text = prose_of(as_alice.id, NOW).text
    assert text == profile_of(as_alice.id, NOW).prose.text
