"""Whoever is married is no longer engaged."""

from dataclasses import replace

from memory.mining.consequences import with_consequences
from memory.mining.rules import extract
from tests.memory.mining.chats import SAID_AT, chat


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
