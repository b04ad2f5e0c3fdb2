"""Facts lead to their words: what holds before what is over, and nothing that was taken back."""

from datetime import timedelta

import pytest

from memory.erasure import delete
from memory.models import Drawer, Fact
from memory.recall.arms import facts
from tests.drills.ledger import NOW, converse, mine
from tests.memory.recall.arms.story import ask, bring, tell

QUESTION = "Where am I living, in Porto or Bergen?"
PORTO = "I live in Porto."


@pytest.fixture
def known(as_alice):
    tell(as_alice)
    return as_alice


def test_a_fact_brings_the_drawer_it_was_said_in_and_says_which_it_was(known):
    found = bring(facts.search, known, QUESTION)[PORTO]
    assert 0.1 <= found.signals["fact"] <= 1.0
    assert found.brought_by == {"facts": (Fact.objects.get(predicate="lives_in").id,)}
    hits = {hit.text: hit for hit in ask(known, QUESTION).hits}
    assert hits[PORTO].brought_by["facts"] == found.brought_by["facts"]


def test_what_is_over_counts_less_now_and_fully_at_its_own_time(known):
    converse(known.id, "I moved to Bergen today.", at=NOW - timedelta(days=3))
    mine(known.id)
    now = bring(facts.search, known, QUESTION)
    assert now["I moved to Bergen today."].signals["fact"] > now[PORTO].signals["fact"] > 0
    before = NOW - timedelta(days=30)
    then = bring(facts.search, known, QUESTION, now=before)
    assert then[PORTO].signals["fact"] > now[PORTO].signals["fact"]


@pytest.mark.parametrize(
    "change",
    [
        {"status": "rejected"},
        {"status": "pending_review"},
        {"archived_at": NOW},
        {"deleted_at": NOW},
    ],
)
def test_what_was_rejected_waits_is_archived_or_deleted_leads_nowhere(known, change):
    Fact.objects.filter(predicate="lives_in").update(**change)
    assert PORTO not in bring(facts.search, known, QUESTION)


def test_sensitive_and_forgotten_words_never_come_back_through_a_fact(known):
    drawer = Drawer.objects.get(content=PORTO)
    Drawer.objects.filter(id=drawer.id).update(sensitive=True)
    assert PORTO not in [hit.text for hit in ask(known, QUESTION).hits]
    Drawer.objects.filter(id=drawer.id).update(sensitive=False)
    delete(known.id, "drawer", drawer.id, NOW)
    assert PORTO not in bring(facts.search, known, QUESTION)


def test_nobody_is_led_to_anothers_words(known, bob):
    assert bring(facts.search, bob, QUESTION) == {}


def test_never_more_than_asked_for(known):
    assert len(bring(facts.search, known, "What do you know about me?", most=1)) <= 1
