"""Reading hits with text, place, reason and neighbours, and the stored form of traces and hits."""

import json
from dataclasses import replace
from datetime import UTC, timedelta
from uuid import uuid4

import pytest
from uuid_utils.compat import uuid7

from memory.forgetting import trash
from memory.models import Drawer
from memory.recall.block import context_block
from memory.recall.reading import NEIGHBOUR, neighbours, read_hits
from memory.recall.trace import hit_as_json, trace_as_json
from memory.recall.types import (
    Candidate,
    Cut,
    Decision,
    Degradation,
    Ended,
    Query,
    RecallRequest,
    RetrieverRun,
    Trace,
)
from memory.text.dates import DateSpan
from tests.memory.palaces import MONDAY, Spot, file, learn
from tests.memory.recall.test_budget import hit as any_hit

TEXTS = (
    "I feed my rye starter at seven.",
    "很好。\n\tЗавтра?",
    "The oven <b>is</b> too hot & loud. 🍞",
    "مع السلامة",
)


pytestmark = pytest.mark.usefixtures("embedder")


@pytest.fixture
def drawers(as_alice):
    return file(as_alice.id, TEXTS)


def request_of(user):
    return RecallRequest(user.id, "What about bread?", MONDAY)


def candidate(drawer, **scores):
    return Candidate(drawer.id, drawer.room_id, drawer.role, drawer.said_at, scores=scores)


def read(user, *drawers):
    return read_hits(request_of(user), [candidate(drawer) for drawer in drawers])


def neighbours_of(user, *drawers):
    """The texts of the neighbours of each drawer."""
    found = neighbours(request_of(user), read(user, *drawers))
    return [[each.text for each in found[drawer.id]] for drawer in drawers]


def test_hits_have_the_order_text_place_and_time_of_their_drawers(as_alice, drawers):
    missing = Candidate(uuid4(), drawers[0].room_id, "user", MONDAY)
    candidates = [
        candidate(drawers[2]),
        candidate(drawers[1], similarity=0.8),
        missing,
        candidate(drawers[0]),
    ]
    hits = read_hits(request_of(as_alice), candidates)
    assert [hit.text for hit in hits] == [TEXTS[2], TEXTS[1], TEXTS[0]]
    hit = hits[1]
    assert hit.drawer_id == drawers[1].id
    place = (hit.wing, hit.wing_kind, hit.room, hit.closet)
    assert place == ("Bakery", "project", "Sourdough", "Starter")
    assert (hit.pointer.wing, hit.pointer.room, hit.pointer.drawer) == (1, 1, 2)
    assert hit.said_at == MONDAY + timedelta(minutes=1)
    assert (hit.tokens, hit.scores) == (drawers[1].token_count, {"similarity": 0.8})
    assert read(as_alice) == ()
    trash.delete(as_alice.id, "drawer", drawers[1].id, MONDAY)
    assert [hit.text for hit in read(as_alice, drawers[1], drawers[0])] == [TEXTS[0]]


def test_outdated_statements_are_marked_with_their_end_date(as_alice):
    old, new = file(as_alice.id, ["I live in Leeds & like it.", "I moved, I live in York now."])
    home = {"kind": "identity", "key": "home_city", "predicate": "lives_in", "single_valued": True}
    outdated = "The user lives in Leeds & likes it."
    learn(old, "I live in Leeds", outdated, value="Leeds", object="Leeds", **home)
    learn(new, "I live in York", "The user lives in York.", value="York", object="York", **home)
    later = replace(request_of(as_alice), now=MONDAY + timedelta(days=1))
    first, second = read_hits(later, [candidate(old), candidate(new)])
    assert first.ended == (Ended(outdated, new.said_at),)
    assert second.ended == ()
    block = context_block((first, second), UTC)
    mark = f'<outdated since="{new.said_at:%Y-%m-%d}">The user lives in Leeds &amp; likes it.</outdated>'
    assert block.count(mark) == block.count("<outdated") == 1
    before = replace(later, now=old.said_at)
    assert [hit.ended for hit in read_hits(before, [candidate(old)])] == [()]
    assert [hit.ended for hit in read_hits(later, [candidate(old)], endings=False)] == [()]


