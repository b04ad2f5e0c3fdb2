import pytest

from bench.errors import BenchmarkImpossible
from bench.pooling import pooled
from bench.readers import longmemeval, realmem
from tests.bench import made_up


def test_a_chat_that_several_haystacks_share_is_there_once_in_the_words_of_evidence():
    pool = made_up.pool()
    other = {**pool["questions"][0], "question_id": "q0", "answer_session_ids": ["chat_1"]}
    pool["questions"].insert(0, {**other, "evidence500": {"answer_boat": "something else"}})
    case = pooled(longmemeval.read(pool, "m500"))
    assert [question.id for question in case.questions] == ["q0", "q1"]
    words = {session.name: session.turns[0].content for session in case.sessions}
    assert words["answer_boat"] == "a wooden boat named Petrel"
    assert len(case.sessions) == 3
    times = [session.said_at for session in case.sessions]
    assert times == sorted(times)


def test_questions_between_chats_cannot_be_pooled():
    with pytest.raises(BenchmarkImpossible, match="between the chats"):
        pooled(realmem.read(made_up.realmem(), "haystack"))
