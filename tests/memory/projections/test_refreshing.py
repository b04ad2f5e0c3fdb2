import json
from datetime import timedelta

from django.db import connection

from accounts.models import User
from accounts.tenancy import tenant
from llm import current
from llm.errors import ModelUnavailable
from memory.forgetting.trash import delete, undo
from memory.models import ActivityEvent, Drawer, Fact, Profile, Usage
from memory.projections.corrections import write_own_words
from memory.projections.profile import REFRESH_INTERVAL, profile_due, profile_of, refresh_profile
from tests.fake_gateway import FakeChat
from tests.memory.palaces import MONDAY

NOW = MONDAY + timedelta(days=30)
PARAGRAPHS = ("Priya lives in Zürich and works as a data engineer.", "She likes jazz and 香菜.")
ANSWER = json.dumps({"paragraphs": PARAGRAPHS})


def stored(user: User) -> Profile:
    return Profile.objects.get(user_id=user.id)


def written(user: User) -> list[dict[str, str]]:
    kind = ActivityEvent.Kind.PROFILE_WRITTEN
    events = ActivityEvent.objects.filter(user_id=user.id, kind=kind).order_by("id")
    return list(events.values_list("details", flat=True))


def test_the_profile_is_written_once_by_rules_without_a_model(as_alice, bob, priya):
    with tenant(bob.id):
        assert not profile_due(bob.id, NOW)
        assert not refresh_profile(bob.id, NOW), "there are no facts to write about"
    assert refresh_profile(as_alice.id, NOW)
    assert not refresh_profile(as_alice.id, NOW)
    profile = stored(as_alice)
    assert profile.written_by == "rules"
    assert "The user lives in Zürich." in profile.paragraphs[0]
    assert written(as_alice) == [{"by": "rules", "refused": ""}]
    assert not Usage.objects.exists()
    write_own_words(as_alice.id, "I am Priya.", NOW)
    assert not profile_due(as_alice.id, NOW + REFRESH_INTERVAL * 3), "own words need no refresh"


def test_a_model_writes_the_profile_outside_any_transaction(as_alice: User, priya: list[Fact]):
    depth = []
    outside = len(connection.savepoint_ids)

    def answer(request):
        depth.append(len(connection.savepoint_ids))
        return ANSWER

    with current.using(chat=FakeChat(answer=answer)):
        assert refresh_profile(as_alice.id, NOW)
        assert not refresh_profile(as_alice.id, NOW)

    assert depth == [outside]
    assert (stored(as_alice).written_by, tuple(stored(as_alice).paragraphs)) == ("model", PARAGRAPHS)
    usage = Usage.objects.get(user_id=as_alice.id)
    assert (usage.source, usage.model) == ("memory_summary", "openai/gpt-4o-mini")
    assert profile_of(as_alice.id, NOW).prose.paragraphs == PARAGRAPHS


def test_changed_facts_show_at_once_and_are_rewritten_after_the_interval(as_alice, priya, add_fact):
    with current.using(chat=FakeChat([ANSWER, ANSWER])) as _:
        refresh_profile(as_alice.id, NOW)
        add_fact("likes", "opera", "The user likes opera.", key="preference_opera")

        prose = profile_of(as_alice.id, NOW).prose
        assert prose.written_by == "rules"
        assert "opera" in prose.text
        assert not profile_due(as_alice.id, NOW)
        assert profile_due(as_alice.id, NOW + REFRESH_INTERVAL)
        assert refresh_profile(as_alice.id, NOW + REFRESH_INTERVAL)
    assert len(written(as_alice)) == 2


def test_an_unsupported_answer_is_not_used_and_requested_three_times(as_alice: User, priya: list[Fact]):
    wrong = json.dumps({"paragraphs": ["Priya lives in Rome with Anna."]})
    chat = FakeChat(answer=lambda request: wrong)
    with current.using(chat=chat):
        later = NOW
        for _ in range(40):
            refresh_profile(as_alice.id, later)
            later += timedelta(hours=1)

    assert len(chat.requests) == 3
    assert stored(as_alice).written_by == "rules"
    assert "Anna" not in str(stored(as_alice).paragraphs)
    assert Usage.objects.filter(user_id=as_alice.id).count() == 3
    assert written(as_alice) == [
        {"by": "rules", "refused": "It mentioned a name or number that is in no fact."}
    ]


def test_an_unavailable_model_is_retried_later(as_alice: User, priya: list[Fact]):
    with current.using(chat=FakeChat([ModelUnavailable("away"), ANSWER])):
        refresh_profile(as_alice.id, NOW)
        assert stored(as_alice).written_by == "rules"
        assert not profile_due(as_alice.id, NOW + timedelta(minutes=9))
        assert refresh_profile(as_alice.id, NOW + timedelta(minutes=10))
    assert stored(as_alice).written_by == "model"


def test_prose_about_facts_that_changed_meanwhile_is_discarded(as_alice: User, priya: list[Fact]):
    def answer(request):
        Fact.objects.filter(user_id=as_alice.id, id=priya[1].id).update(status="rejected")
        return ANSWER

    with current.using(chat=FakeChat(answer=answer)):
        assert not refresh_profile(as_alice.id, NOW)
    assert not Profile.objects.exists()


def test_deleting_a_drawer_clears_the_stored_prose_at_once(as_alice: User, priya: list[Fact]):
    refresh_profile(as_alice.id, NOW)
    drawer = Drawer.objects.get(user_id=as_alice.id, content__contains="Zürich")

    deletion = delete(as_alice.id, "drawer", drawer.id, NOW)
    assert stored(as_alice).paragraphs == []
    assert "Zürich" not in profile_of(as_alice.id, NOW).prose.text
    assert not profile_due(as_alice.id, NOW), "the interval applies as after a refresh"

    assert refresh_profile(as_alice.id, NOW + REFRESH_INTERVAL)
    assert stored(as_alice).paragraphs
    assert "Zürich" not in str(stored(as_alice).paragraphs)

    undo(as_alice.id, deletion.id, NOW)
    assert "Zürich" in profile_of(as_alice.id, NOW).prose.text
