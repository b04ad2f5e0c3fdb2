import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from bench import run as running
from llm import current
from llm.fake_gateway import FakeEmbedder
from tests.bench import made_up

Bench = Callable[..., dict[str, Any]]


@pytest.fixture
def bench(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Bench:
    """Run a benchmark over a made-up value and give back what it printed."""

    def run(benchmark: str, value: Any, out: str = "out", **options: Any) -> dict[str, Any]:
        data = made_up.packed(tmp_path / f"{benchmark}.json.gz", value)
        capsys.readouterr()
        with current.using(embedder=FakeEmbedder()):
            call_command("bench", benchmark, data=data, out=tmp_path / out, **options)
        printed: dict[str, Any] = json.loads(capsys.readouterr().out)
        return printed

    return run


@pytest.fixture
def databases(transactional_db: None) -> Callable[[], list[str]]:
    """Names of the databases of benchmarks that were not there before the test."""

    def names() -> list[str]:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT datname FROM pg_database WHERE datname ~ 'palace_bench_[0-9a-f]{10}'"
            )
            return [row[0] for row in cursor.fetchall()]

    before = names()
    return lambda: [name for name in names() if name not in before]


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.mark.django_db(transaction=True)
def test_rankings_use_the_names_of_the_data_set_also_when_one_person_owns_all(bench, tmp_path):
    scores = bench("locomo", made_up.locomo(), pooled=True)
    assert scores["pooled"] is True
    assert (scores["questions"], scores["questions_apart"]) == (3, 2)
    assert scores["apart"]["adversarial"]["questions"] == 1
    assert scores["evidence_not_in_the_data"] == 1
    row = lines(tmp_path / "out/rankings.jsonl")[0]
    assert row["turns"][0] == ["conv-1/session_1", "D1:1"]
    assert row["gold_turns"] == [["conv-1/session_1", "D1:1"]]


@pytest.mark.django_db(transaction=True)
def test_many_small_palaces_are_scored_by_messages(bench):
    scores = bench("memdaily", made_up.memdaily())
    assert scores["unit"] == "turn"
    assert (scores["questions"], scores["questions_apart"]) == (1, 1)
    assert scores["recall_all@1"] == scores["turn_all@1"] == 1.0


@pytest.mark.django_db(transaction=True)
def test_a_question_of_realmem_is_asked_before_later_chats_are_mined(bench, databases, tmp_path):
    stages = ("ingest", "retrieve")
    for stage in stages:
        bench("realmem", made_up.realmem(), stage=stage)
    (row,) = lines(tmp_path / "out/rankings.jsonl")
    assert row["sessions"] == ["aaaa1111"]
    assert not databases()


@pytest.mark.django_db(transaction=True)
def test_palaces_that_were_kept_are_asked_again_in_another_way(
    bench, databases, tmp_path, monkeypatch
):
    bench("longmemeval", made_up.longmemeval(), stage="ingest")
    kept = databases()
    monkeypatch.setattr(running, "ingest", lambda *given: None)
    again = {"out": "words", "ingested": tmp_path / "out", "only": "words", "limit": 1}
    scores = bench("longmemeval", made_up.longmemeval(), **again)
    assert scores["only"] == "words"
    assert scores["R@1"] == 1.0
    assert databases() == kept
    with pytest.raises(CommandError, match="no run over the same chats"):
        bench("locomo", made_up.locomo(), out="other", ingested=tmp_path / "out")
    bench("longmemeval", made_up.longmemeval(), stage="retrieve")
    assert not databases()


@pytest.mark.django_db(transaction=True)
def test_a_run_that_was_killed_goes_on_and_leaves_no_database(
    bench, databases, tmp_path, monkeypatch
):
    usual = connection.settings_dict["NAME"]
    asked: list[str] = []
    real = running.ask

    def stops(user_id, question, *rest):
        if len(asked) == 1:
            raise KeyboardInterrupt
        asked.append(question.id)
        return real(user_id, question, *rest)

    monkeypatch.setattr(running, "ask", stops)
    with pytest.raises(KeyboardInterrupt):
        bench("longmemeval", made_up.longmemeval(), keep=True)
    assert len(databases()) == 1
    with (tmp_path / "out/rankings.jsonl").open("a") as file:
        file.write('{"question_id": "q2", "sess')
    monkeypatch.setattr(running, "ask", real)
    scores = bench("longmemeval", made_up.longmemeval())
    assert asked == ["q1"]
    rows = lines(tmp_path / "out/rankings.jsonl")
    assert [row["question_id"] for row in rows] == ["q1", "q2", "q3_abs"]
    assert json.loads((tmp_path / "out/scores.json").read_text()) == scores
    assert (scores["questions"], scores["questions_apart"], scores["not_asked"]) == (2, 1, 0)
    assert scores["recall_any@1"] == scores["R@1"] == scores["recall_all@5"] == 1.0
    assert scores["turn_recall@1"] == 1.0
    assert connection.settings_dict["NAME"] == usual
    assert not databases()


def test_questions_between_chats_cannot_be_pooled(bench):
    with pytest.raises(CommandError, match="cannot be pooled"):
        bench("realmem", made_up.realmem(), pooled=True)


def test_two_runs_never_share_a_folder(bench, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out/run.json").write_text('{"benchmark": "longmemeval", "haystack": "m500"}')
    with pytest.raises(CommandError, match="another run"):
        bench("longmemeval", made_up.pool(), haystack="haystack")


def test_data_that_cannot_be_read_is_told_in_a_sentence(tmp_path):
    broken = tmp_path / "broken.json"
    broken.write_text("{")
    empty = tmp_path / "empty.json"
    empty.write_text("[]")
    for path in (broken, empty, tmp_path / "missing.json"):
        with pytest.raises(CommandError, match="data file"):
            call_command("bench", "longmemeval", data=path, out=tmp_path / "out")


@pytest.mark.django_db(transaction=True)
def test_chats_mined_once_rank_as_those_of_each_haystack_do(bench, tmp_path, databases):
    pool = made_up.pool()
    first = pool["questions"][0]
    other = {**first, "question_id": "q2", "question": "What did I ask about tax?"}
    other |= {"answer_session_ids": ["chat_2"], "haystack_real": first["haystack_real"][1:]}
    pool["questions"].append(other)
    for out, once in (("each", False), ("once", True)):
        scores = bench("longmemeval", pool, out=out, haystack="m500", mined_once=once)
        assert (scores["mined_once"], scores["questions"]) == (once, 2)
    assert databases() == []
    assert [what_was_found(row) for row in lines(tmp_path / "once/rankings.jsonl")] == [
        what_was_found(row) for row in lines(tmp_path / "each/rankings.jsonl")
    ]
    assert "answer_boat" not in lines(tmp_path / "once/rankings.jsonl")[1]["sessions"]


def what_was_found(row: dict[str, Any]) -> dict[str, Any]:
    return {
        name: value
        for name, value in row.items()
        if not name.endswith("_ms") and name != "milliseconds"
    }
