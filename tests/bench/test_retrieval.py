"""Runs of the retrieval benchmark, and its embedder."""

import gzip
import json
from typing import Any

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from bench import retrieval
from bench.embedding import CachingEmbedder
from bench.retrieval import Journal
from llm import current, weights
from llm.local_embedder import LocalEmbedder
from tests.bench.samples import lines, sample
from tests.fake_gateway import FakeEmbedder


@pytest.fixture
def bench(tmp_path, capsys):
    """Run a benchmark on a value; returns its printed scores."""

    def run(benchmark, value, out="out", **options):
        data = tmp_path / f"{benchmark}.json.gz"
        data.write_bytes(gzip.compress(json.dumps(value).encode(), mtime=0))
        capsys.readouterr()
        with current.using(embedder=FakeEmbedder()):
            call_command("bench", benchmark, data=data, out=tmp_path / out, **options)
        printed: dict[str, Any] = json.loads(capsys.readouterr().out)
        return printed

    return run


@pytest.fixture
def databases(transactional_db):
    """The benchmark databases created since the start of the test."""

    def names():
        with connection.cursor() as cursor:
            cursor.execute("SELECT datname FROM pg_database WHERE datname ~ 'palace_bench_[0-9a-f]{10}'")
            return [row[0] for row in cursor.fetchall()]

    before = names()
    return lambda: [name for name in names() if name not in before]


@pytest.mark.drill
@pytest.mark.django_db(transaction=True)
def test_kept_palaces_can_be_queried_with_other_settings(bench, databases, tmp_path, monkeypatch):
    bench("longmemeval", sample("longmemeval"), stage="ingest")
    kept = databases()
    monkeypatch.setattr(retrieval, "ingest", lambda *given: None)
    again = {"out": "short", "ingested": tmp_path / "out", "tokens": 300, "limit": 1}
    scores = bench("longmemeval", sample("longmemeval"), **again)
    assert (scores["settings"]["token_budget"], scores["R@1"], databases()) == (300, 1.0, kept)
    with pytest.raises(CommandError, match="no run over the same chats"):
        bench("locomo", sample("locomo"), out="other", ingested=tmp_path / "out")
    bench("longmemeval", sample("longmemeval"), stage="retrieve")
    assert not databases()


@pytest.mark.drill
@pytest.mark.django_db(transaction=True)
def test_interrupted_run_continues_and_leaves_no_database(bench, databases, tmp_path, monkeypatch):
    usual = connection.settings_dict["NAME"]
    asked: list[str] = []
    real = retrieval.ask

    def interrupt(user_id, question, *rest):
        if len(asked) == 1:
            raise KeyboardInterrupt
        asked.append(question.id)
        return real(user_id, question, *rest)

    monkeypatch.setattr(retrieval, "ask", interrupt)
    with pytest.raises(KeyboardInterrupt):
        bench("longmemeval", sample("longmemeval"), keep=True)
    assert len(databases()) == 1
    with (tmp_path / "out/rankings.jsonl").open("a") as file:
        file.write('{"question_id": "q2", "sess')
    monkeypatch.setattr(retrieval, "ask", real)
    scores = bench("longmemeval", sample("longmemeval"))
    assert asked == ["q1"]
    rows = lines(tmp_path / "out/rankings.jsonl")
    assert [row["question_id"] for row in rows] == ["q1", "q2", "q3_abs"]
    assert json.loads((tmp_path / "out/scores.json").read_text()) == scores
    assert (scores["questions"], scores["questions_apart"], scores["not_asked"]) == (2, 1, 0)
    assert scores["recall_any@1"] == scores["recall_all@5"] == scores["turn_recall@1"] == 1.0
    assert connection.settings_dict["NAME"] == usual
    assert not databases()


def test_folder_of_another_run_is_refused(bench, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out/run.json").write_text('{"benchmark": "longmemeval", "haystack": "m500"}')
    with pytest.raises(CommandError, match="another run"):
        bench("longmemeval", sample("longmemeval_pool"))


def test_partial_last_line_is_removed_before_the_next_is_written(tmp_path):
    path = tmp_path / "rows.jsonl"
    journal = Journal(path)
    assert journal.rows() == {}
    for value in (1, 2):
        journal.add({"question_id": "q", "value": value})
    with path.open("a") as file:
        file.write('{"question_id": "torn')
    assert journal.rows() == {"q": {"question_id": "q", "value": 2}}
    journal.add({"question_id": "r"})
    assert list(journal.rows()) == ["q", "r"]


def test_vectors_of_each_model_are_cached_in_a_file(tmp_path):
    path = tmp_path / "deep" / "vectors.sqlite"
    behind, other = FakeEmbedder(), FakeEmbedder(name="other")
    first = CachingEmbedder(behind, path).embed_documents(["boat", "tea", "boat"]).vectors
    again = CachingEmbedder(behind, path).embed_documents(["tea", "rice", "boat"]).vectors
    assert behind.embedded == ["boat", "tea", "rice"]
    assert np.allclose(first[0], first[2])
    assert np.allclose(first[1], again[0])
    CachingEmbedder(other, path).embed_documents(["tea"])
    assert other.embedded == ["tea"]


@pytest.mark.parametrize("benchmark", ["smoke", "languages", "figures", "longmemeval"])
def test_benchmarks_need_the_embedder(tmp_path, monkeypatch, benchmark):
    monkeypatch.setattr(weights, "CHECKOUT_MODELS", tmp_path)
    options = {"data": "any.json"} if benchmark == "longmemeval" else {}
    with (
        current.using(embedder=LocalEmbedder(tmp_path)),
        pytest.raises(CommandError, match="make install"),
    ):
        call_command("bench", benchmark, out=tmp_path / "out", **options)
    assert not (tmp_path / "out").exists()
