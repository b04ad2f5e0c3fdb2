import json
import threading
from datetime import timedelta

import pytest
from django.db import connection

from accounts.tenancy import tenant
from llm import current
from llm.errors import ModelUnavailable
from memory.forgetting.trash import delete, undo
from memory.models import ActivityEvent, Drawer, Fact, MinedWindow, Profile, Usage
from memory.projections.corrections import write_own_words
from memory.projections.profile import REFRESH_INTERVAL, profile_due, profile_of, refresh_profile
from memory.projections.upkeep import current_mark, refresh_due, upkeep_due
from tests.fake_gateway import FakeChat
from tests.memory.palaces import MONDAY

NOW = MONDAY + timedelta(days=30)
PARAGRAPHS = ("Priya lives in Zürich and works as a data engineer.", "She likes jazz and 香菜.")
ANSWER = json.dumps({"paragraphs": PARAGRAPHS})


def stored(user):
    return Profile.objects.get(user_id=user.id)


def written(user):
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


def test_a_model_writes_the_profile_outside_any_transaction(as_alice, priya):
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


def test_an_unsupported_answer_is_not_used_and_requested_three_times(as_alice, priya):
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


def test_an_unavailable_model_is_retried_later(as_alice, priya):
    with current.using(chat=FakeChat([ModelUnavailable("away"), ANSWER])):
        refresh_profile(as_alice.id, NOW)
        assert stored(as_alice).written_by == "rules"
        assert not profile_due(as_alice.id, NOW + timedelta(minutes=9))
        assert refresh_profile(as_alice.id, NOW + timedelta(minutes=10))
    assert stored(as_alice).written_by == "model"


def test_prose_about_facts_that_changed_meanwhile_is_discarded(as_alice, priya):
    def answer(request):
        Fact.objects.filter(user_id=as_alice.id, id=priya[1].id).update(status="rejected")
        return ANSWER

    with current.using(chat=FakeChat(answer=answer)):
        assert not refresh_profile(as_alice.id, NOW)
    assert not Profile.objects.exists()


def test_deleting_a_drawer_clears_the_stored_prose_at_once(as_alice, priya):
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


OTHER_ANSWER = json.dumps({"paragraphs": ["Priya lives in Zürich.", "She likes jazz and 香菜."]})


@pytest.mark.django_db(transaction=True)
def test_concurrent_workers_request_a_profile_only_once(as_alice, priya):
    other_results: list[bool] = []

    def work():
        with tenant(as_alice.id):
            other_results.append(refresh_due(as_alice.id, NOW))
        connection.close()

    def answer(request):
        other = threading.Thread(target=work)
        other.start()
        other.join(60)
        return OTHER_ANSWER

    model = FakeChat(answer=answer)
    with current.using(chat=model):
        assert refresh_due(as_alice.id, NOW)
        assert not upkeep_due(as_alice.id, NOW)
        assert not refresh_due(as_alice.id, NOW)

    assert other_results == [False]
    assert len(model.requests) == 1
    assert Profile.objects.get(user_id=as_alice.id).written_by == "model"
    assert Usage.objects.filter(user_id=as_alice.id, source="memory_summary").count() == 1


def test_the_mark_counts_mined_windows(as_alice, priya):
    windows, facts = current_mark(as_alice.id)
    MinedWindow.objects.create(
        user_id=as_alice.id,
        source_kind="conversation",
        source_id=as_alice.id,
        first_sequence=1,
        last_sequence=8,
        method="reader",
    )
    assert current_mark(as_alice.id) == (windows + 1, facts)


def test_any_change_of_a_fact_changes_the_mark(as_alice, priya):
    seen = [current_mark(as_alice.id)]
    changes = [{"times_seen": 9}, {"valid_to": NOW}, {"valid_from": NOW}, {"deleted_at": NOW}, {"version": 2}]
    for change in (*changes, {"deleted_at": None, "status": "rejected"}):
        Fact.objects.filter(id=priya[3].id).update(**change)
        seen.append(current_mark(as_alice.id))
    Fact.objects.filter(id=priya[3].id).update(status="active")
    Fact.objects.filter(id=priya[4].id).update(status="rejected")
    seen.append(current_mark(as_alice.id))
    assert len(set(seen)) == len(seen), "not even two opposite changes cancel out"


def test_undo_restores_the_mark(as_alice, add_fact):
    fact = add_fact("likes", "jazz", "The user likes jazz.")
    before = current_mark(as_alice.id)
    deletion = delete(as_alice.id, "drawer", fact.sources.get().drawer_id, NOW)
    assert current_mark(as_alice.id) != before
    undo(as_alice.id, deletion.id, NOW)
    assert current_mark(as_alice.id) == before
