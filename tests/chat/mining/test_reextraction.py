"""Chats that were read without a model are read again by one: what it changes, and when it is tried."""

from datetime import timedelta

import pytest

from accounts.tenancy import tenant
from chat.mining.reextraction import reextract_for_user, windows_due
from chat.models import Conversation
from llm import current
from llm.errors import ModelRateLimited, ModelRefused, ModelUnavailable
from memory.facts import current_facts
from memory.forgetting import trash
from memory.mining.reextraction import read_without_model, request_all
from memory.models import ActivityEvent, Drawer, Fact, FactSource, MinedWindow, Relation, Usage
from memory.preferences import change_preferences
from tests.chat.ledger import Killed, killed_at
from tests.drills.ledger import LONG, NOW, Clock, converse, mine
from tests.drills.rows import differences, rows_of
from tests.fake_gateway import FakeChat
from tests.memory.mining.answers import answer, edge, placed, stated

AWAY = ModelUnavailable("Away.")
SAID = ("I live in Zürich. I love chess.", "Good.")
HOME = stated()
CHESS = stated(
    kind="preference", key="preference_chess", value="chess", object="chess", predicate="loves",
    statement="The user loves playing chess.", quote="I love chess", single_valued=False,
)  # fmt: skip
LIVES, LIKES, LOVES = "The user lives in Zürich.", "The user likes chess.", CHESS["statement"]


def understood(*facts, **more):
    return answer(turns=[placed(), placed("t2")], facts=list(facts), **more)


UNDERSTOOD = understood(HOME, CHESS, relations=[edge()])

pytestmark = pytest.mark.usefixtures("embedder")


@pytest.fixture
def chat(as_alice):
    """A chat that was read without a model, and for which a model was asked."""
    conversation = converse(as_alice.id, *SAID)
    mine(as_alice.id)
    request_all(as_alice.id, NOW)
    return conversation


@pytest.fixture
def chats(as_alice):
    """Three such chats."""
    made = [converse(as_alice.id, *SAID, at=NOW - timedelta(days=9 - number)) for number in range(3)]
    mine(as_alice.id)
    request_all(as_alice.id, NOW)
    return made


def read_again(user, model, clock=None):
    with current.using(chat=model):
        return reextract_for_user(user.id, clock or Clock(), LONG)


def statements(user):
    return sorted(current_facts(user.id).values_list("statement", flat=True))


def window():
    return MinedWindow.objects.get()


def drawer_rows(user):
    rows = rows_of(user.id)
    return {name: rows[name] for name in ("drawers", "words", "vectors", "closets", "rooms")}


def mined_while_away(user, model, clock):
    """Mine until the window is read without the model, which is away."""
    model.fail_with(AWAY)
    converse(user.id, *SAID)
    with current.using(chat=model):
        for _ in range(4):
            mine(user.id, clock)
            clock.move(minutes=2)
    assert (window().method, window().reason) == ("reader", "away")


def test_a_model_replaces_what_it_understood_better_and_nothing_else(as_alice, chat):
    before = drawer_rows(as_alice)
    assert statements(as_alice) == [LIKES, LIVES]
    refused, longer = stated(quote="I live in Oslo"), HOME | {"quote": SAID[0]}
    model = FakeChat([understood(refused, longer, CHESS, relations=[edge()])])
    assert read_again(as_alice, model).windows == 1
    assert statements(as_alice) == [LIVES, LOVES]
    assert differences(before, drawer_rows(as_alice)) == []
    assert (window().method, window().reason, window().requested_at) == ("model", "", None)
    old, new = (Fact.objects.get(statement=statement) for statement in (LIKES, LOVES))
    assert (old.status, old.valid_from) == ("superseded", old.valid_to)
    assert "model" in old.review_reason
    home = Fact.objects.get(key="home_city")
    assert (home.times_seen, FactSource.objects.filter(fact_id=home.id).count()) == (1, 1)
    assert Relation.objects.filter(relation="lives_in", deleted_at=None).count() == 1
    event = ActivityEvent.objects.get(kind="read_again")
    assert (event.subject_id, event.details["facts"]) == (chat.id, [str(new.id)])
    assert [kept["by"] for kept in event.details["replaced"]] == [str(new.id)]
    assert len(event.details["refused"]) == 1
    assert "Oslo" not in str(event.details)
    assert Usage.objects.filter(source="memory_extract").count() == 1
    before = rows_of(as_alice.id)
    assert request_all(as_alice.id, NOW) == 0
    assert read_again(as_alice, FakeChat()).windows == 0
    assert differences(before, rows_of(as_alice.id)) == []