def test_neighbours_are_the_nearest_usable_drawers_of_the_room_read_in_one_query(
    as_alice, drawers, django_assert_num_queries
):
    file(as_alice.id, ["Elsewhere."], Spot(room="Another", source_id=uuid7()))
    hits = read(as_alice, *drawers)
    with django_assert_num_queries(1):
        found = neighbours(request_of(as_alice), hits)
    (neighbour,) = found[drawers[0].id]
    assert (neighbour.reason, neighbour.scores) == (NEIGHBOUR, {})
    expected = [[TEXTS[1]], [TEXTS[2], TEXTS[0]], [TEXTS[3], TEXTS[1]], [TEXTS[2]]]
    assert neighbours_of(as_alice, *drawers) == expected
    Drawer.objects.filter(id=drawers[1].id).update(sensitive=True)
    assert neighbours_of(as_alice, drawers[0]) == [[TEXTS[2]]]
    trash.delete(as_alice.id, "drawer", drawers[2].id, MONDAY)
    assert neighbours_of(as_alice, drawers[0]) == [[TEXTS[3]]]

    Drawer.objects.filter(id=drawers[0].id).update(deleted_at=MONDAY)
    assert [each.text for each in neighbours(request_of(as_alice), hits[:1])[drawers[0].id]] == [TEXTS[3]]
    Drawer.objects.filter(id=drawers[0].id)._raw_delete("default")
    assert neighbours(request_of(as_alice), hits[:1]) == {drawers[0].id: []}, "erased meanwhile"


def test_a_trace_is_stored_as_json_and_an_empty_one_is_small():
    drawer, day = uuid4(), MONDAY.date()
    found = Candidate(drawer, uuid4(), "user", MONDAY, {"cosine": 0.123456})
    trace = Trace(
        decision=Decision(True, "Your memory may contain something about this."),
        query=Query("when?", words=("when",), span=DateSpan(day, day, "then", 10)),
        retrievers={"vectors": RetrieverRun(3, 1.23456)},
        considered=(found.scored(0.5, {"meaning": 0.4, "speaker": 0.1}),),
        cut=(Cut(drawer, "It did not fit.", "budget"),),
        degraded=(Degradation("embedder", "Search by meaning is not available."),),
        timings={"total": 12.3456789},
    )
    read = json.loads(json.dumps(trace_as_json(trace)))
    expected = {
        "decision": {"search": True, "reason": "Your memory may contain something about this."},
        "retrievers": {"vectors": {"found": 3, "milliseconds": 1.2346}},
        "cut": [{"drawer_id": str(drawer), "why": "It did not fit.", "stage": "budget"}],
        "timings": {"total": 12.3457},
    }
    assert read | expected == read
    assert (read["query"]["span"]["start"], read["query"]["words"]) == ("2024-05-06", ["when"])
    expected = {
        "drawer_id": str(drawer),
        "scores": {"cosine": 0.1235, "meaning": 0.4, "speaker": 0.1},
        "shares": {"meaning": 0.8, "speaker": 0.2},
        "said_at": "2024-05-06T09:00:00+00:00",
    }
    (considered,) = read["considered"]
    assert considered | expected == considered
    read = trace_as_json(Trace(Decision(False, "The message is empty.")))
    assert read["query"] is None
    assert read["considered"] == read["cut"] == read["degraded"] == []


def test_a_hit_is_stored_without_its_text():
    fact = uuid4()
    hit = any_hit(3, score=0.5, parts={"meaning": 0.5}, retrievers={"facts": (fact,)})
    read = json.loads(json.dumps(hit_as_json(hit)))
    assert "word1" not in str(read)
    assert (read["pointer"], read["date"]) == ("§ W-001/R-01/D-003", hit.said_at.isoformat())
    assert (read["score"], read["shares"]) == (0.5, {"meaning": 1.0})
    assert read["retrievers"] == {"facts": [str(fact)]}
