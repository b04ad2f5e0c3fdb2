"""From who and what a question names, along relations, to the words."""

from datetime import timedelta

import pytest
from django.db import DatabaseError

from memory.graph.resolution import add_alias, find_entity
from memory.models import Relation
from memory.recall.arms import graph
from tests.drills.ledger import NOW
from tests.memory.palaces import file, relate
from tests.memory.recall.arms.story import ask, bring, tell
from tests.memory.recall.test_pipeline import breaking

GRAZ, SIEMENS = "My sister Anna lives in Graz.", "Anna started at Siemens last month."


@pytest.fixture
def known(as_alice):
    tell(as_alice)
    return as_alice


@pytest.fixture
def working(as_alice):
    """Alice's sister works somewhere, and that somewhere is in a town."""
    link, job, town = file(
        as_alice.id, ["Ana is family.", "She began at the mill.", "The mill is by the sea."]
    )
    relate(link, "user", "sibling_of", "Ana")
    relate(job, "Ana", "works_at", "Millworks", single_valued=True)
    relate(town, "Millworks", "located_in", "Aveiro")
    return as_alice


def test_a_word_of_kinship_leads_over_the_person_to_their_work(working):
    found = bring(graph.search, working, "What's my sister's job?")
    assert found["She began at the mill."].signals["relation"] == pytest.approx(0.95)
    assert found["Ana is family."].signals["relation"] == pytest.approx(0.8)
    ana = find_entity(working.id, "Ana")
    assert found["She began at the mill."].brought_by == {"graph": (ana.id,)}


def test_a_name_leads_two_steps_and_less_far_each(working):
    found = bring(graph.search, working, "What is Ana up to?")
    worth = {text: finding.signals["relation"] for text, finding in found.items()}
    assert worth["She began at the mill."] > worth["The mill is by the sea."] > 0


def test_an_alias_is_as_good_as_the_name(working):
    add_alias(find_entity(working.id, "Ana"), "Anuschka")
    assert "She began at the mill." in bring(graph.search, working, "Where does anuschka work?")


def test_what_is_over_counts_less_and_at_its_time_fully(working):
    relation = Relation.objects.get(relation="works_at")
    end = relation.valid_from + timedelta(days=30)
    Relation.objects.filter(id=relation.id).update(valid_to=end)
    question = "Where does Ana work?"
    now = bring(graph.search, working, question)["She began at the mill."]
    then = bring(graph.search, working, question, now=end - timedelta(days=1))
    assert now.signals["relation"] < then["She began at the mill."].signals["relation"]


def test_drawers_that_name_the_person_meant_are_found(known):
    found = bring(graph.search, known, "What's my sister's job?")
    assert found[SIEMENS].signals["relation"] == pytest.approx(0.5)
    assert {GRAZ, SIEMENS} <= {hit.text for hit in ask(known, "What's my sister's job?").hits}


def test_the_owner_is_no_way_through(known):
    found = bring(graph.search, known, "Who is Bruno?")
    assert set(found) == {"My dog Bruno hates thunder."}


def test_relations_taken_back_and_those_of_others_lead_nowhere(working, bob):
    Relation.objects.update(deleted_at=NOW)
    assert bring(graph.search, working, "Where does Ana work?") == {}
    assert bring(graph.search, bob, "What's my sister's job?") == {}


def test_a_question_that_names_nobody_brings_nothing(known):
    assert bring(graph.search, known, "Which form is wanted?") == {}


def test_when_the_graph_cannot_be_read_the_rest_answers_and_says_so(known):
    with breaking("memory_entity", DatabaseError("Broken.")):
        found = ask(known, "What's my sister's job?")
    assert GRAZ in [hit.text for hit in found.hits]
    (lost,) = found.trace.degraded
    assert lost.part == "graph"
    assert "known of you" in lost.words
