from datetime import UTC, datetime

import pytest

from bench.cases import BenchQuestion, Case, limited, pooled
from bench.readers import longmemeval
from tests.bench.samples import sample

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def case(name: str, *counted: bool) -> Case:
    questions = (BenchQuestion(f"{name}{n}", "any", "?", NOW, counted=each) for n, each in enumerate(counted))
    return Case(name, (), tuple(questions))


@pytest.mark.parametrize(
    ("limit", "kept"),
    [
        (None, ["a0", "a1", "b0", "b1"]),
        (1, ["a0"]),
        (2, ["a0", "a1", "b0"]),
        (9, ["a0", "a1", "b0", "b1"]),
    ],
)
def test_a_limit_counts_the_counted_questions(limit, kept):
    several = [case("a", True, False), case("b", True, True)]
    assert [question.id for each in limited(several, limit) for question in each.questions] == kept


def test_a_shared_chat_is_pooled_once_with_the_words_of_the_evidence():
    pool = sample("longmemeval_pool")
    other = {**pool["questions"][0], "question_id": "q0", "answer_session_ids": ["chat_1"]}
    pool["questions"].insert(0, {**other, "evidence500": {"answer_boat": "something else"}})
    found = pooled(longmemeval.read(pool, "m500"))
    assert [question.id for question in found.questions] == ["q0", "q1"]
    words = {session.name: session.turns[0].content for session in found.sessions}
    assert (len(found.sessions), words["answer_boat"]) == (3, "a wooden boat named Petrel")
    times = [session.said_at for session in found.sessions]
    assert times == sorted(times)
