"""Data sets are downloaded, read in their published formats without hints at answers, limited and pooled."""

import gzip
import threading
from datetime import UTC, datetime
from functools import partial
from hashlib import sha256
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest
from django.core.management import call_command

from bench.cases import BenchmarkImpossible, BenchQuestion, Case, limited, opaque, pooled
from bench.datasets import DATA_SETS, download, load
from bench.readers import beam, locomo, longmemeval, memdaily, realmem
from tests.bench.samples import sample

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def words_of(case):
    return [turn.content for session in case.sessions for turn in session.turns]


def read(reader, name):
    return list(reader.read(sample(name), "haystack"))


def test_longmemeval_hides_revealing_session_names_and_may_share_a_haystack():
    first, *_, last = read(longmemeval, "longmemeval")
    question = first.questions[0]
    assert (question.id, question.gold) == ("q1", {"answer_boat"})
    assert question.gold_turns == {("answer_boat", 0)}
    assert question.asked_at.isoformat() == "2023-05-01T10:00:00+00:00"
    assert first.sessions[0].key == opaque("answer_boat")
    assert [session.key for session in first.sessions if "answer" in session.key] == []
    (question,) = last.questions
    assert (question.unanswerable, question.counted, question.gold) == (True, False, frozenset())
    with pytest.raises(BenchmarkImpossible, match="m500"):
        list(longmemeval.read(sample("longmemeval"), "m500"))
    (shared,) = read(longmemeval, "longmemeval_shared")
    found = {each.id: set(each.gold) for each in shared.questions}
    assert found == {"q1": {"answer_boat"}, "q1#2": {"chat_1"}}


@pytest.mark.parametrize(
    ("haystack", "sessions", "turns", "first"),
    [
        ("haystack", ["answer_boat", "chat_1", "chat_2"], {("answer_boat", 0)}, "I bought"),
        ("haystack_real", ["answer_boat", "chat_1"], set(), "a wooden boat"),
        ("m500", ["answer_boat", "chat_1", "chat_2"], set(), "a wooden boat"),
    ],
)
def test_longmemeval_pool_has_three_haystacks(haystack, sessions, turns, first):
    (case,) = longmemeval.read(sample("longmemeval_pool"), haystack)
    assert [session.name for session in case.sessions] == sessions
    assert case.questions[0].gold_turns == turns
    assert words_of(case)[0].startswith(first)


def test_locomo_shows_only_messages_with_speakers_and_reads_misspelt_evidence():
    (case,) = read(locomo, "locomo")
    assert [session.name for session in case.sessions] == ["conv-1/session_1", "conv-1/session_2"]
    first, second = case.sessions[0].turns
    assert (first.role, first.content) == ("user", "Ruth: I adopted a greyhound called Comet!")
    assert second.content.endswith("[shares a picture: a photo of a blue bowl]")
    assert "NEVER SHOWN" not in repr(case.sessions)
    assert case.sessions[0].said_at.isoformat() == "2023-05-08T13:56:00+00:00"
    assert [question for question in case.questions if question.asked_at <= case.sessions[-1].said_at] == []
    gold = {question.type: question.gold_turns for question in case.questions}
    assert gold["multi-hop"] == {("conv-1/session_1", "D1:2"), ("conv-1/session_2", "D2:1")}
    assert gold["temporal"] == {("conv-1/session_2", "D2:1")}
    assert sum(question.missing for question in case.questions) == 1
    counted = {question.type for question in case.questions if question.counted}
    assert counted == {"single-hop", "multi-hop", "temporal"}  # not open-domain, which has no evidence


def test_realtalk_is_read_like_locomo():
    (case,) = read(locomo, "realtalk")
    tennis = case.sessions[0].turns[1]
    assert (case.id, tennis.content) == ("Kevin-Paola", "Paola: I play tennis.")
    assert tennis.said_at.isoformat() == "2024-01-06T16:48:00+00:00"
    assert case.questions[0].gold_turns == {("Kevin-Paola/session_1", "D1:2")}


def test_beam_strips_trailing_markers_and_finds_evidence_by_message_number():
    (case,), (table,) = read(beam, "beam"), read(beam, "beam_table")
    assert (
        words_of(case)
        == words_of(table)
        == [
            "My first sprint ends on March 29.",
            "Noted.",
            "Arrows ->-> stay inside.\nSee?",
            "The sprint now ends on April 2.",
        ]
    )
    days = {session.said_at.date().isoformat() for session in (*case.sessions, *table.sessions)}
    assert days == {"2024-03-15"}
    fact, update, abstention = case.questions
    assert (fact.rubric, fact.missing, fact.gold_turns) == (("states March 29",), 1, {("beam-1/1", 0)})
    assert (update.answer, update.gold_turns) == ("April 2", {("beam-1/1", 0), ("beam-1/2", 3)})
    assert (abstention.unanswerable, abstention.counted) == (True, False)


