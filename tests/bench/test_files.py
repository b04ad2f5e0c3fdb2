import gzip

import pytest

from bench.errors import BenchmarkImpossible
from bench.files import load


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
