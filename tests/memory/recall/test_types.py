import json
from datetime import UTC, date, datetime
from uuid import UUID, uuid4
from zoneinfo import ZoneInfo

import pytest

from memory.recall.dates import DateSpan
from memory.recall.types import (
    Arm,
    Candidate,
    Cut,
    Decision,
    Degradation,
    Query,
    RecallRequest,
    RecallSettings,
    Trace,
    as_json,
)

DRAWER = UUID("01890000-0000-7000-8000-000000000001")
ROOM = UUID("01890000-0000-7000-8000-000000000002")
SAID = datetime(2023, 3, 12, 9, 0, tzinfo=UTC)


def test_the_settings_begin_as_the_page_says():
    settings = RecallSettings()
    assert (settings.enabled, settings.top_k, settings.token_budget) == (True, 5, 1500)
    assert (settings.rerank, settings.rerank_model) == (False, "anthropic/claude-haiku-4.5")
    assert (settings.similarity_floor, settings.patience_ms) == (0.6, 300)


@pytest.mark.parametrize("name", ["Nowhere/Nothing", "", "../etc/passwd", "America", "a\x00b"])
def test_an_unknown_time_zone_is_utc(name):
    assert RecallSettings(timezone=name).zone == ZoneInfo("UTC")


def test_today_is_the_users_own_day():
    late = datetime(2023, 5, 31, 22, 30, tzinfo=UTC)
    settings = RecallSettings(timezone="Asia/Tokyo")
    assert RecallRequest(uuid4(), "hi", late, settings=settings).today == date(2023, 6, 1)


def test_scoring_a_candidate_keeps_its_other_signals():
    first = Candidate(DRAWER, ROOM, "user", SAID, {"cosine": 0.7})
    scored = first.scored(0.9, time=0.2)
    assert scored.scores == {"cosine": 0.7, "time": 0.2}
    assert scored.score == 0.9
    assert first.scores == {"cosine": 0.7}


def test_a_trace_survives_being_written_as_json():
    trace = Trace(
        decision=Decision(True, "Memory may hold something about this."),
        query=Query(
            "when?",
            words=("when",),
            span=DateSpan(date(2023, 3, 1), date(2023, 4, 1), "in March", 10),
        ),
        arms={"vectors": Arm(3, 1.23456)},
        considered=(Candidate(DRAWER, ROOM, "user", SAID, {"cosine": 0.123456}, 0.5),),
        cut=(Cut(DRAWER, "It did not fit."),),
        degraded=(Degradation("embedder", "Search by meaning is not available."),),
        timings={"total": 12.3456789},
    )
    read = json.loads(json.dumps(as_json(trace)))
    assert read["decision"] == {"search": True, "reason": "Memory may hold something about this."}
    assert read["query"]["span"]["start"] == "2023-03-01"
    assert read["query"]["words"] == ["when"]
    assert read["arms"] == {"vectors": {"found": 3, "milliseconds": 1.2346}}
    assert read["considered"][0]["drawer_id"] == str(DRAWER)
    assert read["considered"][0]["scores"] == {"cosine": 0.1235}
    assert read["considered"][0]["said_at"] == "2023-03-12T09:00:00+00:00"
    assert read["cut"] == [{"drawer_id": str(DRAWER), "why": "It did not fit."}]
    assert read["timings"] == {"total": 12.3457}


def test_a_trace_of_nothing_is_small():
    read = as_json(Trace(Decision(False, "The message is empty.")))
    assert read["query"] is None
    assert read["considered"] == read["cut"] == read["degraded"] == []
