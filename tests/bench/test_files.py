import gzip

import pytest

from bench.errors import BenchmarkImpossible
from bench.files import digest, load


def test_files_may_be_plain_compressed_or_hold_a_value_a_line(tmp_path):
    plain, packed, lines = (tmp_path / name for name in ("a.json", "b.data", "c.jsonl.gz"))
    plain.write_text('{"a": "é"}')
    packed.write_bytes(gzip.compress(b"[1]"))
    lines.write_bytes(gzip.compress(b"1\n\n[2]\n"))
    assert load(plain) == {"a": "é"}
    assert load(packed) == [1]
    assert load(lines) == [1, [2]]


def test_a_file_that_ends_too_early_is_refused(tmp_path):
    torn = tmp_path / "torn.json.gz"
    torn.write_bytes(gzip.compress(b"[1, 2, 3]" * 50)[:-20])
    with pytest.raises(BenchmarkImpossible, match="cannot be read"):
        load(torn)


def test_a_folder_is_read_as_the_conversations_or_the_files_in_it(tmp_path):
    for name, chat in (("1", "chat.json"), ("2", "chat.json"), ("2", "chat_trunecated.json")):
        home = tmp_path / "100K" / name
        (home / "probing_questions").mkdir(parents=True, exist_ok=True)
        (home / chat).write_text(f'["{chat}"]')
        (home / "probing_questions" / "probing_questions.json").write_text("{}")
    first, second = load(tmp_path / "100K")
    assert (first["id"], first["chat"], first["probing_questions"]) == ("1", ["chat.json"], {})
    assert second["chat"] == ["chat_trunecated.json"]
    personas = tmp_path / "personas"
    personas.mkdir()
    (personas / "a.json").write_text('{"id": 1}')
    (personas / "b.json").write_text('{"id": 2}')
    assert [entry["id"] for entry in load(personas)] == [1, 2]
    before = digest(personas)
    (personas / "b.json").write_text('{"id": 3}')
    assert digest(personas) != before
