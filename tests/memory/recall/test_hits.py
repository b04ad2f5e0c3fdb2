"""Reading hits with text, place, reason and neighbours, and the stored form of traces and hits."""

import json
from dataclasses import replace
from datetime import UTC, timedelta
from uuid import uuid4
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from uuid_utils.compat import uuid7

from memory.forgetting import trash
from memory.models import Drawer
from memory.recall.block import context_block
from memory.recall.reading import NEIGHBOUR, neighbours, read_hits
from memory.recall.reasons import SIGNALS, explain, shared_words, shares
from memory.recall.trace import trace_as_json
from memory.recall.types import (
    Candidate,
    Cut,
    Decision,
    Ended,
    Query,
    RecallRequest,
    RetrieverRun,
    Trace,
)
from memory.text.dates import DateSpan
from tests.drills.ledger import NOW
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


def test_the_best_passage_is_found_again_beside_a_hidden_secret(as_alice):
    said = "My password is Zanzibar77. The boathouse is green."
    (drawer,) = file(as_alice.id, [said])
    span = (said.index("The boathouse"), len(said))
    (hit,) = read_hits(request_of(as_alice), [replace(candidate(drawer), span=span)])
    assert "Zanzibar77" not in hit.text
    assert hit.text[slice(*hit.span)] == "The boathouse is green."


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
    neighbours(request_of(as_alice), hits)  # prepares the query
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
        Decision(True, "Your memory may contain something about this."),
        query=Query("when?", span=DateSpan(day, day, "then", 10)),
        retrievers={"vectors": RetrieverRun(3, 1.23456)},
        considered=(found.scored(0.5, {"meaning": 0.4, "speaker": 0.1}),),
        cut=[Cut(drawer, "It did not fit.", "budget")],
    )
    read = json.loads(json.dumps(trace_as_json(trace)))
    assert read["retrievers"] == {"vectors": {"found": 3, "milliseconds": 1.2346}}
    assert read["cut"] == [{"drawer_id": str(drawer), "why": "It did not fit.", "stage": "budget"}]
    assert read["query"]["span"]["start"] == "2024-05-06"
    (considered,) = read["considered"]
    assert (considered["drawer_id"], considered["said_at"]) == (str(drawer), "2024-05-06T09:00:00+00:00")
    assert considered["scores"] == {"cosine": 0.1235, "meaning": 0.4, "speaker": 0.1}
    assert considered["shares"] == {"meaning": 0.8, "speaker": 0.2}
    read = trace_as_json(Trace(Decision(False, "The message is empty.")))
    assert read["query"] is None
    assert read["considered"] == read["cut"] == read["degraded"] == []


QUESTION = "When do I feed my rye starter?"
ABOUT_ASSISTANT = Query(QUESTION, about_assistant=True)
COLOURS = "red green blue brown black white"
CLOSEST = "It is among the closest in meaning to your message."
RYE = "It shares the words “rye” and “starter” with your message"


def scored(text="I fed the rye starters at seven.", scores=None, role="user", said_at=NOW, **parts):
    changes = {"text": text, "role": role, "scores": scores or {}, "said_at": said_at, "parts": parts}
    return any_hit(1, score=sum(parts.values()), **changes)


def reason_of(found, query=None, zone=UTC):
    return explain(found, query or Query(QUESTION), zone).reason


@pytest.mark.parametrize(
    ("found", "words", "query"),
    [
        (
            scored(scores={"similarity": 0.9}, meaning=0.5),
            "It is very close in meaning to your message.",
            None,
        ),
        (scored(scores={"similarity": 0.6}, meaning=0.5), "It is close in meaning to your message.", None),
        (scored(scores={"similarity": 0.2}, meaning=0.5), CLOSEST, None),
        (scored(wording=0.2), f"{RYE}.", None),
        (scored("Rye is a grain.", wording=0.2), "It shares the word “rye” with your message.", None),
        (
            scored(COLOURS, wording=0.2),
            "It shares the words “red”, “green”, “blue”, “brown” and 2 more with your message.",
            Query(COLOURS),
        ),
        (scored("Nothing of it.", wording=0.2), "It shares words with your message.", None),
        (
            scored(scores={"similarity": 0.8}, meaning=0.3, wording=0.5),
            f"{RYE} and is very close in meaning to it.",
            None,
        ),
        (
            scored(role="assistant", wording=0.5, known_facts=0.3, speaker=0.2),
            f"{RYE}, is the source of a related fact and is from the assistant you ask about.",
            ABOUT_ASSISTANT,
        ),
        (scored(role="assistant", speaker=0.12), "It is from the assistant you ask about.", ABOUT_ASSISTANT),
        (scored(role="assistant", speaker=0.12), CLOSEST, None),
        (scored(pinned=0.15), "It is pinned.", None),
        (scored(pointer=100.0), "It has the pointer you entered.", None),
        *((scored(**parts), CLOSEST, None) for parts in ({"speaker": 0.07}, {"recency": 0.02}, {})),
        (scored(secret_sauce=0.3), "It matches by another signal (secret sauce).", None),
    ],
)
def test_the_strongest_signals_are_the_reasons(found, words, query):
    assert reason_of(found, query) == words


