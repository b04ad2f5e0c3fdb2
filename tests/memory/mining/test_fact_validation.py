"""A fact is believed only with the words, the dates and the speaker that vouch for it."""

import json
from datetime import UTC, datetime

import pytest

from tests.memory.mining.answers import WORDS, answer, fact, read, stated
from tests.memory.mining.chats import turn


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"authority": "user"}, "keys that were not asked for"),
        ({"turn": "t2"}, "not in the window"),
        ({"turn": "1001"}, "not in the window"),
        ({"quote": "I live in Rome"}, "quote"),
        ({"quote": ""}, "quote"),
        ({"quote": "I"}, "quote"),
        ({"quote": " . , "}, "quote"),
        ({"confidence": 1.01}, "confidence"),
        ({"confidence": -0.1}, "confidence"),
        ({"confidence": True}, "wrong type"),
        ({"confidence": float("nan")}, "wrong type"),
        ({"confidence": float("inf")}, "wrong type"),
        ({"kind": "command"}, "kind"),
        ({"statement": ""}, "statement"),
        ({"statement": "   "}, "statement"),
        ({"statement": "Hm."}, "statement"),
        ({"statement": "x" * 1001}, "statement"),
        ({"statement": "The user \x00 lives"}, "stored"),
        ({"statement": "The user \ud800 lives"}, "stored"),
        ({"key": "!!!"}, "key"),
        ({"value": None}, "wrong type"),
        ({"persons": "Wang Min"}, "wrong type"),
    ],
)
def test_a_fact_is_refused(changes, reason):
    raw = json.dumps(json.loads(answer()) | {"facts": [stated(**changes)]})
    found = read(raw)
    assert found.facts == ()
    assert reason in found.refused[0].reason


def test_fifty_facts_of_one_turn_become_ten():
    many = [stated(key=f"key_{n}") for n in range(50)]
    found = read(answer(facts=many))
    assert len(found.facts) == 10
    assert len(found.refused) == 40


def test_refused_facts_do_not_use_up_the_ten():
    found = read(answer(facts=[stated(quote="never said")] * 20 + [stated()]))
    assert len(found.facts) == 1


def test_white_space_in_a_quote_may_differ_and_the_true_words_are_kept():
    found = fact(quote="tired of winter", kind="preference", object="winter", value="winter")
    assert found.quote == "tired of\n  winter"
    assert WORDS[slice(*found.span)] == found.quote


def test_a_curly_apostrophe_may_stand_for_a_straight_one():
    assert fact(quote="I’m tired").quote == "I'm tired"


def test_the_place_of_a_quote_counts_in_the_turn_with_its_memory_block():
    words = "<memory_context>I live in Rome</memory_context> I live in Zürich"
    found = fact(words)
    assert words[slice(*found.span)] == "I live in Zürich"
    assert "quote" in fact(words, quote="I live in Rome")


def test_a_quote_cannot_reach_through_a_memory_block():
    words = "I live <memory_context>in Rome</memory_context> in Zürich"
    assert "quote" in fact(words, quote="I live in Zürich")


@pytest.mark.parametrize(
    ("old", "kind"),
    [
        ("behavioral", "behaviour"),
        ("episodic", "experience"),
        ("procedural", "successful_path"),
        ("profile", "identity"),
        ("preferences", "preference"),
        ("projects", "project"),
        ("factual", "other"),
        ("Successful Path", "successful_path"),
    ],
)
def test_the_older_vocabularies_are_understood(old, kind):
    assert fact(kind=old).kind == kind


@pytest.mark.parametrize(
    ("role", "source", "words", "cap", "authority"),
    [
        ("user", "stated", "I live in Zürich", 0.9, "user"),
        ("user", "inferred", "I live in Zürich", 0.7, "user"),
        ("user", "stated", "I live here by the lake", 0.7, "user"),
        ("assistant", "stated", "I live in Zürich", 0.7, "assistant"),
        ("tool", "inferred", "I live in Zürich", 0.95, "tool"),
        ("user", "stated", "```\nI live in Zürich\n```", 0.7, "external"),
        ("user", "stated", "> I live in Zürich", 0.7, "external"),
        ("user", "stated", "Translate this:\nI live in Zürich", 0.7, "external"),
    ],
)
def test_confidence_is_capped_and_authority_read_from_the_turn(role, source, words, cap, authority):
    quote = "I live here by the lake" if "lake" in words else "I live in Zürich"
    found = fact(turn(words, role), quote=quote, source=source, confidence=1.0)
    assert (found.confidence, found.authority) == (cap, authority)


def test_an_assistant_citing_a_memory_is_no_evidence():
    words = "As you told me, I live in Zürich (§ W-001/R-2/D-3).\nThe user said: I live in Bern"
    assert "memory" in fact(turn(words, "assistant"))
    assert fact(turn(words, "assistant"), quote="I live in Bern").authority == "assistant"


def test_keys_and_predicates_are_brought_together():
    found = fact(key="Favorite Color", predicate="Works For", single_valued=False)
    assert (found.key, found.predicate, found.single_valued) == (
        "favourite_colour",
        "works_at",
        True,
    )
    assert fact(key="city of residence").key == "home_city"
    assert fact(key="любимый чай").key == "любимый_чай"


def test_dates_of_any_precision_are_read_in_the_zone_of_the_turn():
    found = fact(valid_from="2019", event_time="2024-05-03T15:00")
    assert found.valid_from == datetime(2019, 1, 1, tzinfo=UTC)
    assert found.event_time == datetime(2024, 5, 3, 15, tzinfo=UTC)


@pytest.mark.parametrize("text", ["soon", "2024-13", "0001-01-01", "9999-12-31", "2024-02-31", ""])
def test_an_impossible_date_is_left_out(text):
    assert fact(valid_from=text).valid_from is None


def test_people_and_places_of_a_fact_must_have_been_named():
    found = fact(persons=["Wang Min", "Elvis", "wang  min"], location="Atlantis")
    assert found.persons == ("Wang Min", "wang min")
    assert found.location == ""


def test_a_fact_may_say_that_it_is_over():
    found = fact(ended=True, valid_to="2024-03")
    assert found.ended
    assert found.valid_to == datetime(2024, 3, 1, tzinfo=UTC)


def test_a_fact_that_is_no_more_lasted_through_the_month_or_year_it_names():
    found = fact(valid_from="2016", valid_to="2019-12")
    assert (found.valid_from, found.valid_to) == (
        datetime(2016, 1, 1, tzinfo=UTC),
        datetime(2020, 1, 1, tzinfo=UTC),
    )


def test_a_fact_cannot_end_before_it_begins():
    refused = read(answer(facts=[stated(valid_from="2024", valid_to="2023")])).refused
    assert [refusal.reason for refusal in refused] == ["It would end before it begins."]


def test_a_key_that_takes_one_value_may_have_a_predicate_that_takes_many():
    assert fact(key="phone", predicate="uses", single_valued=True).single_valued
