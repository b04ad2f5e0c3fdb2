import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transfer.importing.splitting import EntryUnreadable, load_nested

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(JSON.filter(lambda value: "\ud800" not in repr(value)))
def test_it_reads_what_the_standard_library_reads(value):
    data = json.dumps(value).encode()
    assert load_nested(data, 100) == json.loads(data)


def test_replies_are_free_and_everything_else_is_counted():
    replies = b'{"children": [' * 5000 + b'{"x": [[1]]}' + b"]}" * 5000
    load_nested(replies, 3)
    with pytest.raises(EntryUnreadable, match="more than 2 levels"):
        load_nested(replies, 2)
    with pytest.raises(EntryUnreadable, match="more than 5 levels"):
        load_nested(b'{"other": [' * 5 + b"]}" * 5, 5)


@pytest.mark.parametrize("data", [b'{"a": ', b"[1,,2]", b"", b"9" * 400])
def test_what_is_not_json_says_so(data):
    with pytest.raises(EntryUnreadable, match="not valid JSON"):
        load_nested(data, 100)
