import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transfer.importing.archives import Limits
from transfer.importing.entries import (
    ENTRY_TRUNCATED,
    NOT_JSON,
    REPLACED,
    REST_MISSING,
    EntrySplitter,
    EntryUnreadable,
    RawEntry,
    load_entry,
    load_nested,
    split_lines,
)

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
    | st.sampled_from(['"', "\\", '\\"]', "{"]),
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


@given(st.lists(JSON, max_size=6), st.integers(1, 40), st.booleans(), st.sampled_from([None, 2]))
def test_list_is_split_into_its_elements(values, size, ascii_only, indent):
    data = json.dumps(values, ensure_ascii=ascii_only, indent=indent).encode()
    entries = split(data, size, Limits(depth=100))
    assert [load_entry(entry.data)[0] for entry in entries] == values
    assert [entry.index for entry in entries] == list(range(1, len(values) + 1))


@given(st.lists(st.dictionaries(st.text(), JSON), max_size=4), st.integers(1, 40))
def test_concatenated_objects_are_split(values, size):
    data = "\n".join(json.dumps(value) for value in values).encode()
    assert [load_entry(entry.data)[0] for entry in split(data, size, Limits(depth=100))] == values


@given(st.binary(max_size=300), st.integers(1, 50))
def test_arbitrary_bytes_raise_no_error(data, size):
    for entry in split(data, size):
        assert entry.problem or entry.data.strip()


@pytest.mark.parametrize(
    ("data", "entries"),
    [
        (b'[{"a": 1}, {"b": "he', [('{"a": 1}', ""), ('{"b": "he', ENTRY_TRUNCATED)]),
        (b'[{"a": 1}, ', [('{"a": 1}', ""), ("", REST_MISSING)]),
        (b'[{"a": 1}', [('{"a": 1}', ""), ("", REST_MISSING)]),
    ],
)
def test_truncated_list_is_reported(data, entries):
    assert [(entry.data.strip().decode(), entry.problem) for entry in split(data)] == entries


def test_depth_of_an_entry_is_counted():
    data = b'[1, {"title": "Well", "x": ' + b"[" * 9 + b"]" * 9 + b"}, 2]"
    assert [entry.depth for entry in split(data)] == [0, 10, 0]


@pytest.mark.parametrize("opening", [b"[", b'{"a":', b'[{"a":'])
def test_extreme_nesting_stops_the_splitter(opening):
    splitter = EntrySplitter(Limits())
    chunk = opening * 100_000
    for _ in range(100):
        assert list(splitter.feed(chunk)) == []
        if splitter.stopped:
            break
    assert splitter.stopped


def test_string_of_escapes_takes_linear_time():
    data = b'["' + b'\\"' * 500_000 + b'", "' + b"\\\\" * 500_000 + b'"]'
    assert len(split(data, 65_536, Limits())) == 2


@pytest.mark.parametrize(
    ("data", "value", "repairs"),
    [
        (rb'["\ud800", "\udc00", "\u0000", "\ud83d\ude42"]', ["\ud800", "\udc00", "\x00", "🙂"], ()),
        (b'["a\x00b\tc\nd"]', ["a\x00b\tc\nd"], ()),
        (b'["caf\xe9"]', ["caf\ufffd"], (REPLACED,)),
        ('["\ufffd"]'.encode(), ["\ufffd"], ()),
        (b'{"a": 1, "b": 2, "a": 3, "a": 4}', {"a": 1, "b": 2, "a (2)": 3, "a (3)": 4}, ()),
    ],
    ids=["surrogates", "control characters", "no text", "a replaced character", "equal keys"],
)
def test_unusual_characters_and_duplicate_keys_are_kept(data, value, repairs):
    assert load_entry(data) == (value, repairs)


@pytest.mark.parametrize("data", [b"{", b'{"a" 1}', b"nope", b"[1,,2]", b"9" * 5000])
def test_invalid_json_is_reported(data):
    with pytest.raises(EntryUnreadable, match=NOT_JSON):
        load_entry(data)
    for flawed in (data, b"[1, " + data + b"]"):
        with pytest.raises(EntryUnreadable, match="not valid JSON"):
            load_nested(flawed, 100)


@given(JSON.filter(lambda value: "\\ud" not in json.dumps(value)))
def test_nested_loader_agrees_with_the_standard_library(value):
    data = json.dumps(value).encode()
    assert load_nested(data, 100) == json.loads(data)


def test_depth_limit_ignores_nested_replies():
    replies = b'{"children": [' * 5000 + b'{"x": [[1]]}' + b"]}" * 5000
    load_nested(replies, 3)
    with pytest.raises(EntryUnreadable, match="more than 2 levels"):
        load_nested(replies, 2)
    with pytest.raises(EntryUnreadable, match="more than 5 levels"):
        load_nested(b'{"other": [' * 5 + b"]}" * 5, 5)


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
