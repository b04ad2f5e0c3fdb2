import pytest

from bench.errors import BenchmarkImpossible
from bench.readers.realmem import read
from tests.bench.made_up import realmem


def test_a_question_sees_only_what_was_said_in_earlier_chats():
    (case,) = read(realmem(), "haystack")
    (question,) = case.questions
    assert question.before == 1
    assert case.sessions[question.before - 1].name == "aaaa1111"
    assert question.gold == {"aaaa1111"}
    assert question.history == ("Good morning.",)
    assert question.answer == "900 euros."
    assert question.type == "Dynamic Updating/single_session"
    assert case.unresolved == 1
    assert case.in_order_of_time


def test_chats_of_one_day_keep_their_order():
    (case,) = read([realmem()], "haystack")
    times = [session.said_at for session in case.sessions]
    assert times == sorted(times)
    assert len(set(times)) == 3


def test_a_question_without_a_reply_behind_it_is_not_counted():
    data = realmem()
    del data["dialogues"][1]["dialogue_turns"][-1]
    (case,) = read(data, "haystack")
    assert not case.questions[0].counted


def test_another_format_is_refused():
    with pytest.raises(BenchmarkImpossible, match="dialogues"):
        list(read([{"id": "x"}], "haystack"))
    with pytest.raises(BenchmarkImpossible):
        list(read("x", "haystack"))
