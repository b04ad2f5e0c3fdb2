import pytest

from bench.errors import BenchmarkImpossible
from bench.readers.beam import read
from tests.bench.made_up import beam, beam_table


@pytest.mark.parametrize("data", [beam(), beam_table()], ids=["repository", "table"])
def test_marks_are_taken_off_and_only_from_the_end(data):
    (case,) = read(data, "haystack")
    words = [turn.content for session in case.sessions for turn in session.turns]
    assert words == [
        "My first sprint ends on March 29.",
        "Noted.",
        "Arrows ->-> stay inside.\nSee?",
        "The sprint now ends on April 2.",
    ]


def test_evidence_is_found_by_the_number_of_its_message():
    (case,) = read(beam(), "haystack")
    by_type = {question.type: question for question in case.questions}
    assert by_type["information_extraction"].gold_turns == {("beam-1/1", 0)}
    assert by_type["information_extraction"].rubric == ("states March 29",)
    assert by_type["knowledge_update"].gold_turns == {("beam-1/1", 0), ("beam-1/2", 3)}
    assert by_type["knowledge_update"].answer == "April 2"
    assert case.unresolved == 1


def test_abstention_has_no_evidence_and_is_not_counted():
    (case,) = read(beam(), "haystack")
    question = case.questions[-1]
    assert question.unanswerable
    assert not question.counted


def test_sittings_have_the_day_they_name_or_the_one_before():
    (case,) = read(beam(), "haystack")
    assert {session.said_at.date().isoformat() for session in case.sessions} == {"2024-03-15"}


def test_another_format_is_refused():
    with pytest.raises(BenchmarkImpossible, match="Entry 1"):
        list(read([{"id": "x", "chat": []}], "haystack"))
    with pytest.raises(BenchmarkImpossible):
        list(read(7, "haystack"))
