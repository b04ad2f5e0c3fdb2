from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from uuid import uuid4
from zoneinfo import ZoneInfo

from accounts.tenancy import operator, tenant
from llm.types import Usage as ModelUsage
from memory.pages.activity.cost import asked_month, costs_of, costs_of_site
from memory.usage.budgets import month_of
from memory.usage.records import Purpose, record_usage
from tests.drills.ledger import NOW

FREE = Decimal(0)
MARCH = month_of(NOW, UTC)


def call(user, source="chat", model="m", cost="0.5", at=NOW, **changes):
    fields = {"input_tokens": 100, "output_tokens": 10, "latency_ms": 400} | changes
    usage = ModelUsage(model=model, cost_usd=None if cost is None else Decimal(cost), **fields)
    record_usage(Purpose(user.id, source, at, uuid4()), usage)


def test_a_month_is_summed_by_purpose_and_model_the_most_expensive_first(as_alice):
    call(as_alice, "memory_extract", cost="0.25")
    call(as_alice, "memory_extract", cost="0.5", estimated=True, latency_ms=1000)
    call(as_alice, "chat", model="dear", cost="3")
    call(as_alice, "chat", model="odd", cost=None)
    for _ in range(5):
        call(as_alice, "memory_embed", model="local", cost="0")
    dear, extraction, *others = costs_of(as_alice.id, MARCH, UTC).lines
    assert (dear.name, dear.model, dear.cost_usd, dear.unpriced) == ("Chat", "dear", Decimal(3), 0)
    assert (extraction.name, extraction.calls, extraction.cost_usd) == (
        "Extraction", 2, Decimal("0.75"),
    )  # fmt: skip
    assert (extraction.input_tokens, extraction.output_tokens) == (200, 20)
    assert (extraction.seconds, extraction.estimated) == (0.7, True)
    told = {line.model: (line.calls, line.cost_usd, line.unpriced) for line in others}
    assert told == {"local": (5, FREE, 0), "odd": (1, FREE, 1)}
    costs = costs_of(as_alice.id, MARCH, UTC)
    assert (costs.calls, costs.cost_usd, costs.unpriced) == (9, Decimal("3.75"), 1)


def test_days_are_those_of_the_persons_clock(as_alice):
    late = datetime(2031, 3, 5, 22, 30, tzinfo=UTC)
    call(as_alice, cost="0", at=late)
    (day,) = costs_of(as_alice.id, MARCH, UTC).days
    assert (day.calls, day.cost_usd, day.share) == (1, FREE, 0.0)
    call(as_alice, cost="1", at=late)
    call(as_alice, cost="0.5", at=late - timedelta(hours=5))
    (day,) = costs_of(as_alice.id, MARCH, UTC).days
    assert (day.day, day.calls, day.cost_usd, day.share) == (date(2031, 3, 5), 3, Decimal("1.5"), 1.0)
    first, second = costs_of(as_alice.id, MARCH, ZoneInfo("Asia/Kolkata")).days
    assert [(day.day.day, day.share) for day in (first, second)] == [(5, 0.5), (6, 1.0)]


def test_other_months_do_not_count(as_alice):
    call(as_alice, at=MARCH.start - timedelta(seconds=1))
    call(as_alice, at=MARCH.end)
    assert costs_of(as_alice.id, MARCH, UTC).calls == 0
    call(as_alice, at=MARCH.start)
    assert costs_of(as_alice.id, MARCH, UTC).calls == 1


def test_an_address_may_ask_for_a_month():
    for asked, found in {"2030-12": (2030, 12), "2031-03": (2031, 3)}.items():
        month = asked_month({"month": asked}, NOW, UTC)
        assert (month.start.year, month.start.month) == found
    for wrong in ("", "2030-13", "x", "9999-01"):
        assert asked_month({"month": wrong}, NOW, UTC).start.month == 3


def test_the_sites_month_has_a_line_for_each_person(alice, bob):
    for user, cost in ((alice, "1"), (bob, "2")):
        with tenant(user.id):
            call(user, cost=cost)
            call(user, cost=None)
    with tenant(alice.id):
        assert [line.name for line in costs_of_site(MARCH, UTC).people] == [alice.email]
    with operator():
        site = costs_of_site(MARCH, UTC)
    assert [(line.name, line.cost_usd, line.unpriced) for line in site.people] == [
        (bob.email, Decimal(2), 1), (alice.email, Decimal(1), 1),
    ]  # fmt: skip
    assert (site.calls, site.cost_usd) == (4, Decimal(3))
