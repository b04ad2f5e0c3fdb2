"""Validity intervals of facts, and how a new fact changes them."""

import itertools
from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import transaction

from memory.facts.filing import file_fact
from memory.facts.queries import current_facts
from memory.facts.review.wording import Wording, edit
from memory.forgetting.trash import delete, undo
from memory.models import Fact, FactSource
from memory.organize.notes import Note, save_note
from tests.drills.ledger import NOW
from tests.memory.facts.statements import statement_in
from tests.memory.facts.stories import DAY
from tests.memory.palaces import MONDAY, Spot, file, learn

pytestmark = pytest.mark.usefixtures("embedder")


def say(user, value, day, *, single=True, review="", key="home_city", drawer=None, until=None,
        by="user", later=0):  # fmt: skip
    """File that somebody (`by`) says, `later` days after a day, that the user lives somewhere from that day
    on, or lived there `until` another day."""
    at = NOW + day * DAY
    if drawer is None:
        [drawer] = file(user.id, [f"I live in {value}. ({uuid4()})"], Spot(start=at + later * DAY), role=by)
    statement = statement_in(
        drawer,
        (0, 5),
        kind="identity",
        key=key,
        value=value,
        statement=f"The user lives in {value}." if until is None else f"Lived in {value}: {day}.",
        until=None if until is None else NOW + until * DAY,
        event_time=None if until is None else at,
        predicate="lives_in",
        object=value,
        confidence=0.9,
        authority=by,
        valid_from=at,
        single_valued=single,
        review_reason=review,
    )
    file_fact(statement)
    return drawer


def history(user):
    """Each value with the days from and to which it held; zero-length ones are left out."""
    facts = Fact.objects.filter(user_id=user.id, deleted_at=None).order_by("valid_from", "id")
    return [
        (fact.value, (fact.valid_from - NOW).days, fact.valid_to and (fact.valid_to - NOW).days)
        for fact in facts
        if fact.valid_from != fact.valid_to
    ]


def current_values(user):
    return [fact.value for fact in current_facts(user.id)]


def rows(user):
    names = [field.attname for field in Fact._meta.concrete_fields]
    facts = Fact.objects.filter(user_id=user.id).order_by("id").values_list(*names)
    sources = FactSource.objects.filter(user_id=user.id).order_by("id")
    return repr(list(facts)), list(sources.values_list("fact_id", "drawer_id", "start", "end"))


def test_confirming_a_claim_for_an_earlier_day_does_not_end_later_values(as_alice):
    say(as_alice, "Porto", 0)
    say(as_alice, "Porto", 60)
    say(as_alice, "Oslo", 70, by="assistant", review="It was not said by the user.")
    assert history(as_alice) == [("Porto", 0, None), ("Oslo", 70, None)]
    say(as_alice, "Oslo", 20)
    assert history(as_alice) == [("Porto", 0, 20), ("Oslo", 20, 60), ("Porto", 60, None)]
    assert current_values(as_alice) == ["Porto"]


def test_repeating_a_fact_in_any_case_only_adds_a_source(as_alice):
    first = say(as_alice, "Porto", 0)
    say(as_alice, "PORTO ", 1)
    say(as_alice, "Porto", 0, drawer=first)
    fact = Fact.objects.get(user_id=as_alice.id)
    assert (fact.times_seen, fact.sources.count()) == (2, 2)
    assert history(as_alice) == [("Porto", 0, None)]


