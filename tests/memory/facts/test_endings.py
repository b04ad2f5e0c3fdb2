import itertools

import pytest

from llm import current
from llm.fake_gateway import FakeEmbedder
from memory.erasure import delete, undo
from memory.facts import Statement, file_fact
from memory.models import Fact
from memory.notes import Note, save_note
from tests.drills.ledger import NOW
from tests.memory.facts.test_succession import DAY, history, now_holding, rows, say


@pytest.fixture(autouse=True)
def embedder():
    with current.using(embedder=FakeEmbedder()):
        yield


def over(user, city, day, **given):
    """File that the user no longer lives somewhere, as said on a day."""
    at = NOW + day * DAY
    drawer = save_note(user.id, Note(f"No longer in {city}."), at)
    fields = {"key": "home_city", "predicate": "lives_in", "object": city, "value": city}
    file_fact(
        user.id,
        Statement(
            kind="identity",
            statement=f"The user no longer lives in {city}.",
            confidence=0.9,
            authority="user",
            valid_from=at,
            drawer_id=drawer.id,
            span=(0, 5),
            ended=True,
            **(fields | given),
        ),
    )
    return drawer


@pytest.mark.parametrize("single", [True, False])
def test_what_is_said_to_be_over_ends_then(as_alice, single):
    say(as_alice, "Porto", 0, single=single)
    over(as_alice, "porto", 5)
    assert history(as_alice) == [("Porto", 0, 5)]
    assert now_holding(as_alice) == []


@pytest.mark.parametrize("single", [True, False])
def test_the_order_of_arrival_makes_no_difference(as_alice, single):
    told = [
        lambda user: say(user, "Porto", 0, single=single),
        lambda user: over(user, "Porto", 5),
        lambda user: say(user, "Porto", 9, single=single),
    ]
    for order in itertools.permutations(told):
        Fact.objects.all().delete()
        for tell in order:
            tell(as_alice)
        assert history(as_alice) == [("Porto", 0, 5), ("Porto", 9, None)]
        assert now_holding(as_alice) == ["Porto"]


def test_deleting_the_words_lets_it_hold_again_and_undo_ends_it(as_alice):
    say(as_alice, "Porto", 0, single=False)
    words = over(as_alice, "Porto", 5)
    before = rows(as_alice)
    deletion = delete(as_alice.id, "drawer", words.id, NOW)
    assert history(as_alice) == [("Porto", 0, None)]
    undo(as_alice.id, deletion.id, NOW)
    assert rows(as_alice) == before


def test_another_value_goes_on(as_alice):
    say(as_alice, "Porto", 0, single=False)
    over(as_alice, "Oslo", 5)
    assert now_holding(as_alice) == ["Porto"]


def test_another_key_of_the_same_predicate_and_object_is_meant_too(as_alice):
    say(as_alice, "Porto", 0, single=False)
    over(as_alice, "Porto", 5, key="residence", value="a flat in Porto")
    assert now_holding(as_alice) == []


def lived(user, city, day, until):
    """File that the user lived somewhere from a day to another, as said long after."""
    drawer = save_note(user.id, Note(f"I lived in {city}."), NOW + 99 * DAY)
    fields = {"key": "home_city", "predicate": "lives_in", "object": city, "value": city}
    statement = Statement(
        kind="identity",
        statement=f"The user lives in {city}.",
        confidence=0.9,
        authority="user",
        valid_from=NOW + day * DAY,
        until=NOW + until * DAY,
        drawer_id=drawer.id,
        span=(0, 5),
        single_valued=True,
        **fields,
    )
    file_fact(user.id, statement)
    file_fact(user.id, statement)
    return drawer


def test_a_past_stretch_goes_with_its_words_and_comes_back(as_alice):
    say(as_alice, "Oslo", 9)
    words = lived(as_alice, "Porto", 2, 5)
    before = rows(as_alice)
    deletion = delete(as_alice.id, "drawer", words.id, NOW)
    assert history(as_alice) == [("Oslo", 9, None)]
    undo(as_alice.id, deletion.id, NOW)
    assert rows(as_alice) == before


def test_what_waits_for_review_ends_nothing(as_alice):
    say(as_alice, "Porto", 0)
    over(as_alice, "Porto", 5, review_reason="Unsure.")
    assert now_holding(as_alice) == ["Porto"]


def test_the_next_value_after_an_end_begins_with_itself(as_alice):
    say(as_alice, "Porto", 0)
    over(as_alice, "Porto", 5)
    say(as_alice, "Oslo", 9)
    assert history(as_alice) == [("Porto", 0, 5), ("Oslo", 9, None)]


def test_the_first_words_name_a_value_of_which_there_is_only_one(as_alice):
    say(as_alice, "Porto Alegre", 0)
    over(as_alice, "Porto", 5)
    assert now_holding(as_alice) == []


def test_where_there_may_be_many_every_word_counts(as_alice):
    say(as_alice, "Porto Alegre", 0, single=False)
    over(as_alice, "Porto", 5)
    assert now_holding(as_alice) == ["Porto Alegre"]


def test_a_fact_of_the_past_ends_nothing_and_is_ended_by_the_next_value(as_alice):
    told = [
        lambda user: say(user, "Porto", 0),
        lambda user: say(user, "Oslo", 5),
        lambda user: say(user, "Porto", 2, single=False, until=9),
        lambda user: say(user, "Lima", -20, single=False, until=-10),
    ]
    for order in itertools.permutations(told):
        Fact.objects.all().delete()
        for tell in order:
            tell(as_alice)
        assert history(as_alice) == [
            ("Lima", -20, -10),
            ("Porto", 0, 5),
            ("Porto", 2, 5),
            ("Oslo", 5, None),
        ]
        assert now_holding(as_alice) == ["Oslo"]