def test_realmem_questions_see_only_earlier_chats():
    (case,) = read(realmem, "realmem")
    (question,) = case.questions
    assert case.interleaved
    assert (question.gold, question.before, question.missing) == ({"aaaa1111"}, 1, 1)
    assert (question.history, question.answer) == (("Good morning.",), "900 euros.")
    assert question.type == "Dynamic Updating/single_session"
    times = [session.said_at for session in case.sessions]
    assert times == sorted(set(times))  # chats of one day keep their order


def test_memdaily_trajectory_keeps_its_times():
    first, second = read(memdaily, "memdaily")
    assert first.sessions[0].turns[1].said_at.isoformat() == "2024-04-01T20:58:00+00:00"
    question = first.questions[0]
    assert question.gold_turns == {("simple-events-0", 1)}
    assert question.asked_at.isoformat() == "2024-04-04T12:00:00+00:00"
    assert (second.questions[0].counted, second.questions[0].missing) == (False, 1)


@pytest.mark.parametrize("name", DATA_SETS)
@pytest.mark.parametrize("data", ["text", 7, [{"id": "x"}]])
def test_other_formats_are_refused(name, data):
    with pytest.raises(BenchmarkImpossible, match=r"format of \w+"):
        list(DATA_SETS[name].read(data, "haystack"))


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("locomo", (0, "conversation", "session_1_date_time")),
        ("memdaily", (1, "message_list", 0, "time")),
        ("longmemeval", (1, "question_date")),
    ],
)
def test_invalid_date_is_refused_with_the_number_of_its_entry(name, path):
    data = part = sample(name)
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = "once upon a time"
    with pytest.raises(BenchmarkImpossible, match=f"Entry {path[0] + 1}"):
        list(DATA_SETS[name].read(data, "haystack"))


def case(name, *counted):
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
def test_limit_applies_to_counted_questions(limit, kept):
    several = [case("a", True, False), case("b", True, True)]
    assert [question.id for each in limited(several, limit) for question in each.questions] == kept


def test_shared_chat_is_pooled_once_with_the_text_of_the_evidence():
    pool = sample("longmemeval_pool")
    other = {**pool["questions"][0], "question_id": "q0", "answer_session_ids": ["chat_1"]}
    pool["questions"].insert(0, {**other, "evidence500": {"answer_boat": "something else"}})
    found = pooled(longmemeval.read(pool, "m500"))
    assert [question.id for question in found.questions] == ["q0", "q1"]
    words = {session.name: session.turns[0].content for session in found.sessions}
    assert (len(found.sessions), words["answer_boat"]) == (3, "a wooden boat named Petrel")
    times = [session.said_at for session in found.sessions]
    assert times == sorted(times)


def test_files_may_be_plain_compressed_or_json_lines(tmp_path):
    plain, packed, lines = (tmp_path / name for name in ("a.json", "b.data", "c.jsonl.gz"))
    plain.write_text('{"a": "é"}')
    packed.write_bytes(gzip.compress(b"[1]", mtime=0))
    lines.write_bytes(gzip.compress(b"1\n\n[2]\n", mtime=0))
    assert [load(path) for path in (plain, packed, lines)] == [{"a": "é"}, [1], [1, [2]]]


@pytest.mark.parametrize("content", [gzip.compress(b"[1, 2, 3]" * 50, mtime=0)[:-20], b"{", None])
def test_unreadable_file_is_refused_with_the_reason(tmp_path, content):
    path = tmp_path / "torn.json.gz"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(BenchmarkImpossible, match=r"The data file .*torn"):
        load(path)


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *args):
        pass


def test_file_is_downloaded_once_and_a_failed_download_leaves_none(tmp_path, capsys):
    (tmp_path / "set.json").write_text('[{"a": 1}]')
    out = tmp_path / "out"
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path))) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        site = f"http://127.0.0.1:{server.server_address[1]}"
        for address in (f"{site}/other.json", "file:///etc/hostname", "http://127.0.0.1:9/set.json"):
            with pytest.raises(BenchmarkImpossible):
                download(address, out)
            assert not [*out.glob("*.json")]
        call_command("bench", "locomo", data=f"{site}/set.json", stage="download", out=out)
        assert sha256((out / "set.json").read_bytes()).hexdigest() in capsys.readouterr().out
        (out / "set.json").write_text("kept")
        assert download(f"{site}/set.json", out)["bytes"] == 4
        server.shutdown()
        thread.join(5)