def test_at_most_three_reasons_are_given_once():
    chosen = scored(scores={"reader": 1.0, "similarity": 0.8}, meaning=0.8)
    assert reason_of(chosen).startswith("It was selected by the reranking model")
    parts = {"meaning": 0.3, "wording": 0.2, "pinned": 0.15, "extra": 0.14, "another": 0.13}
    found = reason_of(scored(scores={"similarity": 0.9}, **parts))
    assert found.count(" and ") == 2
    assert "sign" not in found
    neighbour = explain(scored(), Query(QUESTION), UTC)
    assert explain(neighbour, Query("another"), UTC) is neighbour, "a reason given before is kept"


@pytest.mark.parametrize(("days", "how"), [(0, "at"), (4, "near")])
def test_the_date_is_given_in_the_users_time_zone(days, how):
    late = NOW.replace(hour=23) + timedelta(days=days)
    zone, start = ZoneInfo("Asia/Tokyo"), NOW.date()
    said_on = late.astimezone(zone).date()
    query = Query(QUESTION, span=DateSpan(start, start + timedelta(days=2), "then", 9))
    expected = f"It dates from {said_on.day} {said_on:%B %Y} ({how} the time you mention)."
    assert reason_of(scored(said_at=late, time=0.1), query, zone) == expected
    about = scored(said_at=NOW + timedelta(days=9), scores={"about": 1.0}, time=0.1)
    assert reason_of(about, query) == "It is about the time you mention."


def _positive(parts):
    return sum(part for part in parts.values() if part > 0.001)


PARTS = st.dictionaries(st.sampled_from([*SIGNALS, "sentence", "facts"]), st.floats(-2, 2), max_size=6)


@given(PARTS.filter(lambda parts: _positive(parts) > 0.1))
def test_positive_shares_add_up_to_one(parts):
    found = shares(parts, sum(parts.values())).values()
    assert sum(share for share in found if share > 0) == pytest.approx(1)
    assert [share for share in found if not -1 <= share <= 1] == []


@pytest.mark.parametrize(
    ("parts", "score", "expected"),
    [
        ({"speaker": -0.07, "meaning": 0.57, "wording": 0.1}, 0.6, [0.851, 0.149, -0.104]),
        ({"meaning": 0.5}, 0.75, [2 / 3, 1 / 3]),
        ({"meaning": 0.1, "speaker": -0.3}, -0.2, [1.0, -1.0]),
        ({}, 0.0, []),
        ({"meaning": 0.0}, 0.0, []),
    ],
    ids=["largest first", "an unexplained rest", "more against it than for it", "nothing", "zero"],
)
def test_shares_are_ordered_by_size(parts, score, expected):
    assert [*shares(parts, score).values()] == pytest.approx(expected, abs=0.001)


@pytest.mark.parametrize(
    ("question", "text", "shared"),
    [
        ("When do I feed my rye starter?", "I was feeding the starters of RYE.", ("feed", "rye", "starter")),
        ("我的妻子叫什么名字？", "我住在上海，我的妻子叫王敏。", ("妻子叫",)),
        ("Где живёт моя сестра?", "Моя сестра жила в Новосибирске", ("сестра",)),
        ("What did I say about 🦦?", "My lucky sign is 🦦🎷", ("🦦",)),
        ("東京のホテルはどこ", "東京でホテルを予約した", ("東京", "ホテル")),
        ("Is C++ in my node.js project?", "c++ and node.js", ("C++", "node.js")),
        ("Rye, rye and RYE?", "rye", ("Rye",)),
        ("What did I do?", "What did I do?", ()),
        ("bread", "", ()),
        ("", "bread", ()),
        ("?!…", "?!…", ()),
    ],
)
def test_shared_words_are_given_as_written_in_the_question(question, text, shared):
    assert shared_words(question, text) == shared