def test_what_the_model_did_not_find_stays(as_alice, chat):
    read_again(as_alice, FakeChat([understood(HOME)]))
    assert LIKES in statements(as_alice)


def test_it_ends_where_a_model_at_once_would_have_ended(as_alice, chat, bob):
    read_again(as_alice, FakeChat([UNDERSTOOD]))
    with tenant(bob.id), current.using(chat=FakeChat([UNDERSTOOD])):
        converse(bob.id, *SAID)
        mine(bob.id)
    found = []
    for user in (as_alice, bob):
        with tenant(user.id):
            edges = Relation.objects.filter(relation="lives_in")
            rows = list(edges.values_list("relation", "valid_from", "valid_to"))
            found.append((statements(user), rows, window().method))
    assert found[0] == found[1]


def test_a_kill_at_any_statement_leaves_the_old_reading_or_the_new_one(as_alice, chat, bob):
    """Every statement of a second reading is cut off once; the next round finishes it."""
    with tenant(bob.id):
        converse(bob.id, *SAID)
        mine(bob.id)
        request_all(bob.id, NOW)
        read_again(bob, FakeChat([UNDERSTOOD]))
        wanted = rows_of(bob.id)
    old = rows_of(as_alice.id)
    for statement in range(1, 200):
        clock = Clock(NOW + timedelta(hours=2 * statement))
        MinedWindow.objects.filter(method="reader").update(attempts=0)
        try:
            with killed_at(statement):
                read_again(as_alice, FakeChat([UNDERSTOOD]), clock)
        except Killed:
            if window().method == "model":
                break
            assert differences(old, rows_of(as_alice.id)) == []
        else:
            break
    assert statement > 20
    assert statements(as_alice) == [LIVES, LOVES]
    assert differences(wanted, rows_of(as_alice.id)) == []


def test_forgotten_words_are_not_read_again(as_alice, chat):
    trash.delete(as_alice.id, "drawer", Drawer.objects.get(role="user").id, NOW)
    model = FakeChat([answer(turns=[placed()])])
    read_again(as_alice, model)
    assert "Zürich" not in str([request.messages for request in model.requests])
    assert statements(as_alice) == []


def test_a_window_of_nothing_but_forgotten_words_costs_no_call(as_alice, chat):
    trash.delete(as_alice.id, "source", chat.id, NOW)
    model = FakeChat()
    read_again(as_alice, model)
    assert model.requests == []
    assert (window().reason, read_without_model(as_alice.id).count()) == ("nothing", 0)


@pytest.mark.parametrize("switch", [{"learn": False}, {"deleted_at": NOW}])
def test_a_chat_that_is_no_longer_to_be_mined_is_left_alone(as_alice, chat, switch):
    Conversation.objects.update(**switch)
    assert read_again(as_alice, FakeChat()).windows == 0


def test_a_second_reader_of_the_same_window_files_nothing(as_alice, chat):
    def overtaken(request):
        MinedWindow.objects.update(method="model", reason="")
        return UNDERSTOOD

    read_again(as_alice, FakeChat(answer=overtaken))
    assert LIKES in statements(as_alice)
    assert not ActivityEvent.objects.filter(kind="read_again").exists()


def test_the_owner_chooses_the_model_and_what_is_reviewed(as_alice, chat):
    change_preferences(as_alice.id, {"extraction_model": "chosen/one", "review_threshold": 0.7}, NOW)
    model = FakeChat([understood(CHESS | {"confidence": 0.6})])
    read_again(as_alice, model)
    assert model.requests[0].model == "chosen/one"
    assert Fact.objects.get(statement=LOVES).status == "pending_review"
    assert LIKES in statements(as_alice), "what stands does not give way to a doubt"