def test_a_new_value_ends_the_old_one_at_the_instant_it_starts(as_alice):
    for city, day in (("Porto", 0), ("Oslo", 5)):
        say(as_alice, city, day)
    old, new = Fact.objects.order_by("valid_from")
    instant = NOW + 5 * DAY
    assert (old.status, old.valid_to, old.superseded_by_id) == ("superseded", instant, new.id)
    before = instant - timedelta(microseconds=1)
    values = [current_facts(as_alice.id, at).get().value for at in (before, instant)]
    assert values == ["Porto", "Oslo"]
    assert not current_facts(as_alice.id, NOW - DAY).exists()
    say(as_alice, "Lima", 1, key="birth_city")
    assert sorted(current_values(as_alice)) == ["Lima", "Oslo"], "other keys are left alone"


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_a_period_stated_later_covers_what_was_said_meanwhile(as_alice, order):
    said = [("Oslo", 30, 0), ("Porto", 10, 90)]  # "I live in Oslo"; two months later: "in Porto since May"
    for place in order:
        city, day, later = said[place]
        say(as_alice, city, day, later=later)
    assert history(as_alice) == [("Porto", 10, None)]
    assert current_values(as_alice) == ["Porto"]
    say(as_alice, "Oslo", 120)
    assert history(as_alice) == [("Porto", 10, 120), ("Oslo", 120, None)]


def test_a_start_stated_earlier_survives_a_period_stated_later(as_alice):
    say(as_alice, "Oslo", 30, later=5)
    say(as_alice, "Porto", 10, later=90)
    assert history(as_alice) == [("Porto", 10, 30), ("Oslo", 30, None)]


def test_a_period_stated_later_does_not_end_what_has_its_own_start(as_alice):
    say(as_alice, "Oslo", 40, later=5)
    say(as_alice, "Oslo", 50)
    say(as_alice, "Porto", 10, later=90)
    assert history(as_alice) == [("Porto", 10, 40), ("Oslo", 40, None)]


def test_a_date_guessed_by_an_assistant_makes_no_period_of_the_owner(as_alice):
    say(as_alice, "Porto", 10, by="assistant", review="It was not said by the user.")
    say(as_alice, "Oslo", 40)
    say(as_alice, "Porto", 70)
    assert history(as_alice)[1:] == [("Oslo", 40, 70), ("Porto", 70, None)]


def test_a_restored_source_joins_the_fact_filed_meanwhile(as_alice):
    old = say(as_alice, "Porto", 0)
    deletion = delete(as_alice.id, "drawer", old.id, NOW)
    say(as_alice, "Porto", 4)
    undo(as_alice.id, deletion.id, NOW)
    fact = current_facts(as_alice.id).get()
    assert (fact.times_seen, fact.sources.count(), fact.valid_from) == (2, 2, NOW)


def test_rejected_facts_stay_rejected_and_facts_in_review_end_nothing(as_alice):
    say(as_alice, "Porto", 0, review="Unsure.")
    Fact.objects.filter(user_id=as_alice.id).update(status="rejected")
    say(as_alice, "Porto", 3)
    say(as_alice, "Porto", -3)
    fact = Fact.objects.get(user_id=as_alice.id)
    assert (fact.status, fact.times_seen, fact.valid_from) == ("rejected", 3, NOW)
    assert current_values(as_alice) == []
    say(as_alice, "Lima", 4)
    say(as_alice, "Oslo", 5, review="Unsure.")
    assert current_values(as_alice) == ["Lima"]


def say_over(user, city, day, **given):
    """File that the user no longer lives somewhere, as said on a day."""
    at = NOW + day * DAY
    drawer = save_note(user.id, Note(f"No longer in {city}."), at)
    fields = {"key": "home_city", "predicate": "lives_in", "object": city, "value": city}
    fields |= {"kind": "identity", "confidence": 0.9, "authority": "user", "valid_from": at} | given
    statement = f"The user no longer lives in {city}."
    file_fact(statement_in(drawer, (0, 5), ended=True, statement=statement, **fields))
    return drawer


def say_lived(user, city, day, until):
    """File twice that the user lived somewhere from a day to another."""
    drawer = save_note(user.id, Note(f"I lived in {city}."), NOW + 99 * DAY)
    for _ in range(2):
        say(user, city, day, drawer=drawer, until=until)
    return drawer


