"""Kills real processes: `tests.drills.consolidation`, scaled down for the test suite."""

import pytest

from tests.drills.consolidation import drill

pytestmark = pytest.mark.drill


@pytest.mark.django_db(transaction=True)
def test_a_process_killed_while_consolidating_leaves_the_old_rows_or_the_new_ones():
    report = drill(facts=1500, kills=10)
    assert report.killed >= 3
    assert report.old + report.new == report.killed
    assert report.mixed == 0
