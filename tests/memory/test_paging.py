from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.paging import CursorUnreadable, after_moment, after_number, moment_and_id, number_and_id

MOMENTS = st.datetimes(min_value=datetime(1, 1, 2), timezones=st.just(UTC))  # noqa: DTZ001
NOBODY = "0" * 32
FORGED = ("x", "1", "1_", "1_zz", f"{'9' * 30}_{NOBODY}", f"{'9' * 18}_{NOBODY}")
OUT_OF_RANGE = (f"-1_{NOBODY}", f"{2**31}_{NOBODY}")


@given(MOMENTS, st.integers(0, 2**31 - 1), st.uuids())
def test_cursor_round_trip(moment, number, row_id):
    assert moment_and_id(after_moment(moment, row_id)) == (moment, row_id)
    assert number_and_id(after_number(number, row_id)) == (number, row_id)


@given(st.text(max_size=60))
def test_forged_cursors_and_text_without_a_separator_are_rejected(text):
    for read, texts in ((moment_and_id, FORGED), (number_and_id, (*FORGED, *OUT_OF_RANGE))):
        for each in (*texts, text.replace("_", "")):
            with pytest.raises(CursorUnreadable):
                read(each)
        try:
            read(text)
        except CursorUnreadable:
            continue
