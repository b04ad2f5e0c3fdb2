"""Validity intervals of facts, and how a new fact changes them."""

import itertools
import re
from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import transaction

from memory.facts.conflicts import contradicted_by
from memory.facts.filing import file_fact
from memory.facts.queries import current_facts
from memory.facts.review.decisions import approve, reject, return_to_review
from memory.facts.review.decisions import undo as undo_decision
from memory.facts.review.wording import Wording, edit
from memory.facts.validity import LESS_CERTAIN
from memory.forgetting.trash import delete, undo
from memory.models import Fact, FactSource
from memory.organize.notes import Note, save_note
from tests.drills.ledger import NOW
from tests.memory.palaces import Spot, file, statement_in

pytestmark = pytest.mark.usefixtures("embedder")

DAY = timedelta(days=1)


def say(user, city, day, *, later=0, drawer=None, until=None, over=False, by="user", **given):
    """File a statement that `by` makes `later` days after `day`: the user has lived in a city since `day`,
    lived there from `day` `until` another one, or no longer lives there."""
    at = NOW + day * DAY
    if drawer is None:
        [drawer] = file(user.id, [f"I live in {city}. ({uuid4()})"], Spot(start=at + later * DAY), role=by)
    fields = {"kind": "identity", "key": "home_city", "predicate": "lives_in", "single_valued": True}
    fields |= dict.fromkeys(("value", "object"), city) | {"confidence": 0.9, "authority": by}
    fields |= {"statement": f"The user lives in {city}.", "valid_from": at}
    if until is not None:
        fields |= {"statement": f"Lived in {city}: {day}.", "until": NOW + until * DAY, "event_time": at}
    file_fact(statement_in(drawer, (0, 5), ended=over, **fields | given))
    return drawer


def history(user):
    """Each value with the days between which it held, and `?` if it is in review; no empty intervals."""
    facts = Fact.objects.filter(user_id=user.id, deleted_at=None).order_by("valid_from", "id")
    return [
        f"{fact.value} {(fact.valid_from - NOW).days}–{(fact.valid_to - NOW).days if fact.valid_to else ''}"
        + "?" * (fact.status == Fact.Status.PENDING)
        for fact in facts
        if fact.valid_from != fact.valid_to
    ]


def current_values(user):
    return [fact.value for fact in current_facts(user.id)]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("P0 P60 O70?", "P 0–, O 70–?"),  # a claim in review ends nothing
        (
            "P0 P60 O70? O20",
            "P 0–20, O 20–60, P 60–",
        ),  # nor does confirming it for an earlier day end later ones
        ("O30 P10+90", "P 10–"),  # a period stated later covers what was said meanwhile
        ("P10+90 O30", "P 10–"),
        ("O30 P10+90 O120", "P 10–120, O 120–"),
        ("P10+90 O30 O120", "P 10–120, O 120–"),
        ("O30+5 P10+90", "P 10–30, O 30–"),  # but not a start stated earlier
        ("O40+5 O50 P10+90", "P 10–40, O 40–"),  # nor what has its own start
        ("P10? O40 P70", "P 10–40, O 40–70, P 70–"),  # an assistant's guess starts no period
        ("P30 P10+40!", ""),  # an end stated within a month covers what was said meanwhile
        ("P30 P10+90!", "P 30–"),
        ("P5+30 P40 P10+50! P120", "P 5–10, P 120–"),
    ],
)
def test_validity_follows_from_what_was_said_and_when(as_alice, said, expected):
    """`P10+90?`: an assistant says on day 100 that it has been P since day 10; `P10+90!`: the user says on
    day 100 that P ended on day 10."""
    for value, day, later, mark in re.findall(r"(\w)(\d+)\+?(\d*)([?!]?)", said):
        guessed = {"by": "assistant", "review_reason": "It was not said by the user."}
        claim = {"?": guessed, "!": {"over": True}}.get(mark, {})
        say(as_alice, value, int(day), later=int(later or 0), **claim)
    assert ", ".join(history(as_alice)) == expected


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("P0 o3", "P 0–, O 3–?"),
        ("P0 o3 o4", "P 0–, O 3–?"),
        ("P0 o3 O6", "P 0–6, O 6–"),  # begins when it is clearly stated
        ("P0 o3 O6 P9", "P 0–6, O 6–9, P 9–"),
        ("o3 P5", "O 3–5, P 5–"),
        ("o3 p5", "O 3–5, P 5–"),
        ("P0 !P2 o3", "P 0–2, O 3–"),
        ("P0 O5 !P8+3", "P 0–8, O 5–"),  # a stated end counts more than one that follows from another value
        ("P0 O5 !P8", "P 0–5, O 5–"),
    ],
)
def test_a_clearly_less_certain_value_waits_in_whatever_order_they_are_filed(as_alice, said, expected):
    """`o3`: a statement that may be misread; `!P8+3`: said on day 11 that P ended on day 8."""
    found = re.findall(r"(!?)(\w)(\d+)\+?(\d*)", said)
    for order in itertools.permutations(found):
        with transaction.atomic():
            for over, value, day, later in order:
                given = {"over": bool(over), "confidence": 0.9 if value.isupper() else 0.6}
                say(as_alice, value.upper(), int(day), later=int(later or 0), **given)
            assert ", ".join(history(as_alice)) == expected, order
            transaction.set_rollback(True)


