"""What was understood is tied to its drawer; what has no drawer is not filed."""

from datetime import UTC, datetime, timedelta

import pytest

from chat.mining.transcripts import transcript
from llm import current
from memory.graph.resolution import find_entity
from memory.models import Drawer, Entity, EntityName, Fact, Relation
from tests.drills.ledger import NOW, converse, mine
from tests.fake_gateway import FakeChat, FakeEmbedder
from tests.memory.mining.answers import answer, edge, placed, stated

WORDS = "I live in Zürich with my brother Tom, whom we call Tommy."


def understood(user, *replies, words=(WORDS, "Nice.")):
    conversation = converse(user.id, *words)
    with current.using(chat=FakeChat(replies), embedder=FakeEmbedder()):
        mine(user.id)
    return conversation


def test_a_fact_starts_when_it_was_said_unless_it_says_otherwise(as_alice):
    dated = stated(key="birth_city", predicate="born_in", statement="The user was born in Zürich.",
                   valid_from="1990-05")  # fmt: skip
    understood(as_alice, answer(facts=[stated(), dated]))
    said_at = Drawer.objects.get(role="user").said_at
    starts = dict(Fact.objects.values_list("key", "valid_from"))
    assert starts == {"home_city": said_at, "birthplace": datetime(1990, 5, 1, tzinfo=UTC)}


def test_aliases_find_the_same_entity(as_alice):
    tom = edge(relation="sibling_of", object="Tom", quote="my brother Tom", single_valued=False)
    named = {"name": "Tom", "type": "person", "aliases": ["Tommy"]}
    understood(as_alice, answer(relations=[tom], entities=[named]))
    assert Entity.objects.get(name="Tom").type == "person"
    assert EntityName.objects.get(normalised="tommy").is_alias
    assert find_entity(as_alice.id, "TOMMY").name == "Tom"


@pytest.mark.parametrize("until", ["2001", "2031-01-01"])
def test_a_relation_that_ended_before_it_was_mentioned_is_filed_as_ended(as_alice, until):
    understood(as_alice, answer(relations=[edge(valid_to=until)]))
    relation = Relation.objects.get()
    assert relation.valid_to is not None
    assert relation.valid_from <= relation.valid_to


def test_an_end_closes_what_held(as_alice):
    understood(as_alice, answer(relations=[edge()]))
    conversation = converse(as_alice.id, "I live in Zürich no more.", at=NOW - timedelta(days=1))
    ended = answer(relations=[edge(ended=True)], turns=[placed()])
    with current.using(chat=FakeChat([ended]), embedder=FakeEmbedder()):
        mine(as_alice.id)
    assert Relation.objects.get().valid_to == transcript(conversation, 0, 1).turns[0].said_at


def test_what_is_over_is_closed_when_it_was_said_and_nothing_new_is_filed(as_alice):
    understood(as_alice, answer(facts=[stated()]))
    over = stated(ended=True, valid_to="2031-02-20", quote="live in Zürich")
    words = ("I no longer live in Zürich, we left on 20 February.", "I see.")
    with current.using(chat=FakeChat([answer(facts=[over])]), embedder=FakeEmbedder()):
        converse(as_alice.id, *words, at=NOW - timedelta(days=1))
        mine(as_alice.id)
    fact = Fact.objects.get()
    assert (fact.status, fact.valid_to) == ("superseded", datetime(2031, 2, 20, tzinfo=UTC))


def test_what_is_liked_and_then_disliked_is_liked_no_longer(as_alice):
    likes = stated(kind="preference", key="preference_zurich", predicate="likes",
                   statement="The user likes Zürich.", quote="Zürich", single_valued=False)  # fmt: skip
    turned = likes | {"predicate": "dislikes", "statement": "The user dislikes Zürich."}
    understood(as_alice, answer(facts=[likes]))
    with current.using(chat=FakeChat([answer(facts=[turned])]), embedder=FakeEmbedder()):
        converse(as_alice.id, "I can't stand Zürich any more.", at=NOW - timedelta(days=1))
        mine(as_alice.id)
    held = {fact.predicate: fact.valid_to is None for fact in Fact.objects.all()}
    assert held == {"likes": False, "dislikes": True}


def test_an_end_that_is_uncertain_closes_nothing(as_alice):
    understood(as_alice, answer(facts=[stated()]))
    over = stated(ended=True, confidence=0.3, quote="live in Zürich")
    with current.using(chat=FakeChat([answer(facts=[over])]), embedder=FakeEmbedder()):
        converse(as_alice.id, "Maybe I won't live in Zürich for long.", at=NOW - timedelta(days=1))
        mine(as_alice.id)
    assert Fact.objects.get().valid_to is None


def test_a_name_is_read_by_what_the_relation_expects(as_alice):
    words = ("I live in Paris. My sister is called Paris.", "Both?")
    home = edge(relation="lives_in", object="Paris", quote="I live in Paris")
    sister = edge(relation="sibling_of", object="Paris", quote="My sister is called Paris",
                  single_valued=False)  # fmt: skip
    named = [{"name": "Paris", "type": type_, "aliases": []} for type_ in ("place", "person")]
    understood(as_alice, answer(relations=[home, sister], entities=named), words=words)
    ends = Relation.objects.values_list("relation", "object__type")
    assert dict(ends) == {"lives_in": "place", "sibling_of": "person"}


def test_words_of_a_relation_are_kept_with_it(as_alice):
    understood(as_alice, answer(relations=[edge()]))
    source = Relation.objects.get().sources.get()
    assert source.drawer.content[source.start : source.end] == edge()["quote"]
