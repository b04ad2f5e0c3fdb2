"""What is over ends the fact that held."""

from datetime import UTC, datetime

from memory.mining.rules import extract
from tests.memory.mining.chats import chat


def facts(words: str):
    return extract(chat(words)).facts


def test_what_is_over_ends_what_held_and_is_remembered_as_a_fact_of_its_own():
    former, held = facts("I quit my job at Acme on 3 April.")
    assert (former.predicate, former.ended) == ("worked_at", False)
    assert (held.key, held.predicate, held.object, held.ended) == (
        "employer",
        "works_at",
        "Acme",
        True,
    )
    assert held.valid_to == datetime(2024, 4, 3, tzinfo=UTC)


def test_a_stretch_of_time_that_is_past_is_no_end():
    former, held = facts("I lived in Leeds from 2019 until March.")
    assert former.predicate == "lived_in"
    assert (held.key, held.ended) == ("home_city", False)
    assert held.valid_from == datetime(2019, 1, 1, tzinfo=UTC)
    assert held.valid_to == datetime(2024, 4, 1, tzinfo=UTC)


def test_without_a_day_it_has_ended_by_the_time_it_was_said():
    [fact] = facts("I no longer use Ubuntu.")
    assert (fact.key, fact.ended, fact.valid_to) == ("uses_ubuntu", True, None)


def test_the_old_and_the_new_value_of_one_key_may_stand_side_by_side():
    over, new = facts("I'm no longer vegetarian. I've been vegan since 2023.")
    assert (over.value, over.ended, new.value, new.ended) == ("vegetarian", True, "vegan", False)


def test_the_end_of_a_relation_is_told_to_the_graph():
    [edge] = extract(chat("Our cat Miso died on Friday.")).relations
    assert (edge.relation, edge.object, edge.ended) == ("has_pet", "Miso", True)
    assert edge.valid_to == datetime(2024, 4, 12, tzinfo=UTC)
