"""Cursors, and the pagination of every list: each row is on exactly one page."""

from datetime import UTC, datetime, timedelta

import pytest
from django.urls import reverse
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from memory.changes import activity_queries
from memory.consolidation import journal
from memory.consolidation.application import consolidate
from memory.facts import queries as graph_queries
from memory.forgetting import trash
from memory.models import RecallTrace
from memory.pages.facts import rows
from memory.pages.palace import queries
from memory.pages.search import traces
from memory.paging import CursorUnreadable, after_moment, after_number, moment_and_id, number_and_id
from memory.projections import insights, skills, timeline
from memory.projections.skills import propose_skills
from tests.memory.consolidation.facts import add
from tests.memory.page_sizes import shorten
from tests.memory.pages.forms import all_pages
from tests.memory.palaces import MONDAY, file, learn, relate

ROWS = tuple(f"row number {number}" for number in range(7))


def words(user):
    return file(user.id, [", ".join(ROWS)])[0]


def facts(user, kinds=("event", "goal"), **given):
    drawer, expected = words(user), []
    for number, row in enumerate(ROWS):
        expected.append(f"Said {row} once.")
        learn(drawer, row, expected[-1], kind=kinds[number % len(kinds)], predicate="deploys", **given)
    return expected


def closet(user):
    first, *_ = file(user.id, ROWS)
    return reverse("memory:closet", args=[first.wing_id, first.room_id, first.closet_id]), list(ROWS)


def deletions(user):
    for drawer in file(user.id, ROWS):
        trash.delete(user.id, "drawer", drawer.id, timezone.now())
    return "/memory/trash/", list(ROWS)


def relations(user):
    drawer = words(user)
    for row in ROWS:
        relate(drawer, f"Ana of {row}", "knows", "Ines")
    return "/memory/graph/?view=table", [f"Ana of {row}" for row in ROWS]


def proposals(user):
    facts(user, ("successful_path",))
    propose_skills(user.id, None, MONDAY)
    return "/memory/skills/", list(ROWS)


def merge_repeated(user, said):
    """A run that merges what was said twice."""
    drawer = words(user)
    for row in said:
        add(drawer, f"Likes {row}.")
        add(drawer, f"likes the {row}")
    run = consolidate(user.id, timezone.now() + timedelta(seconds=ROWS.index(said[0])))
    return reverse("memory:consolidation_run", args=[run.id])


def recalls(user):
    made = [RecallTrace.objects.create(user_id=user.id, trace={}, at=MONDAY) for _ in ROWS]
    return reverse("chat:recalls"), [reverse("chat:recall", args=[each.id]) for each in made]


MAY = datetime(2024, 5, 1, tzinfo=UTC)
LISTS = {
    "closet": (queries.drawers_of_closet, closet),
    "trash": (trash.deletions, deletions),
    "relations": (graph_queries.relations_at, relations),
    "facts": (rows.fetch_page, lambda user: ("/memory/facts/", facts(user))),
    "newest facts": (rows.fetch_page, lambda user: ("/memory/facts/?sort=newest", facts(user))),
    "timeline": (
        timeline.timeline,
        lambda user: ("/memory/timeline/?year=2024", facts(user, ("event",), event_time=MAY)),
    ),
    "insights": (insights.insights, lambda user: ("/memory/profile/", facts(user, ("insight",)))),
    "skills": (skills.skills_by_status, proposals),
    "lines of a run": (
        journal.lines,
        lambda user: (merge_repeated(user, ROWS), [f"Likes {row}." for row in ROWS]),
    ),
    "runs": (
        activity_queries.events,
        lambda user: ("/memory/activity/consolidation/", [merge_repeated(user, (row,)) for row in ROWS]),
    ),
    "recalls": (traces.recalls, recalls),
}
"""The query of each list, and a function that fills it and returns its URL and a text from each row."""


@pytest.mark.parametrize("name", LISTS)
def test_each_row_is_on_exactly_one_page(as_alice, alice_client, monkeypatch, name):
    listing, fill = LISTS[name]
    shorten(monkeypatch, listing, 3)
    url, known = fill(as_alice)
    pages = all_pages(alice_client, url)
    assert len(pages) == 3
    for each in known:
        assert [each in page for page in pages].count(True) == 1, each


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