def test_a_source_of_unknown_certainty_does_not_become_more_certain_by_a_repetition(as_alice):
    say(as_alice, "Porto", 0)
    say(as_alice, "Oslo", 3, confidence=0.6)
    FactSource.objects.filter(fact__value="Oslo").update(confidence=None)
    say(as_alice, "Oslo", 6)
    assert history(as_alice) == ["Porto 0–6", "Oslo 6–"]


def test_deleting_the_surer_source_makes_a_fact_less_certain(as_alice):
    say(as_alice, "Porto", 0, confidence=0.6)
    surer = say(as_alice, "Porto", 2)
    deletion = delete(as_alice.id, "drawer", surer.id, NOW)
    assert Fact.objects.get().confidence == 0.6
    undo(as_alice.id, deletion.id, NOW)
    assert Fact.objects.get().confidence == 0.9


def test_a_value_that_waits_shows_what_it_contradicts_and_holds_once_that_is_gone_or_it_is_approved(as_alice):
    porto = say(as_alice, "Porto", 0)
    say(as_alice, "Oslo", 3, confidence=0.6)
    oslo = Fact.objects.get(value="Oslo")
    assert (oslo.review_reason, contradicted_by(oslo).value) == (LESS_CERTAIN, "Porto")
    deletion = delete(as_alice.id, "drawer", porto.id, NOW)
    assert history(as_alice) == ["Oslo 3–"]
    undo(as_alice.id, deletion.id, NOW)
    assert history(as_alice) == ["Porto 0–", "Oslo 3–?"]
    approval = approve(as_alice.id, [oslo.id], NOW)
    assert history(as_alice) == ["Porto 0–3", "Oslo 3–"]
    undo_decision(as_alice.id, approval.event_id, NOW)
    assert history(as_alice) == ["Porto 0–", "Oslo 3–?"]
    reject(as_alice.id, [oslo.id], NOW)
    say(as_alice, "Oslo", 4)
    assert history(as_alice)[0] == "Porto 0–"
    return_to_review(as_alice.id, [oslo.id], NOW)
    delete(as_alice.id, "drawer", porto.id, NOW)
    assert history(as_alice) == ["Oslo 3–?"], "its owner moved it"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"location": ""}, ["Ruzafa 5–"]),
        ({"location": "x"}, ["Ruzafa 5–", "Valencia 5–"]),
        ({"location": "x", "second": 0.6}, ["Ruzafa 5–", "Valencia 5–?"]),
    ],
)
def test_of_two_values_in_one_message_the_more_certain_one_holds_and_places_may_lie_in_each_other(
    as_alice, given, expected
):
    [drawer] = file(as_alice.id, ["A flat in Ruzafa, Valencia."])
    second, values = given.pop("second", 0.8), {"Ruzafa": 0.85}
    say(as_alice, "Porto", 0, **given)
    for value, confidence in (values | {"Valencia": second}).items():
        say(as_alice, value, 5, drawer=drawer, confidence=confidence, **given)
    assert sorted(history(as_alice)) == ["Porto 0–5", *expected]
    say(as_alice, "Oslo", 9, **given)
    assert current_values(as_alice) == ["Oslo"]


