"""Pagination of every list: each row is on exactly one page."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from memory.changes import activity_queries
from memory.consolidation import journal
from memory.consolidation.application import consolidate
from memory.facts import queries as graph_queries
from memory.forgetting import trash
from memory.models import RecallTrace
from memory.pages.facts import rows
from memory.pages.palace import queries
from memory.pages.search import traces
from memory.projections import insights, skills, timeline
from memory.projections.skills import propose_skills
from tests.html import check_page, parse
from tests.memory.consolidation.facts import add
from tests.memory.page_sizes import shorten
from tests.memory.pages.forms import all_pages
from tests.memory.palaces import MONDAY, file, learn, relate

ROWS = tuple(f"row number {number}" for number in range(7))
Filled = tuple[str, list[str]]
"""The URL of a list, and a text that identifies each of its rows."""


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
    return reverse("memory:trash"), list(ROWS)


def relations(user):
    drawer = words(user)
    for row in ROWS:
        relate(drawer, f"Ana of {row}", "knows", "Ines")
    return reverse("memory:graph", query={"view": "table"}), [f"Ana of {row}" for row in ROWS]


def events(user):
    expected = facts(user, ("event",), event_time=datetime(2024, 5, 1, tzinfo=UTC))
    return reverse("memory:timeline", query={"year": 2024}), expected


def proposals(user):
    facts(user, ("successful_path",))
    propose_skills(user.id, None, MONDAY)
    return reverse("memory:skills"), list(ROWS)


def repeat(user, said):
    """A run that merges what was said twice."""
    drawer = words(user)
    for row in said:
        add(drawer, f"Likes {row}.")
        add(drawer, f"likes the {row}")
    run = consolidate(user.id, timezone.now() + timedelta(seconds=ROWS.index(said[0])))
    assert run
    return run


def run_lines(user):
    run = repeat(user, ROWS)
    return reverse("memory:consolidation_run", args=[run.id]), [f"Likes {row}." for row in ROWS]


def runs(user):
    made = [repeat(user, (row,)) for row in ROWS]
    return reverse("memory:consolidation"), [
        reverse("memory:consolidation_run", args=[run.id]) for run in made
    ]


def recalls(user):
    made = [RecallTrace.objects.create(user_id=user.id, trace={}, at=MONDAY) for _ in ROWS]
    return reverse("chat:recalls"), [reverse("chat:recall", args=[each.id]) for each in made]


LISTS: dict[str, tuple[Callable[..., object], Callable[[User], Filled]]] = {
    "closet": (queries.drawers_of_closet, closet),
    "trash": (trash.deletions, deletions),
    "relations": (graph_queries.relations_at, relations),
    "facts": (rows.fetch_page, lambda user: (reverse("memory:facts"), facts(user))),
    "newest facts": (
        rows.fetch_page,
        lambda user: (reverse("memory:facts", query={"sort": "newest"}), facts(user)),
    ),
    "timeline": (timeline.timeline, events),
    "insights": (
        insights.insights,
        lambda user: (reverse("memory:profile"), facts(user, ("insight",))),
    ),
    "skills": (skills.skills_by_status, proposals),
    "lines of a run": (journal.lines, run_lines),
    "runs": (activity_queries.events, runs),
    "recalls": (traces.recalls, recalls),
}


@pytest.mark.parametrize("name", LISTS)
def test_each_row_is_on_exactly_one_page(as_alice, alice_client, monkeypatch, name):
    listing, fill = LISTS[name]
    shorten(monkeypatch, listing, 3)
    url, known = fill(as_alice)
    pages = all_pages(alice_client, url)
    assert len(pages) == 3
    for each in known:
        assert [each in page for page in pages].count(True) == 1, each


@pytest.fixture
def chain(as_alice):
    """Alice knows Rui, who knew Ines for a week."""
    drawer = file(as_alice.id, ["Rui knew Ines."])[0]
    relate(drawer, "user", "friend_of", "Rui")
    week = MONDAY + timedelta(days=7)
    relate(drawer, "Rui", "knows", "Ines", valid_to=week)
    relate(drawer, "Zoe", "knows", "Yan")


def path_texts(client, **query):
    html = check_page(client.get(reverse("memory:paths", query=query)))
    return [
        " ".join(e.words.split())
        for e in parse(html).elements
        if e.tag == "section" and e.attributes.get("class") == "card"
    ]


def test_a_path_is_shown_with_dates_and_sources_as_of_a_day(alice_client, chain):
    (path,) = path_texts(alice_client, start="Me", end="ines")
    assert path.startswith("Rui is your friend said 6 May 2024 source Rui knows Ines")
    assert len(path_texts(alice_client, start="Ines", end="me", at="2024-05-12")) == 1
    assert path_texts(alice_client, start="Ines", end="me", at="2024-05-13") == []
    url = reverse("memory:paths", query={"start": "me", "end": "Zoe"})
    assert "These two are not connected" in check_page(alice_client.get(url))
    assert "not connected in four" not in check_page(alice_client.get(reverse("memory:paths")))


def test_unknown_names_and_names_of_other_users_are_rejected(alice_client, bob_client, chain):
    wrong = ({"start": "me", "end": "Nobody"}, {"start": "", "end": "Rui"})
    for query in (*wrong, {"start": "me", "end": "Rui", "at": "soon"}):
        for headers in ({}, {"HX-Request": "true"}):
            response = alice_client.get(reverse("memory:paths", query=query), headers=headers)
            assert "error" in check_page(response, status=422)
    url = reverse("memory:paths", query={"start": "Rui", "end": "Ines"})
    assert "person or thing has that name" in check_page(bob_client.get(url), status=422)
