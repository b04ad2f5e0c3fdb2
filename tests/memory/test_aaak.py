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


def test_writes_the_pointer_as_people_see_it():
    assert str(HERE) == "§ W-042/R-11/D-007"


def test_numbers_grow_beyond_their_padding():
    assert str(Pointer(1234, 567, 89012)) == "§ W-1234/R-567/D-89012"


@pytest.mark.parametrize("part", [-1, 1_000_000_000])
def test_refuses_numbers_no_counter_can_reach(part):
    with pytest.raises(ValueError, match="from 0 to 999,999,999"):
        Pointer(1, part, 1)


@pytest.mark.parametrize(
    "text",
    [
        "§ W-042/R-11/D-007",
        "§W-042/R-11/D-007",
        "§ w-42/r-11/d-7",
        "  W-042/R-11/D-007\n",
        "§\u00a0W-042 / R-11 / D-007",
        "§ W–042/R–11/D–007",
        "§ W\u2011042/R\u201111/D\u2011007",
        "§W42/R11/D7",
        "w-0000000042/r-0011/d-7",
    ],
)
def test_reads_a_pointer_however_it_is_typed(text):
    assert parse_pointer(text) == HERE


@pytest.mark.parametrize(
    "text",
    [
        "",
        "§",
        "W-042",
        "W-042/R-11",
        "§ W-042/R-11/D-",
        "§ W-042/R-11/D-007 and more",
        "§ W-x/R-1/D-1",
        "§ W-1234567890/R-1/D-1",
        "§ W-٤٢/R-١١/D-٧",
        "§ W-42\nR-11/D-7",
    ],
)
def test_anything_else_is_no_pointer(text):
    assert parse_pointer(text) is None


def test_finds_every_citation_with_its_place():
    text = "As you said (§ W-001/R-02/D-003), and again in §w-4/r-5/d-6. Not in W-7."
    found = find_pointers(text)
    assert [pointer for _, _, pointer in found] == [Pointer(1, 2, 3), Pointer(4, 5, 6)]
    assert [text[start:end] for start, end, _ in found] == ["§ W-001/R-02/D-003", "§w-4/r-5/d-6"]


@pytest.mark.parametrize("text", ["SHOW-1/R-2/D-3", "/W-1/R-2/D-3", "W-1/R-2/D-x", "W-1-R-2-D-3"])
def test_does_not_see_citations_inside_other_words(text):
    assert find_pointers(text) == ()


def test_encodes_only_the_lines_that_have_values():
    tags = Tags(people=("Wang Min", "王敏"), times=("last spring",))
    assert encode(HERE, tags) == "§ W-042/R-11/D-007\n@p Wang Min~王敏\n@t last spring"


def test_no_tag_can_pass_for_a_line_or_a_separator():
    tags = Tags(items=("a~b", "@p Eve", "one\n@p two", "back\\slash\\"))
    lines = encode(HERE, tags).split("\n")
    assert len(lines) == 2
    assert decode("\n".join(lines)) == (HERE, tags)


@given(pointers, tags)
def test_round_trips_any_unicode(pointer, tags):
    assert decode(encode(pointer, tags)) == (pointer, tags)


@given(pointers, tags)
def test_survives_what_editors_and_files_do_to_lines(pointer, tags):
    lines = [line.rstrip() for line in encode(pointer, tags).splitlines()]
    assert decode("\r\n".join(lines) + "\r\n") == (pointer, tags)


@given(tags)
def test_encoded_text_holds_nothing_that_a_database_refuses(tags):
    assert "\x00" not in encode(HERE, tags)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "not a pointer"),
        ("hello\n@p Anna", "not a pointer"),
        ("§ W-1/R-1/D-1\n@x Anna", "starts with @p"),
        ("§ W-1/R-1/D-1\nAnna", "starts with @p"),
        ("§ W-1/R-1/D-1\n@p Anna\n@p Bob", "more than one line"),
        ("§ W-1/R-1/D-1\n@p An\\na", "backslash"),
        ("§ W-1/R-1/D-1\n@p Anna\\", "backslash"),
        ("§ W-1/R-1/D-1\n@p \\u{110000}", "backslash"),
    ],
)
def test_says_why_a_text_cannot_be_read_without_repeating_it(text, sentence):
    with pytest.raises(PointerUnreadable, match=sentence) as refusal:
        decode(text)
    assert "Anna" not in str(refusal.value)


def test_lists_the_values_of_every_kind():
    tags = Tags(people=("a",), places=("b",), events=("c",), items=("d", "e"), times=("f",))
    assert all_values(tags) == ("a", "b", "c", "d", "e", "f")
