"""Real processes, killed for real: the drills in a size that suits the suite."""

import pytest

from tests.drills import crashes, workers

pytestmark = pytest.mark.drill


@pytest.mark.django_db(transaction=True)
def test_workers_killed_at_random_leave_the_rows_of_one_clean_run():
    report = crashes.drill(conversations=30, kills=24)
    assert report.killed >= 24
    assert report.drawers > 200
    assert report.facts > 20
    assert report.differences == ()


@pytest.mark.django_db(transaction=True)
def test_the_worker_of_the_product_killed_at_random_leaves_them_too():
    """Fed by the sweep through the queue in the database, from the upload to the last drawer."""
    report = workers.drill(conversations=60, kills=25)
    assert report.killed >= 25
    assert report.drawers > 400
    assert report.facts > 40
    assert report.differences == ()
