"""The reasons of hits in words, and the shares of their signals."""

from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.recall.reasons import SIGNALS, explain, shared_words, shares
from memory.recall.types import Query
from memory.text.dates import DateSpan
from tests.drills.ledger import NOW
from tests.memory.recall.test_budget import hit as any_hit

UTC = ZoneInfo("UTC")
QUESTION = "When do I feed my rye starter?"
ABOUT_ASSISTANT = Query(QUESTION, about_assistant=True)
COLOURS = "red green blue brown black white"
CLOSEST = "It is among the closest in meaning to your message."
RYE = "It shares the words “rye” and “starter” with your message"


def hit(text="I fed the rye starters at seven.", scores=None, role="user", said_at=NOW, **parts):
    changes = {"text": text, "role": role, "scores": scores or {}, "said_at": said_at, "parts": parts}
    return any_hit(1, score=sum(parts.values()), **changes)


def reason_of(found, query=None, zone=UTC):
    return explain(found, query or Query(QUESTION), zone).reason


@pytest.mark.parametrize(
    ("found", "words", "query"),
    [
        (hit(scores={"similarity": 0.9}, meaning=0.5), "It is very close in meaning to your message.", None),
        (hit(scores={"similarity": 0.6}, meaning=0.5), "It is close in meaning to your message.", None),
        (hit(scores={"similarity": 0.2}, meaning=0.5), CLOSEST, None),
        (hit(wording=0.2), f"{RYE}.", None),
        (hit("Rye is a grain.", wording=0.2), "It shares the word “rye” with your message.", None),
        (
            hit(COLOURS, wording=0.2),
            "It shares the words “red”, “green”, “blue”, “brown” and 2 more with your message.",
            Query(COLOURS),
        ),
        (hit("Nothing of it.", wording=0.2), "It shares words with your message.", None),
        (
            hit(scores={"similarity": 0.8}, meaning=0.3, wording=0.5),
            f"{RYE} and is very close in meaning to it.",
            None,
        ),
        (
            hit(role="assistant", wording=0.5, known_facts=0.3, speaker=0.2),
            f"{RYE}, is the source of a related fact and is from the assistant you ask about.",
            ABOUT_ASSISTANT,
        ),
        (hit(role="assistant", speaker=0.12), "It is from the assistant you ask about.", ABOUT_ASSISTANT),
        (hit(role="assistant", speaker=0.12), CLOSEST, None),
        (hit(pinned=0.15), "It is pinned.", None),
        (hit(pointer=100.0), "It has the pointer you entered.", None),
        *((hit(**parts), CLOSEST, None) for parts in ({"speaker": 0.07}, {"recency": 0.02}, {})),
        (hit(secret_sauce=0.3), "It matches by another signal (secret sauce).", None),
    ],
)
def test_the_strongest_signals_are_the_reasons(found, words, query):
    assert reason_of(found, query) == words


def test_at_most_three_reasons_are_given_once():
    chosen = hit(scores={"reader": 1.0, "similarity": 0.8}, meaning=0.8)
    assert reason_of(chosen).startswith("It was selected by the reranking model")
    parts = {"meaning": 0.3, "wording": 0.2, "pinned": 0.15, "extra": 0.14, "another": 0.13}
    found = reason_of(hit(scores={"similarity": 0.9}, **parts))
    assert found.count(" and ") == 2
    assert "sign" not in found
    neighbour = explain(hit(), Query(QUESTION), UTC)
    assert explain(neighbour, Query("another"), UTC) is neighbour, "a reason given before is kept"


@pytest.mark.parametrize(("days", "how"), [(0, "at"), (4, "near")])
def test_the_date_is_given_in_the_users_time_zone(days, how):
    late = NOW.replace(hour=23) + timedelta(days=days)
    zone, start = ZoneInfo("Asia/Tokyo"), NOW.date()
    said_on = late.astimezone(zone).date()
    query = Query(QUESTION, span=DateSpan(start, start + timedelta(days=2), "then", 9))
    expected = f"It dates from {said_on.day} {said_on:%B %Y} ({how} the time you mention)."
    assert reason_of(hit(said_at=late, time=0.1), query, zone) == expected
    about = hit(said_at=NOW + timedelta(days=9), scores={"about": 1.0}, time=0.1)
    assert reason_of(about, query) == "It is about the time you mention."


def _positive(parts):
    return sum(part for part in parts.values() if part > 0.001)


PARTS = st.dictionaries(st.sampled_from([*SIGNALS, "sentence", "facts"]), st.floats(-2, 2), max_size=6)


@given(PARTS.filter(lambda parts: _positive(parts) > 0.1))
def test_positive_shares_add_up_to_one(parts):
    found = shares(parts, sum(parts.values())).values()
    assert sum(share for share in found if share > 0) == pytest.approx(1)
    assert all(-1 <= share <= 1 for share in found)


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
