"""A clock that jumps delays work, and changes nothing that is filed."""

from collections.abc import Sequence
from datetime import timedelta

import pytest

from accounts.models import User
from accounts.tenancy import tenant
from jobs.sweep import sweep
from tests.drills.ledger import NOW, Clock, converse, mine
from tests.drills.rows import Rows, differences, rows_of

pytestmark = pytest.mark.usefixtures("embedder", "queued")

CHATS = (
    ("I live in Porto.", "Noted.", "My sister is Ruth."),
    ("I live in Ghent now.", "How was the move?"),
    ("I play the viola.", "Since when?", "Since 2019."),
)
STEADY = [timedelta(hours=hours) for hours in range(3)]
JUMPING = [timedelta(days=400), timedelta(hours=-30), timedelta(seconds=1)]


def live_through(user: User, jumps: Sequence[timedelta]) -> Rows:
    """Chats that arrive and are mined by a clock that shows each of these times, counted from now."""
    for number, (words, jump) in enumerate(zip(CHATS, jumps, strict=True)):
        at = NOW - timedelta(days=30 - number)
        with tenant(user.id):
            converse(user.id, *words, at=at, external_id=f"chat {number}")
        sweep(NOW + jump)
        with tenant(user.id):
            mine(user.id, Clock(NOW + jump))
    with tenant(user.id):
        mine(user.id, Clock(NOW + timedelta(days=401)))
        return rows_of(user.id)


def test_jumps_forward_and_back_leave_the_same_rows(alice: User, bob: User) -> None:
    steady = live_through(alice, STEADY)
    assert len(steady["drawers"]) == sum(map(len, CHATS))
    assert differences(steady, live_through(bob, JUMPING)) == []
