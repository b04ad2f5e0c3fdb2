"""The profile: its values, its text, and when a model writes the text anew."""

import json
import threading
from datetime import timedelta

import pytest
from django.db import connection

from accounts.tenancy import tenant
from llm import current
from llm.errors import ModelUnavailable
from memory.forgetting.trash import delete, undo
from memory.models import ActivityEvent, Drawer, Fact, HiddenValue, Profile, Usage
from memory.projections import corrections, values
from memory.projections.profile import REFRESH_INTERVAL, profile_due, profile_of, prose_of, refresh_profile
from memory.projections.upkeep import current_mark, refresh_due, upkeep_due
from memory.projections.values import in_sections, value_digest, values_of
from tests.fake_gateway import FakeChat
from tests.memory.palaces import MONDAY, file

NOW = MONDAY + timedelta(days=30)
HOUR = timedelta(hours=1)
HOME = {"single_valued": True, "kind": "identity", "key": "home_city"}
PARAGRAPHS = ("Priya lives in Zürich and works as a data engineer.", "She likes jazz and 香菜.")
ANSWER = json.dumps({"paragraphs": PARAGRAPHS})


def text(user):
    return prose_of(user.id, NOW).text


def stored(user):
    return Profile.objects.get(user_id=user.id)


def details(user, kind):
    events = ActivityEvent.objects.filter(user_id=user.id, kind=kind).order_by("id")
    return list(events.values_list("details", flat=True))


def written(user):
    return details(user, ActivityEvent.Kind.PROFILE_WRITTEN)


def changes(user):
    return [each["change"] for each in details(user, ActivityEvent.Kind.PROFILE_CHANGED)]


def shown_values(user):
    return {fact.value for fact in values_of(user.id, NOW).shown}


def test_prose_of_a_model_is_used_while_its_facts_are_current(
    as_alice, bob, priya, django_assert_num_queries
):
    depth = []
    outside = len(connection.savepoint_ids)

    def answer(request):
        depth.append(len(connection.savepoint_ids))
        return ANSWER

    with current.using(chat=FakeChat(answer=answer)):
        assert refresh_profile(as_alice.id, NOW)
        assert not refresh_profile(as_alice.id, NOW)
    assert depth == [outside], "no transaction is open"
    assert (stored(as_alice).written_by, tuple(stored(as_alice).paragraphs)) == ("model", PARAGRAPHS)
    usage = Usage.objects.get(user_id=as_alice.id)
    assert (usage.source, usage.model) == ("memory_summary", "openai/gpt-4o-mini")
    prose_of(as_alice.id, NOW)  # prepares the queries
    with django_assert_num_queries(2):
        prose = prose_of(as_alice.id, NOW)
    assert prose == profile_of(as_alice.id, NOW).prose
    assert prose.paragraphs == PARAGRAPHS
    with tenant(bob.id):
        view = profile_of(bob.id, NOW)
        assert (view.sections, view.prose.paragraphs, view.own_words) == ((), (), None)
    Fact.objects.filter(user_id=as_alice.id, id=priya[1].id).update(status="rejected")
    prose = prose_of(as_alice.id, NOW)
    assert (prose.written_by, "Zürich" in prose.text) == ("rules", False)
    Fact.objects.filter(user_id=as_alice.id, id=priya[3].id).update(valid_to=NOW)
    assert "jazz" in prose_of(as_alice.id, NOW - timedelta(seconds=1)).text
    assert "jazz" not in text(as_alice)


