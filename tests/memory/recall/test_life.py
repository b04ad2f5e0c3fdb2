from datetime import UTC, date, datetime

import pytest
from django.db import connection

from accounts.tenancy import tenant
from memory.models import Fact
from memory.recall.life import dated_by_life, named_event
from memory.recall.pipeline import recall
from memory.recall.times import read_time
from memory.recall.types import Query, RecallRequest
from memory.time_limit import TimeLimit
from tests.memory.palaces import file, learn

NOW = datetime(2024, 9, 1, 12, tzinfo=UTC)
SAID = (
    "We moved to Rotterdam.",
    "Anna and I got married.",
    "I worked at Globex.",
    "We have a dog.",
)


@pytest.fixture
def life(as_alice):
    moved, wedding, job, dog = file(as_alice.id, SAID)
    rotterdam = {"predicate": "lives_in", "object": "Rotterdam", "valid_from": _day(2024, 3, 10)}
    learn(moved, "Rotterdam", "They live in Rotterdam.", **rotterdam)
    anna = {"predicate": "married_to", "object": "Anna", "event_time": _day(2023, 6, 17)}
    learn(wedding, "married", "They married Anna on 2023-06-17.", **anna)
    globex = {"predicate": "worked_at", "object": "Globex", "valid_from": _day(2019, 2, 1)}
    worked = learn(job, "Globex", "They worked at Globex.", **globex)
    Fact.objects.filter(user_id=as_alice.id, id=worked.id).update(valid_to=_day(2021, 8, 1))
    bruno = {"predicate": "has_pet", "object": "Bruno", "valid_from": _day(2022, 11, 5)}
    learn(dog, "dog", "They have a dog named Bruno.", **bruno)
    return as_alice


def _day(*of):
    return datetime(*of, tzinfo=UTC)


def span(user, message, limit=5_000):
    request = RecallRequest(user.id, message, NOW)
    query = Query(message, span=read_time(message, request.today))
    found = dated_by_life(request, query, TimeLimit(limit)).span
    return (found.start.isoformat(), found.end.isoformat()) if found else None


MOVED = ("2023-09-12", "2024-03-10")
WED = ("2023-06-18", "2024-09-02")
WORKED = ("2019-02-01", "2021-08-01")
DOG = ("2022-11-05", "2024-09-02")


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("message", "days"),
    [
        ("What did I read before I moved?", MOVED),
        ("What did I read before we moved to Rotterdam?", MOVED),
        ("Where did we travel after my wedding?", WED),
        ("What annoyed me when I worked at Globex?", WORKED),
        ("How have I slept since we got the dog?", DOG),
        ("Was las ich, bevor ich umgezogen bin?", MOVED),
        ("Wohin reisten wir nach meiner Hochzeit?", WED),
        ("Was ärgerte mich, als ich bei Globex gearbeitet habe?", WORKED),
        ("¿Qué leía antes de mudarme?", MOVED),
        ("¿Adónde viajamos después de mi boda?", WED),
        ("¿Qué me molestaba cuando trabajaba en Globex?", WORKED),
        ("Que lisais-je avant que je déménage ?", MOVED),
        ("Où sommes-nous allés après notre mariage ?", WED),
        ("Что я читал до того, как переехал?", MOVED),
        ("Куда мы ездили после свадьбы?", WED),
        ("我搬家之前在读什么?", MOVED),
        ("我结婚以后去了哪里?", WED),
        ("我在Globex工作的时候烦什么?", WORKED),
        ("What did I read before I moved to Lisbon?", None),
        ("What annoyed me when I worked at Initech?", None),
        ("before the rain came", None),
        ("when people work too much", None),
        ("after I was born", None),
    ],
)
def test_an_event_of_their_life_becomes_days(life, message, days):
    assert span(life, message) == days


@pytest.mark.django_db
def test_a_date_that_is_named_wins(life):
    assert span(life, "in March 2022, before I moved") == ("2022-03-01", "2022-04-01")


@pytest.mark.django_db
def test_nothing_is_read_of_somebody_else(life, bob):
    with tenant(bob.id):
        assert span(bob, "before I moved") is None


@pytest.mark.django_db
def test_without_time_or_database_the_question_stays_as_it_is(life):
    assert span(life, "before I moved", limit=0) is None

    def down(execute, sql, params, many, context):
        if "memory_fact" in sql:
            sql = "SELECT 1 / 0 /* " + sql.replace("%", "") + " */"
            params = None
        return execute(sql, params, many, context)

    with connection.execute_wrapper(down):
        assert span(life, "before I moved") is None
    assert span(life, "before I moved") == MOVED


@pytest.mark.django_db
def test_it_takes_one_statement_and_recall_uses_it(life, django_assert_max_num_queries):
    found = recall(RecallRequest(life.id, "What did I tell you before I moved?", NOW))
    assert found.trace.query is not None
    assert found.trace.query.span is not None
    assert found.trace.query.span.end == date(2024, 3, 10)


def test_a_plain_question_names_no_event():
    assert named_event("Where is my bicycle?") is None
