from datetime import timedelta

import pytest

from accounts.models import User
from accounts.tenancy import tenant
from llm import current
from llm.fake_gateway import FakeEmbedder
from memory.models import Fact, Profile
from memory.projections.corrections import write_own_words
from memory.projections.profile import OWNER, profile_of, prose_of
from memory.projections.values import digest_of, values_of
from tests.memory.palaces import MONDAY, file, learn

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


def test_nobody_has_an_empty_profile(as_alice: User):
    view = profile_of(as_alice.id, NOW)
    assert (view.sections, view.prose.paragraphs, view.own_words) == ((), (), None)
    assert prose_of(as_alice.id, NOW).text == ""


def test_a_models_prose_is_told_while_it_is_that_of_todays_facts(
    as_alice: User, written: Profile, priya: list[Fact]
):
    assert prose_of(as_alice.id, NOW).text == "Priya is from Zürich."
    Fact.objects.filter(user_id=as_alice.id, id=priya[1].id).update(status="rejected")
    prose = prose_of(as_alice.id, NOW)
    assert prose.written_by == "rules"
    assert "Zürich" not in prose.text


def test_the_page_and_recall_are_told_the_same(as_alice: User, written: Profile):
    assert profile_of(as_alice.id, NOW).prose == prose_of(as_alice.id, NOW)
    write_own_words(as_alice.id, "I am Priya.\n\nCall me P.", NOW)
    assert profile_of(as_alice.id, NOW).prose == prose_of(as_alice.id, NOW)
    assert prose_of(as_alice.id, NOW).written_by == OWNER


def test_what_ends_or_begins_with_time_is_told_by_the_moment(as_alice: User, priya: list[Fact]):
    Fact.objects.filter(user_id=as_alice.id, id=priya[3].id).update(valid_to=NOW)
    assert "jazz" in prose_of(as_alice.id, NOW - timedelta(seconds=1)).text
    assert "jazz" not in prose_of(as_alice.id, NOW).text


def test_nobody_elses_profile(bob: User, as_alice: User, written: Profile):
    with tenant(bob.id):
        assert profile_of(bob.id, NOW).prose.paragraphs == ()


def test_prose_is_told_in_two_questions_to_the_database(as_alice, django_assert_num_queries):
    with current.using(embedder=FakeEmbedder()):
        (home,) = file(as_alice.id, ["I live in Porto and love jazz."])
    learn(home, "Porto", "The user lives in Porto.", predicate="lives_in", object="Porto")
    learn(home, "jazz", "The user likes jazz.", predicate="likes", object="jazz")
    with django_assert_num_queries(2):
        text = prose_of(as_alice.id, NOW).text
    assert text == profile_of(as_alice.id, NOW).prose.text