def test_current_values_are_grouped_in_sections_with_health_and_single_values_first(
    as_alice, bob, priya, add_fact
):
    found = [fact.value for fact in values_of(as_alice.id, NOW).shown]
    assert found[:2] == ["Priya", "penicillin"]
    assert set(found[2:5]) == {"Zürich", "data engineer", "Tom Baker"}
    assert set(found[5:]) == {"jazz", "香菜"}
    assert [(name, {fact.value for fact in facts}) for name, facts in in_sections(priya)] == [
        ("self", {"Priya", "Zürich", "data engineer"}),
        ("people", {"Tom Baker"}),
        ("tastes", {"jazz", "香菜"}),
        ("care", {"penicillin"}),
    ]
    add_fact("lives_in", "Oslo", "The user lives in Oslo.", **HOME, valid_from=MONDAY + timedelta(days=3))
    assert shown_values(as_alice) == {*found, "Oslo"} - {"Zürich"}
    assert "Zürich" in {fact.value for fact in values_of(as_alice.id, MONDAY + timedelta(days=1)).shown}
    assert values_of(bob.id, NOW).shown == ()


def test_events_unapproved_and_sensitive_facts_are_left_out(as_alice, add_fact):
    add_fact("has_event", "dentist", "The user sees a dentist.", kind="event", event_time=MONDAY)
    add_fact("experienced", "a marathon", "The user ran a marathon.", kind="experience")
    add_fact("likes", "rum", "The user likes rum.", review_reason="Unsure.")
    rejected = add_fact("likes", "gin", "The user likes gin.", review_reason="Unsure.")
    Fact.objects.filter(id=rejected.id).update(status="rejected")
    tool = add_fact("uses", "Vim", "The user uses Vim.", kind="technical", authority="tool")
    private = add_fact("likes", "jazz", "The user likes jazz.")
    Drawer.objects.filter(id=private.sources.get().drawer_id).update(sensitive=True)
    assert shown_values(as_alice) == set()
    Fact.objects.filter(id=tool.id).update(review_reason="Said by a tool.")
    assert shown_values(as_alice) == {"Vim"}, "its owner approved it"
    other = file(as_alice.id, ["Did I say that I love jazz?"])[0]
    private.sources.create(user_id=as_alice.id, drawer_id=other.id, start=18, end=22)
    assert shown_values(as_alice) == {"Vim", "jazz"}


def test_hidden_values_leave_room_for_those_that_follow_and_health_comes_first(
    as_alice, priya, add_fact, monkeypatch
):
    monkeypatch.setattr(values, "BATCH", 2)
    first = values_of(as_alice.id, NOW).shown[:3]
    for fact in first:
        HiddenValue.objects.create(user_id=as_alice.id, digest=value_digest(fact))
    found = values_of(as_alice.id, NOW)
    assert (set(found.hidden), len(found.shown)) == (set(first), 4)
    monkeypatch.setattr(values, "MAX_ITEMS", 3)
    add_fact("allergic_to", "nuts", "The user is allergic to nuts.", valid_from=MONDAY - timedelta(days=900))
    assert "nuts" in shown_values(as_alice)


def test_a_hidden_value_stays_out_of_the_profile_when_it_changes_until_shown(as_alice, priya, add_fact):
    home = priya[1]
    for _ in range(2):
        corrections.set_hidden(as_alice.id, home.id, NOW, hidden=True)
    view = profile_of(as_alice.id, NOW)
    assert "Zürich" not in view.prose.text
    assert [fact.id for fact in view.hidden] == [home.id]
    home.refresh_from_db()
    assert home.status == "active"
    later = MONDAY + timedelta(days=2)
    oslo = add_fact("lives_in", "Oslo", "The user lives in Oslo.", valid_from=later, **HOME)
    assert "Oslo" not in text(as_alice)
    for _ in range(2):
        corrections.set_hidden(as_alice.id, oslo.id, NOW, hidden=False)
    assert "Oslo" in text(as_alice)
    assert changes(as_alice) == ["hidden", "shown"]
    first, _ = (
        add_fact("likes", thing, f"The user likes {thing}.", key="music") for thing in ("ska", "opera")
    )
    corrections.set_hidden(as_alice.id, first.id, NOW, hidden=True)
    assert ("ska" in text(as_alice), "opera" in text(as_alice)) == (False, True)


