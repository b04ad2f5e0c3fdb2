"""Real processes, killed for real: `tests.drills.crashes` in a size that suits the suite."""

import pytest

from tests.drills.crashes import drill


@pytest.mark.django_db(transaction=True)
def test_workers_killed_at_random_leave_the_rows_of_one_clean_run():
    report = drill(conversations=30, kills=24)
    assert report.killed >= 24
    assert report.drawers > 200
    assert report.facts > 20
    assert report.differences == ()
