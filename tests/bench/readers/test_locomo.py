import pytest

from bench.errors import BenchmarkImpossible
from bench.readers.locomo import read
from tests.bench.made_up import locomo, realtalk


def test_messages_begin_with_their_speaker_and_nothing_else_is_shown():
    (case,) = read(locomo(), "haystack")
    assert [session.name for session in case.sessions] == ["conv-1/session_1", "conv-1/session_2"]
    first, second = case.sessions[0].turns
    assert first.content == "Ruth: I adopted a greyhound called Comet!"
    assert second.content.endswith("[shares a picture: a photo of a blue bowl]")
    assert {turn.role for session in case.sessions for turn in session.turns} == {"user"}
    assert "NEVER SHOWN" not in repr(case.sessions)
    assert case.sessions[0].said_at.isoformat() == "2023-05-08T13:56:00+00:00"


def test_evidence_is_read_as_people_wrote_it_and_what_does_not_exist_is_counted():
    (case,) = read(locomo(), "haystack")
    questions = {question.id: question for question in case.questions}
    both = {("conv-1/session_1", "D1:2"), ("conv-1/session_2", "D2:1")}
    assert questions["conv-1:1"].gold_turns == both
    assert questions["conv-1:1"].gold == {"conv-1/session_1", "conv-1/session_2"}
    assert questions["conv-1:2"].gold_turns == {("conv-1/session_2", "D2:1")}
    assert case.unresolved == 1


def test_only_questions_with_evidence_count_and_adversarial_ones_stand_apart():
    (case,) = read(locomo(), "haystack")
    counted = {question.type: question.counted for question in case.questions}
    assert counted == {
        "single-hop": True,
        "multi-hop": True,
        "temporal": True,
        "open-domain": False,
        "adversarial": False,
    }


def test_questions_are_asked_after_the_last_sitting():
    (case,) = read(locomo(), "haystack")
    assert all(question.asked_at > case.sessions[-1].said_at for question in case.questions)


def test_a_chat_of_realtalk_is_read_too():
    (case,) = read(realtalk(), "haystack")
    assert case.id == "Kevin-Paola"
    tennis = case.sessions[0].turns[1]
    assert tennis.content == "Paola: I play tennis."
    assert tennis.said_at.isoformat() == "2024-01-06T16:48:00+00:00"
    assert case.questions[0].gold_turns == {("Kevin-Paola/session_1", "D1:2")}


@pytest.mark.parametrize("odd", ["yesterday", "13:56 pm on 8 May"])
def test_a_date_in_no_known_form_is_refused(odd):
    entries = locomo()
    entries[0]["conversation"]["session_1_date_time"] = odd
    with pytest.raises(BenchmarkImpossible, match="Entry 1"):
        list(read(entries, "haystack"))
    with pytest.raises(BenchmarkImpossible):
        list(read("nothing", "haystack"))
