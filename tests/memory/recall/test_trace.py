import json
from datetime import UTC, date, datetime
from uuid import UUID

from memory.aaak import Pointer
from memory.recall.trace import hit_as_json, trace_as_json
from memory.recall.types import Candidate, Cut, Decision, Degradation, Hit, Query, RetrieverRun, Trace
from memory.text.dates import DateSpan

DRAWER = UUID("01890000-0000-7000-8000-000000000001")
ROOM = UUID("01890000-0000-7000-8000-000000000002")
FACT = UUID("01890000-0000-7000-8000-000000000003")
SAID = datetime(2023, 3, 12, 9, 0, tzinfo=UTC)


def test_a_trace_survives_being_written_trace_as_json():
    trace = Trace(
        decision=Decision(True, "Your memory may contain something about this."),
        query=Query(
            "when?",
            words=("when",),
            span=DateSpan(date(2023, 3, 1), date(2023, 4, 1), "in March", 10),
        ),
        retrievers={"vectors": RetrieverRun(3, 1.23456)},
        considered=(
            Candidate(DRAWER, ROOM, "user", SAID, {"cosine": 0.123456}).scored(
                0.5, {"meaning": 0.4, "speaker": 0.1}
            ),
        ),
        cut=(Cut(DRAWER, "It did not fit.", "budget"),),
        degraded=(Degradation("embedder", "Search by meaning is not available."),),
        timings={"total": 12.3456789},
    )
    read = json.loads(json.dumps(trace_as_json(trace)))
    assert read["decision"] == {"search": True, "reason": "Your memory may contain something about this."}
    assert read["query"]["span"]["start"] == "2023-03-01"
    assert read["query"]["words"] == ["when"]
    assert read["retrievers"] == {"vectors": {"found": 3, "milliseconds": 1.2346}}
    assert read["considered"][0]["drawer_id"] == str(DRAWER)
    assert read["considered"][0]["scores"]["cosine"] == 0.1235
    assert read["considered"][0]["shares"] == {"meaning": 0.8, "speaker": 0.2}
    assert read["considered"][0]["said_at"] == "2023-03-12T09:00:00+00:00"
    assert read["cut"] == [{"drawer_id": str(DRAWER), "why": "It did not fit.", "stage": "budget"}]
    assert read["timings"] == {"total": 12.3457}


def test_a_trace_of_nothing_is_small():
    read = trace_as_json(Trace(Decision(False, "The message is empty.")))
    assert read["query"] is None
    assert read["considered"] == read["cut"] == read["degraded"] == []


def test_a_hit_is_kept_without_its_words():
    hit = Hit(
        drawer_id=DRAWER,
        pointer=Pointer(1, 2, 3),
        wing="Bread",
        wing_kind="topic",
        room="A talk",
        closet="Rye",
        room_id=ROOM,
        role="user",
        said_at=SAID,
        text="I feed my rye starter at seven.",
        reason="It is close in meaning to your message.",
        score=0.5,
        scores={"cosine": 0.7},
        parts={"meaning": 0.5},
        retrievers={"facts": (FACT,)},
    )
    read = json.loads(json.dumps(hit_as_json(hit)))
    assert "seven" not in str(read)
    assert (read["pointer"], read["date"]) == ("§ W-001/R-02/D-003", "2023-03-12T09:00:00+00:00")
    assert (read["score"], read["shares"]) == (0.5, {"meaning": 1.0})
    assert read["retrievers"] == {"facts": [str(FACT)]}
