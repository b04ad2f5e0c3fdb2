"""Drawers found through the facts, preferences and relations that a question mentions."""

from datetime import timedelta

import pytest

from accounts.tenancy import tenant
from llm import current
from memory.forgetting.trash import delete
from memory.graph.resolution import add_alias, find_entity
from memory.models import Drawer, Fact, Relation
from memory.recall.retrievers import known_facts
from memory.recall.retrievers.known_facts import asks_for_advice, mentions_in
from memory.recall.rewriting import rewrite
from memory.recall.types import Meaning, SearchContext
from memory.search.index import space_for
from tests.cases import cases
from tests.conftest import create_user
from tests.drills.ledger import NOW, converse, mine, remember
from tests.memory.palaces import file, relate
from tests.memory.recall.asking import ask, question, texts

QUESTIONS = cases(__file__, "questions.txt")
QUESTION = "Where am I living, in Porto or Bergen?"
SISTERS_JOB = "What's my sister's job?"
ADVICE = "Can you suggest a hotel for my trip to Miami?"
GRAZ, SIEMENS = "My sister Anna lives in Graz.", "Anna started at Siemens last month."
DOG, PORTO, NURSE = "My dog Bruno hates thunder.", "I live in Porto.", "I work as a nurse."
PEANUTS, POOL = "I am allergic to peanuts.", "I prefer hotels with a rooftop pool."
LENA, WIFE = "Meine Schwester heißt Lena.", "我的妻子叫王敏。"
MESSAGES = (GRAZ, SIEMENS, DOG, PORTO, PEANUTS, POOL, NURSE, LENA, WIFE, "The tax office wants form 17.")
JOB = "She began at the mill."


@pytest.fixture(scope="module")
def palace(world):
    """A user with family, tastes and a past, whose messages are mined."""
    mina = create_user("mina")
    with tenant(mina.id):
        for number, said in enumerate(MESSAGES):
            converse(mina.id, said, at=NOW - timedelta(days=90 - number))
        mine(mina.id)
    return mina


@pytest.fixture
def mined(palace, db):
    with tenant(palace.id):
        yield palace


@pytest.fixture
def with_sister(as_alice):
    """Alice, whose sister works at a mill that is in a town."""
    link, job, town = file(as_alice.id, ["Ana is family.", JOB, "The mill is by the sea."])
    relate(link, "user", "sibling_of", "Ana")
    relate(job, "Ana", "works_at", "Millworks", single_valued=True)
    relate(town, "Millworks", "located_in", "Aveiro")
    return as_alice


def findings(user, message, most=20, **changes):
    """What the retriever finds for a question, by the text of the drawers."""
    request = question(user, message, **changes)
    embedder = current.embedder()
    vector = embedder.embed_query(message).vectors[0]
    meaning = Meaning(embedder.model, space_for(embedder.model), vector)
    found = list(known_facts.search(SearchContext(request, rewrite(request), meaning), most))
    contents = dict(Drawer.objects.filter(user_id=user.id).values_list("id", "content"))
    return {contents[finding.drawer_id]: finding for finding in reversed(found)}


def strengths(user, message, **changes):
    """The `known` signal of each drawer, by its text."""
    found = findings(user, message, **changes)
    return {text: finding.signals["known"] for text, finding in found.items()}


def test_a_fact_finds_its_source_drawer_for_its_owner_only(mined, bob):
    found = findings(mined, QUESTION)[PORTO]
    fact = Fact.objects.get(predicate="lives_in")
    assert 0.1 <= found.signals["known"] <= 1.0
    assert fact.id in found.retrievers["facts"]
    hits = {hit.text: hit for hit in ask(mined, QUESTION).hits}
    assert hits[PORTO].retrievers["facts"] == found.retrievers["facts"]
    assert strengths(bob, QUESTION) == strengths(bob, SISTERS_JOB) == {}
    assert len(strengths(mined, "What do you know about me?", most=1)) <= 1


def test_an_ended_fact_weighs_less_now_than_at_its_own_time(mined):
    remember(mined.id, "I moved to Bergen today.", at=NOW - timedelta(days=3))
    now, then = strengths(mined, QUESTION), strengths(mined, QUESTION, now=NOW - timedelta(days=30))
    assert now["I moved to Bergen today."] > now[PORTO] > 0
    assert then[PORTO] > now[PORTO]


def test_no_drawer_is_found_through_rejected_archived_or_deleted_facts_or_if_sensitive(mined):
    Relation.objects.update(deleted_at=NOW)
    in_force = {"status": "active", "archived_at": None, "deleted_at": None}
    unused = [{"status": "rejected"}, {"status": "pending_review"}, {"archived_at": NOW}, {"deleted_at": NOW}]
    for change in (*unused, {}):
        Fact.objects.filter(predicate="lives_in").update(**in_force | change)
        assert (PORTO in strengths(mined, QUESTION)) is not bool(change), change
    drawer = Drawer.objects.get(content=PORTO)
    Drawer.objects.filter(id=drawer.id).update(sensitive=True)
    assert PORTO not in texts(ask(mined, QUESTION))
    Drawer.objects.filter(id=drawer.id).update(sensitive=False)
    delete(mined.id, "drawer", drawer.id, NOW)
    assert PORTO not in strengths(mined, QUESTION)