def test_changed_facts_show_at_once_and_are_rewritten_after_the_interval(as_alice, bob, priya, add_fact):
    with tenant(bob.id):
        assert not profile_due(bob.id, NOW)
        assert not refresh_profile(bob.id, NOW), "there are no facts to write about"
    assert refresh_profile(as_alice.id, NOW)
    assert not refresh_profile(as_alice.id, NOW)
    assert stored(as_alice).written_by == "rules"
    assert "The user lives in Zürich." in stored(as_alice).paragraphs[0]
    assert written(as_alice) == [{"by": "rules", "refused": ""}]
    assert not Usage.objects.exists()
    add_fact("likes", "opera", "The user likes opera.", key="preference_opera")
    prose = profile_of(as_alice.id, NOW).prose
    assert (prose.written_by, "opera" in prose.text) == ("rules", True)
    assert not profile_due(as_alice.id, NOW)
    with current.using(chat=FakeChat([ANSWER])):
        assert refresh_profile(as_alice.id, NOW + REFRESH_INTERVAL)
    assert [each["by"] for each in written(as_alice)] == ["rules", "model"]


def test_an_unsupported_answer_is_not_used_and_requested_three_times(as_alice, priya):
    wrong = json.dumps({"paragraphs": ["Priya lives in Rome with Anna."]})
    chat = FakeChat(answer=lambda request: wrong)
    with current.using(chat=chat):
        for hours in range(40):
            refresh_profile(as_alice.id, NOW + hours * HOUR)
    assert len(chat.requests) == 3
    assert stored(as_alice).written_by == "rules"
    assert "Anna" not in str(stored(as_alice).paragraphs)
    assert Usage.objects.filter(user_id=as_alice.id).count() == 3
    refused = "It mentioned a name or number that is in no fact."
    assert written(as_alice) == [{"by": "rules", "refused": refused}]


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
    assert "Zürich" not in text(as_alice)
    assert not profile_due(as_alice.id, NOW), "the interval applies as after a refresh"
    assert refresh_profile(as_alice.id, NOW + REFRESH_INTERVAL)
    assert stored(as_alice).paragraphs
    assert "Zürich" not in str(stored(as_alice).paragraphs)
    undo(as_alice.id, deletion.id, NOW)
    assert "Zürich" in text(as_alice)
    Fact.objects.update(status="rejected")
    assert refresh_profile(as_alice.id, NOW + 2 * REFRESH_INTERVAL)
    assert stored(as_alice).paragraphs == [], "nothing is left to write about"


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
        return json.dumps({"paragraphs": ["Priya lives in Zürich.", "She likes jazz and 香菜."]})

    model = FakeChat(answer=answer)
    with current.using(chat=model):
        assert refresh_due(as_alice.id, NOW)
        assert not upkeep_due(as_alice.id, NOW)
        assert not refresh_due(as_alice.id, NOW)
    assert other_results == [False]
    assert len(model.requests) == 1
    assert stored(as_alice).written_by == "model"
    assert Usage.objects.filter(user_id=as_alice.id, source="memory_summary").count() == 1


def test_any_change_of_a_fact_changes_the_mark(as_alice, priya):
    seen = [current_mark(as_alice.id)]
    changes = [{"times_seen": 9}, {"valid_to": NOW}, {"valid_from": NOW}, {"deleted_at": NOW}, {"version": 2}]
    for change in (*changes, {"deleted_at": None, "status": "rejected"}):
        Fact.objects.filter(id=priya[3].id).update(**change)
        seen.append(current_mark(as_alice.id))
    Fact.objects.filter(id=priya[3].id).update(deleted_at=NOW, status="active")
    assert current_mark(as_alice.id) == seen[-2], "undone"
    Fact.objects.filter(id=priya[3].id).update(deleted_at=None)
    Fact.objects.filter(id=priya[4].id).update(status="rejected")
    seen.append(current_mark(as_alice.id))
    assert len(set(seen)) == len(seen), "not even two opposite changes cancel out"
