from datetime import timedelta

import pytest

from accounts.tenancy import tenant
from memory.models import ActivityEvent, Drawer, Fact, HiddenValue, Profile, ProfileText
from memory.projections import corrections, values
from memory.projections.corrections import write_own_words
from memory.projections.profile import OWNER, profile_of, prose_of
from memory.projections.values import digest_of, in_sections, value_digest, values_of
from tests.memory.palaces import MONDAY, file

NOW = MONDAY + timedelta(days=30)


@pytest.fixture
def written(as_alice, priya):
    """Prose that a model wrote about the current facts."""
    return Profile.objects.create(
        user=as_alice,
        digest=digest_of(values_of(as_alice.id, NOW).shown),
        paragraphs=["Priya is from Zürich."],
        written_by=Profile.Writer.MODEL,
    )


def test_prose_of_a_model_is_used_while_its_facts_are_current(as_alice, bob, written, priya):
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


def shown_values(user):
    return {fact.value for fact in values_of(user.id, NOW).shown}


def test_current_values_are_grouped_in_sections_with_single_values_first(as_alice, bob, priya, add_fact):
    found = [fact.value for fact in values_of(as_alice.id, NOW).shown]
    assert set(found[:4]) == {"Priya", "Zürich", "data engineer", "Tom Baker"}
    assert set(found[4:]) == {"jazz", "香菜", "penicillin"}
    assert [(name, {fact.value for fact in facts}) for name, facts in in_sections(priya)] == [
        ("self", {"Priya", "Zürich", "data engineer"}),
        ("people", {"Tom Baker"}),
        ("tastes", {"jazz", "香菜"}),
        ("care", {"penicillin"}),
    ]
    one = {"single_valued": True, "kind": "identity", "key": "home_city"}
    add_fact("lives_in", "Oslo", "The user lives in Oslo.", **one, valid_from=MONDAY + timedelta(days=3))
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


def test_hidden_values_leave_room_for_those_that_follow(as_alice, priya, monkeypatch):
    monkeypatch.setattr(values, "BATCH", 2)
    first = values_of(as_alice.id, NOW).shown[:3]
    for fact in first:
        HiddenValue.objects.create(user_id=as_alice.id, digest=value_digest(fact))
    found = values_of(as_alice.id, NOW)
    assert found.hidden == first
    assert len(found.shown) == 4


def test_the_digest_depends_on_the_statements_but_not_on_their_order(priya):
    digest = digest_of(priya)
    assert digest_of(priya[::-1]) == digest
    assert digest_of(priya[1:]) != digest
    priya[0].times_seen += 1
    assert digest_of(priya) == digest
    priya[0].statement = "The user's name is Ana."
    assert digest_of(priya) != digest


def test_a_hidden_single_value_stays_hidden_when_it_changes():
    def city(value, *, single=True):
        return Fact(key="home_city", value=value, single_valued=single)

    assert value_digest(city("Oslo")) == value_digest(city("Porto"))
    assert value_digest(city("Oslo", single=False)) != value_digest(city("Porto", single=False))


HOUR = timedelta(hours=1)


def text(user):
    return prose_of(user.id, NOW).text


def changes(user):
    kind = ActivityEvent.Kind.PROFILE_CHANGED
    events = ActivityEvent.objects.filter(user_id=user.id, kind=kind).order_by("id")
    return [details["change"] for details in events.values_list("details", flat=True)]


def test_own_words_replace_the_prose_and_every_version_is_kept_until_erased(as_alice, priya):
    assert write_own_words(as_alice.id, "One.", NOW) is None
    words = "  Я — Priya.\n\nCall me <b>P</b>. 🙂 "
    assert write_own_words(as_alice.id, words, NOW + HOUR).text == "One."
    write_own_words(as_alice.id, words, NOW + HOUR)
    view = profile_of(as_alice.id, NOW)
    assert [each.text for each in view.versions] == [words, "One."]
    assert (view.prose.text, view.prose.written_by, view.own_words.text) == (words, "owner", words)
    assert view.sections

    corrections.restore_version(as_alice.id, view.earlier[0].id, NOW + 2 * HOUR)
    assert text(as_alice) == "One."
    write_own_words(as_alice.id, " ", NOW + 3 * HOUR)
    assert "Zürich" in text(as_alice)
    assert changes(as_alice) == ["own_words", "own_words", "own_words", "own_words_ended"]
    for each in ProfileText.objects.all():
        corrections.erase_words(as_alice.id, each.id, NOW)
    assert not ProfileText.objects.exists()


def test_a_hidden_value_stays_out_of_the_profile_when_it_changes_until_shown(as_alice, priya, add_fact):
    home = priya[1]
    for _ in range(2):
        corrections.set_hidden(as_alice.id, home.id, NOW, hidden=True)
    view = profile_of(as_alice.id, NOW)
    assert "Zürich" not in view.prose.text
    assert [fact.id for fact in view.hidden] == [home.id]
    home.refresh_from_db()
    assert home.status == "active"

    given = {"key": "home_city", "kind": "identity", "single_valued": True}
    later = MONDAY + timedelta(days=2)
    oslo = add_fact("lives_in", "Oslo", "The user lives in Oslo.", valid_from=later, **given)
    assert "Oslo" not in text(as_alice)
    for _ in range(2):
        corrections.set_hidden(as_alice.id, oslo.id, NOW, hidden=False)
    assert "Oslo" in text(as_alice)
    assert changes(as_alice) == ["hidden", "shown"]


def test_hiding_one_of_several_values_keeps_the_others(as_alice, add_fact):
    first = add_fact("likes", "jazz", "The user likes jazz.", key="music")
    add_fact("likes", "opera", "The user likes opera.", key="music")
    corrections.set_hidden(as_alice.id, first.id, NOW, hidden=True)
    assert text(as_alice) == "The user likes opera."