def test_a_past_fact_is_deleted_and_restored_with_its_drawer(as_alice):
    say(as_alice, "Oslo", 9)
    words = say_lived(as_alice, "Porto", 2, 5)
    before = rows(as_alice)
    deletion = delete(as_alice.id, "drawer", words.id, NOW)
    assert history(as_alice) == [("Oslo", 9, None)]
    undo(as_alice.id, deletion.id, NOW)
    assert rows(as_alice) == before


@pytest.mark.parametrize(
    ("known", "single", "given", "current"),
    [
        ("Porto", True, {"review_reason": "Unsure."}, ["Porto"]),
        ("Porto Alegre", True, {}, []),
        ("Porto Alegre", False, {}, ["Porto Alegre"]),
        ("Porto", False, {"key": "residence", "value": "a flat in Porto"}, []),
    ],
    ids=["in review", "the first words of the only value", "one of many values", "another key"],
)
def test_saying_that_a_value_is_over_ends_the_matching_value(as_alice, known, single, given, current):
    say(as_alice, known, 0, single=single)
    say_over(as_alice, "Porto", 5, **given)
    assert current_values(as_alice) == current


def test_a_past_value_ends_no_other_and_ends_with_the_next_value(as_alice):
    statements = [
        ("Porto", 0, {}),
        ("Oslo", 5, {}),
        ("Porto", 2, {"single": False, "until": 9}),
        ("Lima", -20, {"single": False, "until": -10}),
    ]
    said = [
        (city, day, given | {"drawer": save_note(as_alice.id, Note(f"In {city}, {day}."), NOW + day * DAY)})
        for city, day, given in statements
    ]
    for order in itertools.permutations(said):
        with transaction.atomic():
            for city, day, given in order:
                say(as_alice, city, day, **given)
            cities = [("Lima", -20, -10), ("Porto", 0, 5), ("Porto", 2, 5), ("Oslo", 5, None)]
            assert history(as_alice) == cities
            assert current_values(as_alice) == ["Oslo"]
            transaction.set_rollback(True)


def test_a_start_set_by_the_owner_survives_deleting_a_source(as_alice):
    first = say(as_alice, "Porto", 0)
    say(as_alice, "Porto", 2)
    Fact.objects.update(valid_from=NOW - 900 * DAY)
    delete(as_alice.id, "drawer", first.id, NOW)
    assert history(as_alice) == [("Porto", -900, None)]


CITY = {"key": "home_city", "predicate": "lives_in", "kind": "other", "single_valued": True}


@pytest.fixture
def drawers(as_alice, embedder):
    first = file(as_alice.id, ["I live in Porto.", "My home is Porto."], Spot(room="One"))
    return [*first, *file(as_alice.id, ["Now in Oslo."], Spot(room="Two"))]


def lives(drawer, city, statement="", **given):
    words = given.pop("words", city)
    said = statement or f"The user lives in {city}."
    return learn(drawer, words, said, **(CITY | {"value": city} | given))


def test_the_same_value_in_other_words_is_the_same_fact(drawers):
    lives(drawers[0], "Porto")
    with pytest.raises(AssertionError):
        lives(drawers[1], "Porto", "The user's home is in Porto.", value="porto.")
    fact = Fact.objects.get()
    assert (fact.times_seen, fact.sources.count()) == (2, 2)


@pytest.mark.parametrize("repeated", [{}, {"review_reason": "Not said by you."}])
@pytest.mark.parametrize("known", [{}, {"authority": "assistant", "review_reason": "Not said by you."}])
def test_repetition_by_an_assistant_adds_no_source(drawers, known, repeated):
    fact = lives(drawers[0], "Porto", **known)
    Fact.objects.update(archived_at=NOW)
    before = Fact.objects.values().get()
    earlier = MONDAY - timedelta(days=9)
    for statement in ("", "The user's home is in Porto."):
        with pytest.raises(AssertionError):
            lives(drawers[1], "Porto", statement, authority="assistant", valid_from=earlier, **repeated)
    assert Fact.objects.values().get() == before
    assert [source.drawer_id for source in fact.sources.all()] == [drawers[0].id]