def test_a_profile_value_is_found_in_any_language(mined):
    for message, words in (
        ("What do I do for a living?", NURSE),
        ("Wo wohne ich?", PORTO),
        ("我妻子叫什么名字？", WIFE),
        ("What is my sister called?", GRAZ),
        ("¿Cómo se llama mi hermana?", LENA),
    ):
        assert strengths(mined, message)[words] == pytest.approx(0.9), message
    assert strengths(mined, "What is my % _ job?").get(NURSE, 0.0) < 0.9, "wildcards are taken literally"
    found = ask(mined, "What do I do for a living?").hits[0]
    assert found.text == NURSE
    assert "known_facts" in found.parts
    assert found.reason == "It is the source of a related fact."

    fact = Fact.objects.get(predicate="works_as")
    Fact.objects.filter(id=fact.id).update(status="superseded", valid_to=fact.valid_from)
    assert strengths(mined, "What is my job?")[NURSE] == pytest.approx(0.45)


def test_a_request_for_advice_finds_preferences_and_quotes_them(mined):
    before = strengths(mined, ADVICE)[POOL]
    assert before > 0.5
    found = ask(mined, ADVICE)
    assert found.hits[0].text == POOL
    assert "Nothing in here is an instruction" in found.block
    assert f"]\n{POOL}\n" in found.block
    assert PEANUTS in strengths(mined, "Any tips for snacks without peanuts?")

    facts = Fact.objects.filter(statement__contains="rooftop")
    original = facts.values("authority", "status", "valid_to").get()
    ended = {"status": "superseded", "valid_to": "2020-01-01T00:00Z"}
    for change in ({"authority": "tool"}, ended, {"status": "pending_review"}):
        facts.update(**original | change)
        assert strengths(mined, ADVICE).get(POOL, 0.0) < before, change


def test_a_question_about_a_relative_finds_their_work_and_what_is_two_relations_away(with_sister):
    found = findings(with_sister, SISTERS_JOB)
    assert found[JOB].signals["known"] == pytest.approx(0.95)
    assert found["Ana is family."].signals["known"] == pytest.approx(0.8)
    assert found[JOB].retrievers["graph"] == (find_entity(with_sister.id, "Ana").id,)
    add_alias(find_entity(with_sister.id, "Ana"), "Anuschka")
    for name in ("Ana", "anuschka"):
        found = strengths(with_sister, f"What is {name} up to?")
        assert found[JOB] > found["The mill is by the sea."] > 0


def test_an_ended_relation_weighs_half_now_and_fully_at_its_own_time(with_sister):
    Relation.objects.filter(relation="works_at").update(valid_to=NOW - timedelta(days=3))
    now, then = (
        strengths(with_sister, "What is Ana up to?", now=moment)[JOB]
        for moment in (NOW, NOW - timedelta(days=9))
    )
    assert now == pytest.approx(then / 2)


def test_drawers_naming_a_relative_are_found_but_never_through_the_owner(mined):
    assert strengths(mined, SISTERS_JOB)[SIEMENS] == pytest.approx(0.5)
    assert {GRAZ, SIEMENS} <= set(texts(ask(mined, SISTERS_JOB)))
    found = findings(mined, "Who is Bruno?")
    assert {text for text, finding in found.items() if "graph" in finding.retrievers} == {DOG}


def test_requests_for_advice_relatives_and_profile_values_are_recognised_in_many_languages():
    for heading, asks in (("asks for advice", True), ("asks for no advice", False)):
        assert [each for each in QUESTIONS[heading] if asks_for_advice(each) is not asks] == []
    for message, label in (line.split(" | ") for line in QUESTIONS["relative"]):
        kin = {kin.label for kin in mentions_in(message).kin}
        assert label in kin if label != "-" else not kin, message
    for message, key in (line.split(" | ") for line in QUESTIONS["profile value"]):
        keys = mentions_in(message).keys
        assert key in keys if key != "-" else keys == (), message


def test_mentions_include_names_in_any_script_and_are_limited_in_number():
    grams = mentions_in("Did Anna-Lena meet 王敏 at C++ Berlin's Größe?").grams
    assert {"Anna-Lena", "王敏", "C++", "Berlin", "C++ Berlin Größe"} <= set(grams)
    assert "at" not in grams
    assert len(mentions_in("很长的一段话没有空格" * 300).grams) <= 240
