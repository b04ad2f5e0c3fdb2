"""How many statements one recall takes, whatever it finds: each is a way to the database and back."""

import re

import pytest
from django.db import connection

from llm import current
from llm.fake_gateway import FakeEmbedder
from memory.recall.pipeline import recall
from memory.recall.types import RecallRequest, RecallSettings
from tests.drills.ledger import NOW, converse, mine

MOST = 14
"""Answering model, its usage, words twice, whom it names, vectors, facts, their likeness, sentences,
names, what may be told, hits, and twice the profile."""
BESIDE = 1
PAPERWORK = re.compile("SAVEPOINT|statement_timeout")


@pytest.fixture
def told():
    statements = []

    def note(execute, sql, params, many, context):
        statements.append(sql)
        return execute(sql, params, many, context)

    with current.using(embedder=FakeEmbedder()), connection.execute_wrapper(note):
        yield statements


def ask(user, message, top_k):
    settings = RecallSettings(time_limit_ms=60_000, top_k=top_k)
    return recall(RecallRequest(user.id, message, NOW, settings=settings))


@pytest.mark.parametrize("chats", [3, 30])
def test_a_recall_takes_as_many_statements_whatever_it_finds(as_alice, told, chats):
    for number in range(chats):
        converse(
            as_alice.id,
            f"When Vera was in Oslo I sold canoe number {number}. I like jazz and I live in Porto.",
            "Well done.",
        )
    mine(as_alice.id)
    told.clear()
    found = ask(as_alice, "What did I do with the canoe when Vera was in Oslo?", 3)
    assert len(found.hits) == 3
    assert found.profile
    asked = [sql for sql in told if not PAPERWORK.search(sql)]
    assert len(asked) <= MOST, "\n".join(asked)


def test_what_was_said_beside_all_hits_is_one_more(as_alice, told):
    for number in range(4):
        converse(as_alice.id, f"When Vera was in Oslo I sold canoe number {number}.", "Well done.")
    mine(as_alice.id)
    told.clear()
    found = ask(as_alice, "What did I do with the canoe when Vera was in Oslo?", 8)
    assert len(found.hits) == 8
    asked = [sql for sql in told if not PAPERWORK.search(sql)]
    assert len(asked) <= MOST + BESIDE, "\n".join(asked)