def test_a_new_value_ends_the_old_one_at_the_instant_it_starts(as_alice):
    say(as_alice, "Porto", 0)
    say(as_alice, "Oslo", 5)
    old, new = Fact.objects.order_by("valid_from")
    instant = NOW + 5 * DAY
    assert (old.status, old.valid_to, old.superseded_by_id) == ("superseded", instant, new.id)
    before = instant - timedelta(microseconds=1)
    values = [current_facts(as_alice.id, at).get().value for at in (before, instant)]
    assert values == ["Porto", "Oslo"]
    assert not current_facts(as_alice.id, NOW - DAY).exists()
    say(as_alice, "Lima", 1, key="birth_city")
    assert sorted(current_values(as_alice)) == ["Lima", "Oslo"], "other keys are left alone"


def test_a_restored_source_joins_the_fact_filed_meanwhile(as_alice):
    old = say(as_alice, "Porto", 0)
    deletion = delete(as_alice.id, "drawer", old.id, NOW)
    say(as_alice, "Porto", 4)
    undo(as_alice.id, deletion.id, NOW)
    fact = current_facts(as_alice.id).get()
    assert (fact.times_seen, fact.sources.count(), fact.valid_from) == (2, 2, NOW)


def test_rejected_facts_stay_rejected_and_facts_in_review_end_nothing(as_alice):
    say(as_alice, "Porto", 0, review_reason="Unsure.")
    Fact.objects.filter(user_id=as_alice.id).update(status="rejected")
    say(as_alice, "Porto", 3)
    say(as_alice, "Porto", -3)
    fact = Fact.objects.get(user_id=as_alice.id)
    assert (fact.status, fact.times_seen, fact.valid_from) == ("rejected", 3, NOW)
    assert current_values(as_alice) == []
    say(as_alice, "Lima", 4)
    say(as_alice, "Oslo", 5, review_reason="Unsure.")
    assert current_values(as_alice) == ["Lima"]


def rows():
    return [list(table.objects.order_by("id").values()) for table in (Fact, FactSource)]


def test_a_past_fact_is_deleted_and_restored_with_its_drawer(as_alice):
    say(as_alice, "Oslo", 9)
    words = say(as_alice, "Porto", 2, until=5)
    say(as_alice, "Porto", 2, until=5, drawer=words)
    before = rows()
    deletion = delete(as_alice.id, "drawer", words.id, NOW)
    assert history(as_alice) == ["Oslo 9–"]
    undo(as_alice.id, deletion.id, NOW)
    assert rows() == before


OTHER_KEY = {"key": "residence", "value": "a flat in Porto"}


@pytest.mark.parametrize(
    ("known", "single", "given", "still_holds"),
    [
        pytest.param("Porto", True, {"review_reason": "Unsure."}, True, id="in review"),
        pytest.param("Porto Alegre", True, {}, False, id="the first words of the only value"),
        pytest.param("Porto Alegre", False, {}, True, id="one of many values"),
        pytest.param("Porto", False, OTHER_KEY, False, id="another key"),
    ],
)
def test_saying_that_a_value_is_over_ends_the_matching_value(as_alice, known, single, given, still_holds):
    say(as_alice, known, 0, single_valued=single)
    say(as_alice, "Porto", 5, over=True, single_valued=False, **given)
    assert current_values(as_alice) == [known] * still_holds


def test_a_past_value_ends_no_other_and_ends_with_the_next_value(as_alice):
    said = [("Porto", 0, {}), ("Oslo", 5, {}), ("Porto", 2, {"until": 9}), ("Lima", -20, {"until": -10})]
    for city, day, given in said:
        given["drawer"] = save_note(as_alice.id, Note(f"In {city}, {day}."), NOW + day * DAY)
        given["single_valued"] = "until" not in given
    for order in itertools.permutations(said):
        with transaction.atomic():
            for city, day, given in order:
                say(as_alice, city, day, **given)
            assert history(as_alice) == ["Lima -20–-10", "Porto 0–5", "Porto 2–5", "Oslo 5–"]
            assert current_values(as_alice) == ["Oslo"]
            transaction.set_rollback(True)


