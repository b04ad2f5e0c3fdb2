import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.aaak import (
    Pointer,
    PointerUnreadable,
    Tags,
    all_values,
    decode,
    encode,
    find_pointers,
    parse_pointer,
)

HERE = Pointer(42, 11, 7)

any_text = st.text(st.characters(codec="utf-8"))
parts = st.integers(min_value=0, max_value=999_999_999)
pointers = st.builds(Pointer, parts, parts, parts)
values = st.lists(any_text, max_size=4).map(tuple)
tags = st.builds(Tags, values, values, values, values, values)


@pytest.mark.parametrize(
    ("texts", "pointer"),
    [
        (["§ W-042/R-11/D-007", "§W-042/R-11/D-007", "§ w-42/r-11/d-7", "  W-042/R-11/D-007\n"], HERE),
        (["§\u00a0W-042 / R-11 / D-007", "§ W–042/R–11/D–007", "§ W\u2011042/R\u201111/D\u2011007"], HERE),
        (["§W42/R11/D7", "w-0000000042/r-0011/d-7"], HERE),
        (["", "§", "W-042", "W-042/R-11", "§ W-042/R-11/D-", "§ W-042/R-11/D-007 and more"], None),
        (["§ W-x/R-1/D-1", "§ W-1234567890/R-1/D-1", "§ W-٤٢/R-١١/D-٧", "§ W-42\nR-11/D-7"], None),
    ],
)
def test_parse_pointer_accepts_typed_variants_and_rejects_other_text(texts, pointer):
    assert {parse_pointer(text) for text in texts} == {pointer}


def test_find_pointers_returns_each_citation_with_its_span():
    text = "As you said (§ W-001/R-02/D-003), and again in §w-4/r-5/d-6. Not in W-7."
    found = find_pointers(text)
    assert [pointer for _, _, pointer in found] == [Pointer(1, 2, 3), Pointer(4, 5, 6)]
    assert [text[start:end] for start, end, _ in found] == ["§ W-001/R-02/D-003", "§w-4/r-5/d-6"]
    for text in ("SHOW-1/R-2/D-3", "/W-1/R-2/D-3", "W-1/R-2/D-x", "W-1-R-2-D-3", f"W{' ' * 100_000}"):
        assert find_pointers(text) == ()


def test_encode_formats_pointers_omits_empty_tags_and_escapes_line_breaks_in_values():
    assert str(Pointer(1234, 567, 89012)) == "§ W-1234/R-567/D-89012"
    for part in (-1, 1_000_000_000):
        with pytest.raises(ValueError, match="from 0 to 999,999,999"):
            Pointer(1, part, 1)
    tags = Tags(people=("Wang Min", "王敏"), times=("last spring",))
    assert encode(HERE, tags) == "§ W-042/R-11/D-007\n@p Wang Min~王敏\n@t last spring"
    tags = Tags(items=("a~b", "@p Eve", "one\n@p two", "back\\slash\\"))
    lines = encode(HERE, tags).split("\n")
    assert len(lines) == 2
    assert decode("\n".join(lines)) == (HERE, tags)
    tags = Tags(people=("a",), places=("b",), events=("c",), items=("d", "e"), times=("f",))
    assert all_values(tags) == ("a", "b", "c", "d", "e", "f")


@given(pointers, tags)
def test_decode_reverses_encode_for_any_unicode_and_line_ending(pointer, tags):
    encoded = encode(pointer, tags)
    assert "\x00" not in encoded
    assert decode(encoded) == (pointer, tags)
    lines = [line.rstrip() for line in encoded.splitlines()]
    assert decode("\r\n".join(lines) + "\r\n") == (pointer, tags)


UNREADABLE = [
    ("", "not a pointer"),
    ("hello\n@p Anna", "not a pointer"),
    ("§ W-1/R-1/D-1\n@x Anna", "starts with @p"),
    ("§ W-1/R-1/D-1\nAnna", "starts with @p"),
    ("§ W-1/R-1/D-1\n@p Anna\n@p Bob", "more than one line"),
    *((f"§ W-1/R-1/D-1\n@p {value}", "backslash") for value in ("An\\na", "Anna\\", "\\u{110000}")),
]


@pytest.mark.parametrize(("text", "sentence"), UNREADABLE)
def test_decode_errors_give_a_reason_without_quoting_the_text(text, sentence):
    with pytest.raises(PointerUnreadable, match=sentence) as refusal:
        decode(text)
    assert "Anna" not in str(refusal.value)