def test_a_window_waits_to_be_asked_for_and_for_an_endpoint(as_alice):
    converse(as_alice.id, *SAID)
    mine(as_alice.id)
    assert window().reason == "no_endpoint"
    assert not windows_due(as_alice.id, NOW).exists()
    request_all(as_alice.id, NOW)
    assert windows_due(as_alice.id, NOW).count() == 1
    assert reextract_for_user(as_alice.id, Clock(), LONG).failures == 0
    assert window().attempts == 0


@pytest.mark.parametrize(
    ("reply", "reason"), [(ModelRefused("No.", status=401), "declined"), ("not json", "unreadable")]
)
def test_a_useless_answer_changes_nothing_and_is_not_asked_for_again(as_alice, chat, reply, reason):
    before = rows_of(as_alice.id)
    read_again(as_alice, FakeChat(answer=lambda request: reply))
    assert (window().method, window().reason, window().requested_at) == ("reader", reason, None)
    assert differences(before, rows_of(as_alice.id)) == []
    assert not windows_due(as_alice.id, NOW + timedelta(days=9)).exists()
    assert read_without_model(as_alice.id).count() == 1


def test_one_failing_window_holds_the_others_only_for_a_minute(as_alice, chats):
    clock, model = Clock(), FakeChat([AWAY, *[UNDERSTOOD] * 3])
    assert read_again(as_alice, model, clock).failures == 1
    assert read_again(as_alice, model, clock).windows == 0
    clock.move(minutes=1)
    done = read_again(as_alice, model, clock)
    assert (done.windows, done.failures) == (3, 0)
    assert MinedWindow.objects.filter(attempts=0).count() == 3


def test_a_model_that_asks_to_wait_is_not_asked_meanwhile(as_alice, chats):
    clock = Clock()
    read_again(as_alice, FakeChat([ModelRateLimited("Slow down.", retry_after=600)]), clock)
    clock.move(minutes=9)
    tried, *untried = MinedWindow.objects.order_by("-attempts")
    assert tried.attempts == 1
    assert {each.next_attempt_at for each in untried} == {NOW + timedelta(minutes=10)}
    assert not set(untried) & set(windows_due(as_alice.id, clock.now))


def test_an_error_of_ours_keeps_no_other_window_waiting(as_alice, chats, monkeypatch):
    replaced = []

    def broken(user_id, drawer_ids):
        replaced.append(drawer_ids)
        if len(replaced) == 1:
            raise ValueError("I live in Zürich")
        return []

    monkeypatch.setattr("memory.mining.reextraction.replace_by_model", broken)
    model = FakeChat([UNDERSTOOD] * 3)
    assert read_again(as_alice, model).failures == 1
    assert set(MinedWindow.objects.values_list("method", flat=True)) == {"reader"}
    assert read_again(as_alice, model).windows == 2
    assert MinedWindow.objects.get(method="reader").attempts == 1


def test_the_thirtieth_failure_is_the_last_unless_asked_again(as_alice, chat):
    clock, model = Clock(), FakeChat(answer=lambda request: AWAY)
    for _ in range(30):
        assert windows_due(as_alice.id, clock.now).exists()
        read_again(as_alice, model, clock)
        clock.move(hours=2)
    assert window().reason == "gave_up"
    assert not windows_due(as_alice.id, clock.now).exists()
    request_all(as_alice.id, NOW)
    assert read_again(as_alice, FakeChat([UNDERSTOOD]), clock).windows == 1


def test_an_endpoint_that_is_away_is_waited_for_with_pauses_and_for_days(as_alice):
    clock, model = Clock(), FakeChat([UNDERSTOOD])
    mined_while_away(as_alice, model, clock)
    for _ in range(40):
        assert read_again(as_alice, model, clock).failures == 1
        assert read_again(as_alice, model, clock).failures == 0, "in its pause"
        clock.move(minutes=5)
    model.fail_with(None)
    assert read_again(as_alice, model, clock).windows == 1
    assert window().method == "model"
