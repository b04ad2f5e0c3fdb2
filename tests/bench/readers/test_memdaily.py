import pytest

from bench.errors import BenchmarkImpossible
from bench.readers.memdaily import read
from tests.bench.made_up import memdaily


def test_each_trajectory_is_a_palace_with_its_own_times():
    first, second = read(memdaily(), "haystack")
    (session,) = first.sessions
    assert [turn.content for turn in session.turns][1] == "金融论坛的规模是三千人。"
    assert session.turns[1].said_at.isoformat() == "2024-04-01T20:58:00+00:00"
    question = first.questions[0]
    assert question.gold_turns == {("simple-events-0", 1)}
    assert question.asked_at.isoformat() == "2024-04-04T12:00:00+00:00"
    assert not second.questions[0].counted
    assert second.unresolved == 1


def test_the_original_tables_are_read_too():
    entry = memdaily()[0]
    del entry["id"], entry["type"]
    (case,) = read({"simple": {"events": [{"tid": 3, **entry}]}}, "haystack")
    assert case.id == "simple-events-3"
    assert case.questions[0].type == "simple"
    entry["question_list"] = [entry.pop("QA")]
    (case,) = read([entry], "haystack")
    assert case.questions[0].id == "0:0"


def test_another_format_is_refused():
    odd = memdaily()
    odd[1]["message_list"][0]["time"] = "once"
    with pytest.raises(BenchmarkImpossible, match="Entry 2"):
        list(read(odd, "haystack"))
    with pytest.raises(BenchmarkImpossible):
        list(read("x", "haystack"))
