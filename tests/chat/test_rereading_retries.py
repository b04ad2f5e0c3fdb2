"""When a second reading is tried, and how often."""

from datetime import timedelta

import pytest

from chat.mining.reextraction import read_person_again, windows_due
from llm import current
from llm.errors import ModelRateLimited, ModelRefused
from llm.fake_gateway import FakeChat
from memory.mining.reextraction import read_by_rules
from memory.models import MinedWindow
from tests.chat.second_readings import AWAY, SAID, UNDERSTOOD, asked, read_again, statements, window
from tests.drills.ledger import LONG, NOW, Clock, converse, mine
from tests.drills.rows import differences, rows_of

pytestmark = pytest.mark.usefixtures("embedder")


def test_a_window_read_by_rules_while_the_model_was_away_is_read_when_it_is_back(as_alice):
    clock = Clock()
    model = FakeChat([UNDERSTOOD])
    model.fail_with(AWAY)
    with current.using(chat=model):
        converse(as_alice.id, *SAID)
        for _ in range(4):
            mine(as_alice.id, clock)
            clock.move(minutes=2)
    assert (window().method, window().reason) == ("rules", "away")
    assert len(statements(as_alice)) == 2
    assert read_again(as_alice, model, clock).failures == 1
    model.fail_with(None)
    assert read_again(as_alice, model, clock).windows == 0  # in its pause
    clock.move(seconds=5)
    assert read_again(as_alice, model, clock).windows == 1
    assert window().method == "model"


def test_a_window_read_by_rules_for_want_of_a_model_waits_to_be_asked_for(as_alice):
    converse(as_alice.id, *SAID)
    mine(as_alice.id)
    assert window().reason == "no_endpoint"
    assert not windows_due(as_alice.id, NOW).exists()
    asked(as_alice)
    assert windows_due(as_alice.id, NOW).count() == 1


def test_without_an_endpoint_nothing_is_tried(as_alice):
    converse(as_alice.id, *SAID)
    mine(as_alice.id)
    asked(as_alice)
    assert read_person_again(as_alice.id, Clock(), LONG).failures == 0
    assert window().attempts == 0


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (ModelRefused("No.", status=401), "declined"),
        ("not json", "unreadable"),
    ],
)
def test_an_answer_of_no_use_leaves_the_rules_alone_and_is_not_asked_for_again(as_alice, reply, reason):
    converse(as_alice.id, *SAID)
    mine(as_alice.id)
    before = rows_of(as_alice.id)
    asked(as_alice)
    read_again(as_alice, FakeChat(answer=lambda request: reply))
    assert (window().method, window().reason, window().requested_at) == ("rules", reason, None)
    assert differences(before, rows_of(as_alice.id)) == []
    assert not windows_due(as_alice.id, NOW + timedelta(days=9)).exists()
    assert read_by_rules(as_alice.id).count() == 1


def test_one_window_that_fails_holds_the_others_only_for_a_minute(as_alice):
    clock = Clock()
    for number in range(3):
        converse(as_alice.id, *SAID, at=NOW - timedelta(days=9 - number))
    mine(as_alice.id, clock)
    asked(as_alice)
    model = FakeChat([AWAY, *[UNDERSTOOD] * 3])
    assert read_again(as_alice, model, clock).failures == 1
    assert read_again(as_alice, model, clock).windows == 0
    clock.move(minutes=1)
    done = read_again(as_alice, model, clock)
    assert (done.windows, done.failures) == (3, 0)
    last = MinedWindow.objects.filter(attempts=0)
    assert last.count() == 3


def test_a_model_that_asks_to_wait_is_left_in_peace(as_alice):
    clock = Clock()
    for number in range(2):
        converse(as_alice.id, *SAID, at=NOW - timedelta(days=9 - number))
    mine(as_alice.id, clock)
    asked(as_alice)
    model = FakeChat([ModelRateLimited("Slow down.", retry_after=600)])
    read_again(as_alice, model, clock)
    clock.move(minutes=9)
    tried_before, untried = MinedWindow.objects.order_by("-attempts")
    assert tried_before.attempts == 1
    assert untried.next_attempt_at == NOW + timedelta(minutes=10)
    assert untried not in windows_due(as_alice.id, clock.now)


def test_an_error_of_ours_keeps_nobody_else_waiting(as_alice, monkeypatch):
    for number in range(2):
        converse(as_alice.id, *SAID, at=NOW - timedelta(days=9 - number))
    mine(as_alice.id)
    asked(as_alice)
    replaced = []

    def broken(user_id, drawer_ids):
        replaced.append(drawer_ids)
        if len(replaced) == 1:
            raise ValueError("I live in Zürich")
        return []

    monkeypatch.setattr("memory.mining.reextraction.replace_by_model", broken)
    model = FakeChat([UNDERSTOOD] * 2)
    assert read_again(as_alice, model).failures == 1
    assert set(MinedWindow.objects.values_list("method", flat=True)) == {"rules"}
    assert read_again(as_alice, model).windows == 1
    assert MinedWindow.objects.get(method="rules").attempts == 1


def test_a_try_that_goes_wrong_thirty_times_is_the_last(as_alice):
    clock = Clock()
    converse(as_alice.id, *SAID)
    mine(as_alice.id, clock)
    asked(as_alice)
    model = FakeChat(answer=lambda request: AWAY)
    for _ in range(30):
        assert windows_due(as_alice.id, clock.now).exists()
        read_again(as_alice, model, clock)
        clock.move(hours=2)
    assert window().reason == "gave_up"
    assert not windows_due(as_alice.id, clock.now).exists()
    asked(as_alice)
    assert read_again(as_alice, FakeChat([UNDERSTOOD]), clock).windows == 1


def test_an_endpoint_that_is_away_for_days_is_waited_for(as_alice):
    clock = Clock()
    model = FakeChat([UNDERSTOOD])
    model.fail_with(AWAY)
    with current.using(chat=model):
        converse(as_alice.id, *SAID)
        for _ in range(4):
            mine(as_alice.id, clock)
            clock.move(minutes=2)
    for _ in range(60):
        assert windows_due(as_alice.id, clock.now).exists()
        assert read_again(as_alice, model, clock).failures == 1
        clock.move(minutes=5)
    model.fail_with(None)
    assert read_again(as_alice, model, clock).windows == 1
    assert window().method == "model"
