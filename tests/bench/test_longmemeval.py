import gzip
import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from bench.datasets import opaque, read_longmemeval
from bench.errors import BenchmarkImpossible
from llm import current
from llm.fake_gateway import FakeEmbedder

CHATS = {
    "answer_boat": ("I bought a wooden boat named Petrel.", "A fine name."),
    "chat_1": ("How do I prune tomatoes?", "Pinch the side shoots."),
    "chat_2": ("Tell me about tax brackets.", "They are progressive."),
}


def original() -> list[dict[str, object]]:
    def question(name: str, words: str, gold: str) -> dict[str, object]:
        return {
            "question_id": name,
            "question_type": "single-session-user",
            "question": words,
            "answer": 1,
            "question_date": "2023/05/01 (Mon) 10:00",
            "haystack_dates": ["2023/04/10 (Mon) 23:07"] * 3,
            "haystack_session_ids": list(CHATS),
            "haystack_sessions": [
                [
                    {"role": "user", "content": asked, "has_answer": key == gold},
                    {"role": "assistant", "content": told},
                ]
                for key, (asked, told) in CHATS.items()
            ],
            "answer_session_ids": [gold],
        }

    return [
        question("q1", "What is the name of the wooden boat I bought?", "answer_boat"),
        question("q2", "How did I ask about pruning my tomatoes?", "chat_1"),
        question("q3_abs", "What is the name of my car?", "chat_2"),
    ]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "longmemeval.json.gz"
    path.write_bytes(gzip.compress(json.dumps(original()).encode()))
    return path


def test_the_product_never_sees_the_names_that_give_the_answer_away(data):
    questions = list(read_longmemeval(data, "haystack", None))
    assert [question.id for question in questions] == ["q1", "q2"]
    first = questions[0]
    assert first.gold == {opaque("answer_boat")}
    assert first.gold_turns == {(opaque("answer_boat"), 0)}
    assert not any("answer" in session.key for session in first.sessions)
    assert first.asked_at.isoformat() == "2023-05-01T10:00:00+00:00"


def test_data_that_cannot_be_read_is_told_in_a_sentence(tmp_path):
    broken = tmp_path / "broken.json"
    broken.write_text("{")
    empty = tmp_path / "empty.json"
    empty.write_text("[]")
    for path in (broken, tmp_path / "missing.json"):
        with pytest.raises(BenchmarkImpossible):
            list(read_longmemeval(path, "haystack", None))
    for path in (broken, empty):
        with pytest.raises(CommandError):
            call_command("bench", "longmemeval", data=path, out=tmp_path / "out")


@pytest.mark.django_db(transaction=True)
def test_a_run_mines_asks_scores_resumes_and_leaves_no_database(data, tmp_path, capsys):
    out = tmp_path / "out"
    usual = connection.settings_dict["NAME"]
    with current.using(embedder=FakeEmbedder()):
        call_command("bench", "longmemeval", data=data, out=out, limit=1)
        call_command("bench", "longmemeval", data=data, out=out)
    scores = json.loads((out / "scores.json").read_text())
    assert scores["questions"] == 2
    assert scores["recall_any@1"] == scores["recall_all@5"] == 1.0
    assert scores["turn_recall@1"] == 1.0
    assert len((out / "rankings.jsonl").read_text().splitlines()) == 2
    assert connection.settings_dict["NAME"] == usual
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_database WHERE datname LIKE 'palace_bench%'")
        assert cursor.fetchone() == (0,)
