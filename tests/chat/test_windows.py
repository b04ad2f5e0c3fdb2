"""Which turns behind the pointer are mined together."""

import pytest

from chat.mining.run import READ_AHEAD, spans
from memory.mining.progress import progress_of
from memory.mining.transcripts import CONVERSATION
from tests.drills.ledger import converse


def cut(user, count, *, mined=0, drifted=0, size=8):
    conversation = converse(user.id, *[f"Number {number}." for number in range(count)])
    progress = progress_of(user.id, CONVERSATION, conversation.id)
    progress.mined_through, progress.drifted_after = mined, drifted
    found = spans(conversation, progress, size)
    return [(span.turns[0].sequence, span.turns[-1].sequence) for span in found]


@pytest.mark.parametrize(
    ("count", "size", "windows"),
    [
        (0, 8, []),
        (3, 8, [(1, 3)]),
        (10, 8, [(1, 10)]),
        (11, 8, [(1, 8), (9, 11)]),
        (10, 9, [(1, 10)]),
        (11, 9, [(1, 9), (10, 11)]),
        (11, 10, [(1, 10), (11, 11)]),
        (20, 10, [(1, 10), (11, 20)]),
    ],
)
def test_windows_are_as_long_as_chosen_and_never_longer_than_ten(as_alice, count, size, windows):
    assert cut(as_alice, count, size=size) == windows


def test_they_begin_behind_the_pointer(as_alice):
    assert cut(as_alice, 12, mined=9) == [(10, 12)]
    assert cut(as_alice, 12, mined=12) == []


def test_none_goes_on_beyond_a_change_of_subject(as_alice):
    assert cut(as_alice, 9, drifted=6) == [(1, 6)]
    assert cut(as_alice, 20, drifted=11) == [(1, 8), (9, 11)]


def test_a_change_before_the_pointer_is_history(as_alice):
    assert cut(as_alice, 9, mined=6, drifted=6) == [(7, 9)]


def test_only_a_few_windows_are_read_ahead(as_alice):
    assert cut(as_alice, 200)[-1][1] <= READ_AHEAD