def test_a_fact_stored_with_another_wording_is_recognised(drawers):
    first = lives(drawers[0], "Porto", "The user's home: Porto.")
    with pytest.raises(AssertionError):
        lives(drawers[1], "Porto", words="Porto")
    assert Fact.objects.get().statement == "The user's home: Porto."
    given = Wording("I live by the sea.", first.kind, "the sea", first.valid_from)
    edit(first.user_id, first.id, given, NOW)
    with pytest.raises(AssertionError):
        lives(drawers[0], "Porto")
    assert Fact.objects.get().statement == "The user wrote about themselves: “I live by the sea.”"


def test_confidence_is_capped_by_authority(drawers):
    caps = {"user": 0.9, "tool": 0.95, "external": 0.7, "assistant": 0.7}
    for authority in caps:
        lives(drawers[0], authority, words="Porto", key=authority, authority=authority, confidence=1)
    assert dict(Fact.objects.values_list("authority", "confidence")) == caps


def test_claims_by_others_go_to_review_and_do_not_end_the_owners_facts(drawers):
    lives(drawers[0], "Porto")
    for day, authority in enumerate(("assistant", "tool", "external"), start=9):
        claimed = lives(drawers[2], "Oslo", authority=authority, valid_from=MONDAY + timedelta(days=day))
        assert claimed.status == "pending_review"
        assert "contradicts" in claimed.review_reason
        assert [fact.value for fact in current_facts(claimed.user_id)] == ["Porto"]
        Fact.objects.filter(id=claimed.id).delete()

    Fact.objects.update(authority="tool")
    lives(drawers[2], "Oslo", valid_from=MONDAY + timedelta(days=9))
    assert [fact.value for fact in current_facts(drawers[0].user_id)] == ["Oslo"]


def test_simultaneous_values_follow_their_order_in_a_chat_but_go_to_review_across_chats(drawers):
    lives(drawers[0], "Porto", valid_from=MONDAY)
    other = lives(drawers[2], "Oslo", valid_from=MONDAY)
    assert other.status == "pending_review"
    lives(drawers[1], "Lima", words="home", valid_from=MONDAY)
    assert [fact.value for fact in current_facts(drawers[0].user_id)] == ["Lima"]


def test_a_claim_that_the_owner_repeats_is_approved(drawers):
    claimed = lives(drawers[0], "Porto", authority="assistant", review_reason="Not said by you.")
    assert claimed.status == "pending_review"
    with pytest.raises(AssertionError):
        lives(drawers[1], "Porto")
    claimed.refresh_from_db()
    assert (claimed.status, claimed.authority, claimed.confidence) == ("active", "user", 0.9)


@pytest.mark.parametrize(
    "reasons", [("Palace is not confident about it.", ""), ("", "Palace is not confident about it.")]
)
def test_a_doubtful_source_counts_beside_a_certain_one(drawers, reasons):
    fact = lives(drawers[0], "Porto", review_reason=reasons[0])
    with pytest.raises(AssertionError):
        lives(drawers[1], "Porto", review_reason=reasons[1])
    fact.refresh_from_db()
    assert (fact.status, fact.times_seen) == ("active", 2)


def test_a_value_contradicted_on_one_date_but_valid_on_another_is_one_fact(as_alice, embedder):
    chats = [file(as_alice.id, [f"{n}. City."], Spot(room=f"{n}"))[0] for n in range(4)]
    days = (0, 9, 20, 9)  # Lima at the very moment at which Porto began
    for drawer, city, day in zip(chats[:3], ("Oslo", "Porto", "Lima"), days, strict=False):
        lives(drawer, city, words="City", valid_from=NOW + timedelta(days=day))
    with pytest.raises(AssertionError):
        lives(chats[3], "Lima", words="City", valid_from=NOW + timedelta(days=9))
    facts = Fact.objects.exclude(status=Fact.Status.SUPERSEDED)
    assert [(fact.value, fact.status, fact.times_seen) for fact in facts] == [("Lima", "active", 2)]