def test_a_start_set_by_the_owner_survives_deleting_a_source(as_alice):
    first = say(as_alice, "Porto", 0)
    say(as_alice, "Porto", 2)
    Fact.objects.update(valid_from=NOW - 900 * DAY)
    delete(as_alice.id, "drawer", first.id, NOW)
    assert history(as_alice) == ["Porto -900–"]


def test_the_same_value_in_other_words_is_the_same_fact(as_alice):
    first = say(as_alice, "Porto", 0, statement="The user's home: Porto.")
    say(as_alice, "Porto", 0, statement="The user's home is in Porto.", value="PORTO. ")
    fact = Fact.objects.get()
    assert (fact.statement, fact.times_seen, fact.sources.count()) == ("The user's home: Porto.", 2, 2)
    edit(fact.user_id, fact.id, Wording("I live by the sea.", fact.kind, "the sea", fact.valid_from), NOW)
    say(as_alice, "Porto", 0, drawer=first)
    assert Fact.objects.get().statement == "The user wrote about themselves: “I live by the sea.”"


@pytest.mark.parametrize("repeated", [{}, {"review_reason": "Not said by you."}])
@pytest.mark.parametrize("known", [{}, {"by": "assistant", "review_reason": "Not said by you."}])
def test_repetition_by_an_assistant_adds_no_source(as_alice, known, repeated):
    drawer = say(as_alice, "Porto", 0, **known)
    Fact.objects.update(archived_at=NOW)
    before = Fact.objects.values().get()
    for given in ({}, {"statement": "The user's home is in Porto."}):
        say(as_alice, "Porto", -9, by="assistant", **given, **repeated)
    assert Fact.objects.values().get() == before
    assert FactSource.objects.get().drawer_id == drawer.id


def test_confidence_is_capped_by_authority(as_alice):
    caps = {"user": 0.9, "tool": 0.95, "external": 0.7, "assistant": 0.7}
    for authority in caps:
        say(as_alice, authority, 0, key=authority, authority=authority, confidence=1)
    assert dict(Fact.objects.values_list("authority", "confidence")) == caps


def test_claims_by_others_go_to_review_and_do_not_end_the_owners_facts(as_alice):
    say(as_alice, "Porto", 0)
    for day, authority in enumerate(("assistant", "tool", "external"), start=9):
        say(as_alice, "Oslo", day, authority=authority)
        claimed = Fact.objects.get(value="Oslo")
        assert claimed.status == "pending_review"
        assert "contradicts" in claimed.review_reason
        assert current_values(as_alice) == ["Porto"]
        claimed.delete()
    Fact.objects.update(authority="tool")
    say(as_alice, "Oslo", 9)
    assert current_values(as_alice) == ["Oslo"]


def test_simultaneous_values_follow_their_order_in_a_chat_but_go_to_review_across_chats(as_alice):
    first, second = file(as_alice.id, ["I live in Porto.", "My home is Lima."])
    say(as_alice, "Porto", 0, drawer=first)
    say(as_alice, "Oslo", 0)
    assert history(as_alice) == ["Porto 0–", "Oslo 0–?"]
    say(as_alice, "Lima", 0, drawer=second)
    assert current_values(as_alice) == ["Lima"]


@pytest.mark.parametrize(
    ("known", "repeated"),
    [
        ({"by": "assistant", "review_reason": "Not said by you."}, {}),
        ({"review_reason": "Palace is not confident about it."}, {}),
        ({}, {"review_reason": "Palace is not confident about it."}),
    ],
    ids=["a claim", "a doubtful source first", "a doubtful source last"],
)
def test_what_the_owner_says_without_doubt_once_is_active(as_alice, known, repeated):
    for given in (known, repeated):
        say(as_alice, "Porto", 0, **given)
    fact = Fact.objects.get()
    assert (fact.status, fact.authority, fact.confidence) == ("active", "user", 0.9)
    assert fact.times_seen == 2


def test_a_value_contradicted_on_one_date_but_valid_on_another_is_one_fact(as_alice):
    for city, day in (("Oslo", 0), ("Porto", 9), ("Lima", 20), ("Lima", 9)):
        say(as_alice, city, day)  # Lima at the very moment at which Porto began
    facts = Fact.objects.exclude(status=Fact.Status.SUPERSEDED)
    assert [(fact.value, fact.status, fact.times_seen) for fact in facts] == [("Lima", "active", 2)]
