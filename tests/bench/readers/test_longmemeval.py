import pytest

from bench.cases import opaque
from bench.errors import BenchmarkImpossible
from bench.readers.longmemeval import read
from tests.bench.made_up import longmemeval, pool, shared_haystack


def test_the_product_never_sees_the_names_that_give_the_answer_away():
    cases = list(read(longmemeval(), "haystack"))
    assert [question.id for case in cases for question in case.questions] == ["q1", "q2", "q3_abs"]
    question = cases[0].questions[0]
    assert question.gold == {"answer_boat"}
    assert question.gold_turns == {("answer_boat", 0)}
    assert cases[0].sessions[0].key == opaque("answer_boat")
    assert not any("answer" in session.key for session in cases[0].sessions)
    assert question.asked_at.isoformat() == "2023-05-01T10:00:00+00:00"


def test_a_question_without_an_answer_is_asked_but_not_counted():
    *_, case = read(longmemeval(), "haystack")
    (question,) = case.questions
    assert question.unanswerable
    assert not question.counted
    assert not question.gold


@pytest.mark.parametrize(
    ("haystack", "sessions", "turns"),
    [
        ("haystack", ["answer_boat", "chat_1", "chat_2"], {("answer_boat", 0)}),
        ("haystack_real", ["answer_boat", "chat_1"], set()),
        ("m500", ["answer_boat", "chat_1", "chat_2"], set()),
    ],
)
def test_a_pool_has_three_haystacks_for_each_question(haystack, sessions, turns):
    (case,) = read(pool(), haystack)
    assert [session.name for session in case.sessions] == sessions
    assert case.questions[0].gold_turns == turns
    words = case.sessions[0].turns[0].content
    assert words.startswith("I bought" if haystack == "haystack" else "a wooden boat")


def test_several_questions_may_share_a_haystack():
    (case,) = read(shared_haystack(), "haystack")
    assert [question.id for question in case.questions] == ["q1", "q1#2"]
    assert [question.gold for question in case.questions] == [{"answer_boat"}, {"chat_1"}]
    assert case.questions[1].answer == "2"


def test_what_is_in_another_format_is_refused_with_the_number_of_the_entry():
    entries = longmemeval()
    del entries[1]["answer_session_ids"]
    with pytest.raises(BenchmarkImpossible, match=r"Entry 2 .*answer_session_ids"):
        list(read(entries, "haystack"))
    with pytest.raises(BenchmarkImpossible, match="m500"):
        list(read(longmemeval(), "m500"))
    with pytest.raises(BenchmarkImpossible):
        list(read({"something": "else"}, "haystack"))
