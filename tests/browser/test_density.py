"""How many facts fit on a screen."""

import pytest

FILTER_HEIGHT = 60
MIN_FACTS = {(1366, 850): 20, (1920, 1080): 40, (2560, 1440): 40, (390, 844): 1}
VISIBLE_ROWS = """(rows) => rows.filter((row) => {
  const box = row.getBoundingClientRect();
  return box.top >= 0 && box.bottom <= innerHeight;
}).length"""
FILL = """
from django.utils import timezone
from accounts.models import User
from accounts.tenancy import tenant
from memory.facts.review.wording import NewFact, Wording, add
user, now = User.objects.get(email="ines@example.org"), timezone.now()
with tenant(user.id):
    for kind in ("identity", "relationship", "preference", "constraint", "project", "goal", "skill"):
        for number in range(8):
            add(user.id, NewFact(Wording(f"My {kind} has the number {number}.", kind, "", now)), now)
"""


@pytest.fixture(scope="module")
def ines(new_visitor, site):
    """A user with eight facts in each of seven groups."""
    ines = new_visitor()
    ines.sign_up("Ines")
    site.manage("shell", "-c", FILL)
    return ines


@pytest.mark.parametrize("screen", MIN_FACTS, ids=str)
def test_facts_page_shows_many_facts_under_a_low_filter_row(ines, screen):
    width, height = screen
    ines.page.set_viewport_size({"width": width, "height": height})
    ines.go("/memory/facts/")
    filters = ines.page.locator(".filter-row").bounding_box()
    assert filters
    assert filters["height"] <= FILTER_HEIGHT
    assert ines.page.locator(".fact").evaluate_all(VISIBLE_ROWS) >= MIN_FACTS[screen]
