"""Splitting large JSON into entries, even if it is damaged."""

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transfer.importing.archives import FileRefused, Limits
from transfer.importing.entries import (
    FILE_TRUNCATED,
    NOT_JSON,
    TOO_DEEP,
    EntrySplitter,
    EntryUnreadable,
    RawEntry,
    load_entry,
    split_lines,
)

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
    | st.sampled_from(['"', "\\", '\\"]', "{", "\ufffd", "🙂"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)
SMALL = Limits(entry_bytes=2 * 1024**2)


def split(data, size=7, limits=SMALL):
    splitter = EntrySplitter(limits)
    found: list[RawEntry] = []
    for start in range(0, len(data), size):
        found += splitter.feed(data[start : start + size])
    return [*found, *splitter.finish()]


def load(data, most=100, depth=0):
    """Load an entry of this depth, of which `most` levels are allowed."""
    return load_entry(RawEntry(1, data, depth=depth), Limits(depth=most))


@given(st.lists(JSON, max_size=6), st.integers(1, 40), st.booleans(), st.sampled_from([None, 2]))
def test_list_is_split_into_its_elements(values, size, ascii_only, indent):
    data = json.dumps(values, ensure_ascii=ascii_only, indent=indent).encode()
    entries = split(data, size)
    assert [load_entry(entry, SMALL) for entry in entries] == values
    assert [entry.index for entry in entries] == list(range(1, len(values) + 1))
    objects = [value for value in values if isinstance(value, dict)]
    data = "\n".join(map(json.dumps, objects)).encode()
    assert [load_entry(entry, SMALL) for entry in split(data, size)] == objects, "without a list around them"


@given(st.binary(max_size=300), st.integers(1, 50))
def test_arbitrary_bytes_are_split_or_refused(data, size):
    with suppress(FileRefused):
        for entry in split(data, size):
            assert entry.problem or entry.data.strip()


@pytest.mark.parametrize("data", [b'[{"a": 1}, {"b": "he', b'[{"a": 1}, ', b'[{"a": 1}', b'{"a": '])
def test_truncated_file_is_refused(data):
    with pytest.raises(FileRefused, match=FILE_TRUNCATED):
        split(data)


@pytest.mark.parametrize("opening", [b"[", b'{"a":', b'[{"a":'])
def test_depth_of_an_entry_is_counted_and_extreme_nesting_refused(opening):
    data = b'[1, {"title": "Well", "x": ' + b"[" * 9 + b"]" * 9 + b"}, 2]"
    assert [entry.depth for entry in split(data)] == [0, 10, 0]
    with pytest.raises(FileRefused, match=TOO_DEEP):
        list(EntrySplitter(Limits()).feed(opening * 100_000))


def test_string_of_escapes_takes_linear_time():
    data = b'["' + b'\\"' * 500_000 + b'", "' + b"\\\\" * 500_000 + b'"]'
    assert len(split(data, 65_536, Limits())) == 2


def test_lone_surrogates_and_control_characters_are_kept():
    assert load(rb'["\ud800", "\udc00", "\u0000"]') == ["\ud800", "\udc00", "\x00"]
    assert load(b'["a\x00b\tc\nd"]') == ["a\x00b\tc\nd"]


@pytest.mark.parametrize("data", [b"{", b'{"a" 1}', b"nope", b"[1,,2]", b"9" * 5000])
def test_invalid_json_and_other_encodings_are_reported(data):
    for flawed in (data, b"[" * 3000 + data + b"]" * 3000):
        with pytest.raises(EntryUnreadable, match=NOT_JSON):
            load(flawed, depth=9000)
    with pytest.raises(EntryUnreadable, match="not encoded as UTF-8"):
        load(b'["caf\xe9"]')


def test_depth_limit_ignores_nested_replies():
    replies = b'{"children": [' * 4000 + b'{"x": [[1]]}' + b"]}" * 4000
    assert load(replies, 3, depth=8000)["children"]
    with pytest.raises(EntryUnreadable, match="more than 2 levels"):
        load(replies, 2, depth=8000)
    with pytest.raises(EntryUnreadable, match="more than 5 levels"):
        load(b'{"other": [' * 5 + b"]}" * 5, 5, depth=10)
    with pytest.raises(EntryUnreadable, match="more than 100 levels"):
        load(b"[" * 50_000 + b"]" * 50_000, depth=50_000)


def lines(data, size, limits=SMALL):
    chunks = (data[start : start + size] for start in range(0, len(data), size))
    return list(split_lines(chunks, limits))


@given(st.integers(1, 40), st.booleans())
def test_lines_are_numbered_and_blank_ones_skipped(size, ended):
    data = b'{"a": 1}\n\n  \r\n{"b": [2]}' + b"\n" * ended
    found = lines(data, size)
    assert [(line.index, line.data.strip()) for line in found] == [(1, b'{"a": 1}'), (4, b'{"b": [2]}')]


@pytest.mark.parametrize("cut", [split, lines])
def test_oversized_entry_is_skipped_and_not_buffered(cut):
    marks = (b"[1, ", b'"', b", 2]") if cut is split else (b"1\n", b"", b"\n2")
    data = marks[0] + marks[1] + b"x" * 3 * 1024**2 + marks[1] + marks[2]
    first, huge, last = cut(data, 65_536)
    assert (first.data.strip(), last.data.strip()) == (b"1", b"2")
    assert huge.problem == "It is larger than 2 MB."
    assert len(huge.data) < 10_000
