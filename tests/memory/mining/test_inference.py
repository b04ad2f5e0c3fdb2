"""Whoever is married is no longer engaged."""

from dataclasses import replace

from memory.mining.extraction import with_consequences
from tests.memory.mining.chats import SAID_AT, chat
from tests.memory.mining.reading import extract


def test_a_marriage_ends_the_engagement_to_the_same_person():
    [*_, fact] = with_consequences(extract(chat("Tom Baker is my husband."))).facts
    assert (fact.key, fact.predicate, fact.object, fact.ended) == (
        "fiance",
        "engaged_to",
        "Tom Baker",
        True,
    )


def test_it_ends_when_the_marriage_begins():
    married = extract(chat("Tom Baker is my husband."))
    dated = replace(married.relations[0], valid_from=SAID_AT)
    [_, edge] = with_consequences(replace(married, relations=(dated,))).relations
    assert (edge.relation, edge.ended, edge.valid_to) == ("engaged_to", True, SAID_AT)


def test_a_marriage_that_is_over_and_other_facts_end_nothing():
    married = extract(chat("Tom Baker is my husband. My sister Anna lives in Rome."))
    over = replace(married, facts=tuple(replace(fact, ended=True) for fact in married.facts))
    assert with_consequences(over).facts == over.facts


def test_what_lasted_for_a_while_is_told_with_its_dates_and_is_not_the_value_of_today():
    read = extract(chat("I worked at Siemens from 2016 to 2019."))
    [fact, _] = with_consequences(read).facts
    assert fact.statement == "The user used to work at Siemens (from 2016-01-01 to 2019-12-31)."
    assert (fact.single_valued, fact.event_time) == (False, fact.valid_from)


def test_a_fact_of_which_only_the_end_is_known_is_over():
    [fact, _] = extract(chat("I worked at Siemens from 2016 to 2019.")).facts
    read = replace(extract(chat("Hello")), facts=(replace(fact, valid_from=None),))
    [over] = with_consequences(read).facts
    assert (over.ended, over.valid_to) == (True, fact.valid_to)


def test_who_dislikes_something_likes_it_no_longer_and_the_other_way_round():
    for words, over in (("I hate coffee.", "likes"), ("I love coffee.", "dislikes")):
        [_, fact] = with_consequences(extract(chat(words))).facts
        assert (fact.key, fact.predicate, fact.object, fact.ended) == (
            f"{over}_coffee",
            over,
            "coffee",
            True,
        )
