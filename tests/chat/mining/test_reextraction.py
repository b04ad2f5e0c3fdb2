"""Re-extraction of chats that were read without a model: what it changes, and when it is tried."""

from datetime import timedelta

import pytest

from accounts.tenancy import tenant
from chat.mining.run import reextract_for_user, windows_due
from chat.models import Conversation
from llm import current
from llm.errors import ModelRateLimited, ModelRefused, ModelUnavailable
from memory.facts.queries import current_facts
from memory.forgetting import trash
from memory.mining.reextraction import read_without_model, request_all
from memory.models import ActivityEvent, Drawer, Fact, FactSource, MinedWindow, Relation, Usage
from memory.preferences import change_preferences
from tests.chat.ledger import Killed, kill_at
from tests.drills.ledger import LONG, NOW, Clock, converse, mine
from tests.drills.rows import differences, rows_of
from tests.fake_gateway import FakeChat
from tests.memory.mining.answers import answer, edge, placed, stated

UNAVAILABLE = ModelUnavailable("Away.")
SAID = ("I live in Zürich. I love chess.", "Good.")
HOME = stated()
CHESS = stated(
    kind="preference", key="preference_chess", value="chess", object="chess", predicate="loves",
    statement="The user loves playing chess.", quote="I love chess", single_valued=False,
)  # fmt: skip
LIVES, LIKES, LOVES = "The user lives in Zürich.", "The user likes chess.", CHESS["statement"]


def extraction(*facts, **more):
    return answer(turns=[placed(), placed("t2")], facts=list(facts), **more)


EXTRACTION = extraction(HOME, CHESS, relations=[edge()])

pytestmark = pytest.mark.usefixtures("embedder")


@pytest.fixture
def chat(as_alice):
    """A chat that was read without a model, with re-extraction requested."""
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


def reextract(user, model, clock=None):
    with current.using(chat=model):
        return reextract_for_user(user.id, clock or Clock(), LONG)


def statements(user):
    return sorted(current_facts(user.id).values_list("statement", flat=True))


def window():
    return MinedWindow.objects.get()


def test_reextraction_replaces_facts_and_keeps_drawers(as_alice, chat):
    before = rows_of(as_alice.id)
    assert statements(as_alice) == [LIKES, LIVES]
    refused, longer = stated(quote="I live in Oslo"), HOME | {"quote": SAID[0]}
    model = FakeChat([extraction(refused, longer, CHESS, relations=[edge()])])
    assert reextract(as_alice, model).windows == 1
    assert statements(as_alice) == [LIVES, LOVES]
    after = rows_of(as_alice.id)
    assert [
        name for name in ("drawers", "words", "vectors", "closets", "rooms") if before[name] != after[name]
    ] == []
    assert (window().method, window().reason, window().requested_at) == ("model", "", None)
    old, new = (Fact.objects.get(statement=statement) for statement in (LIKES, LOVES))
    assert (old.status, old.valid_from) == ("superseded", old.valid_to)
    assert "model" in old.review_reason
    home = Fact.objects.get(key="home_city")
    assert (home.times_seen, FactSource.objects.filter(fact_id=home.id).count()) == (1, 1)
    assert Relation.objects.filter(relation="lives_in", deleted_at=None).count() == 1
    event = ActivityEvent.objects.get(kind="reextracted")
    assert (event.subject_id, event.details["facts"]) == (chat.id, [str(new.id)])
    assert [kept["by"] for kept in event.details["replaced"]] == [str(new.id)]
    assert len(event.details["refused"]) == 1
    assert "Oslo" not in str(event.details)
    assert Usage.objects.filter(source="memory_extract").count() == 1
    assert (request_all(as_alice.id, NOW), reextract(as_alice, FakeChat()).windows) == (0, 0)
    assert differences(after, rows_of(as_alice.id)) == []


def test_reextraction_gives_the_same_result_as_extraction_with_a_model(as_alice, chat, bob):
    reextract(as_alice, FakeChat([EXTRACTION]))
    with tenant(bob.id), current.using(chat=FakeChat([EXTRACTION])):
        converse(bob.id, *SAID)
        mine(bob.id)
    found = []
    for user in (as_alice, bob):
        with tenant(user.id):
            edges = Relation.objects.filter(relation="lives_in")
            rows = list(edges.values_list("relation", "valid_from", "valid_to"))
            found.append((statements(user), rows, window().method))
    assert found[0] == found[1]


def test_kill_at_any_statement_leaves_the_old_or_the_new_rows(as_alice, chat, bob):
    """Re-extraction is killed at each statement once; the next round finishes it."""
    with tenant(bob.id):
        converse(bob.id, *SAID)
        mine(bob.id)
        request_all(bob.id, NOW)
        reextract(bob, FakeChat([EXTRACTION]))
        wanted = rows_of(bob.id)
    old = rows_of(as_alice.id)
    for statement in range(1, 200):
        clock = Clock(NOW + timedelta(hours=2 * statement))
        MinedWindow.objects.filter(method="reader").update(attempts=0)
        try:
            with kill_at(statement):
                reextract(as_alice, FakeChat([EXTRACTION]), clock)
        except Killed:
            if window().method == "model":
                break
            assert differences(old, rows_of(as_alice.id)) == []
        else:
            break
    assert statement > 20
    assert statements(as_alice) == [LIVES, LOVES]
    assert differences(wanted, rows_of(as_alice.id)) == []


@pytest.mark.parametrize("scope", ["drawer", "source"])
def test_deleted_drawers_are_not_reextracted(as_alice, chat, scope):
    said = Drawer.objects.get(role="user")
    trash.delete(as_alice.id, scope, said.id if scope == "drawer" else chat.id, NOW)
    model = FakeChat([answer(turns=[placed()])])
    reextract(as_alice, model)
    assert "Zürich" not in str([request.messages for request in model.requests])
    assert statements(as_alice) == []
    if scope == "source":
        assert model.requests == []
        assert (window().reason, read_without_model(as_alice.id).count()) == ("nothing", 0)


@pytest.mark.parametrize("switch", [{"mine": False}, {"deleted_at": NOW}])
def test_chats_excluded_from_mining_are_not_reextracted(as_alice, chat, switch):
    Conversation.objects.update(**switch)
    assert reextract(as_alice, FakeChat()).windows == 0


def test_concurrent_reextraction_of_a_window_is_discarded(as_alice, chat):
    def overtake(request):
        MinedWindow.objects.update(method="model", reason="")
        return EXTRACTION

    reextract(as_alice, FakeChat(answer=overtake))
    assert LIKES in statements(as_alice)
    assert not ActivityEvent.objects.filter(kind="reextracted").exists()


def test_reextraction_uses_the_owners_model_and_review_threshold_and_keeps_other_facts(as_alice, chat):
    change_preferences(as_alice.id, {"extraction_model": "chosen/one", "review_threshold": 0.7}, NOW)
    model = FakeChat([extraction(CHESS | {"confidence": 0.6})])
    reextract(as_alice, model)
    assert model.requests[0].model == "chosen/one"
    assert Fact.objects.get(statement=LOVES).status == "pending_review"
    assert LIKES in statements(as_alice), "a fact in review replaces nothing"


def test_window_is_not_retried_without_a_request_and_an_endpoint(as_alice):
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
def test_refused_or_invalid_answer_changes_nothing_and_is_not_retried(as_alice, chat, reply, reason):
    before = rows_of(as_alice.id)
    reextract(as_alice, FakeChat(answer=lambda request: reply))
    assert (window().method, window().reason, window().requested_at) == ("reader", reason, None)
    assert differences(before, rows_of(as_alice.id)) == []
    assert not windows_due(as_alice.id, NOW + timedelta(days=9)).exists()
    assert read_without_model(as_alice.id).count() == 1


@pytest.mark.parametrize(
    ("failure", "minutes"), [(UNAVAILABLE, 1), (ModelRateLimited("Slow down.", retry_after=600), 10)]
)
def test_failing_window_postpones_all(as_alice, chats, failure, minutes):
    clock, model = Clock(), FakeChat([failure, *[EXTRACTION] * 3])
    assert reextract(as_alice, model, clock).failures == 1
    tried, *untried = MinedWindow.objects.order_by("-attempts")
    assert tried.attempts == 1
    assert {each.next_attempt_at for each in untried} == {NOW + timedelta(minutes=minutes)}
    clock.move(minutes=minutes - 1)
    assert not set(untried) & set(windows_due(as_alice.id, clock.now))
    clock.move(minutes=1)
    done = reextract(as_alice, model, clock)
    assert (done.windows, done.failures) == (3, 0)
    assert MinedWindow.objects.filter(attempts=0).count() == 3


def test_internal_error_does_not_delay_other_windows(as_alice, chats, monkeypatch):
    failures = [ValueError("I live in Zürich")]

    def broken(user_id, drawer_ids):
        if failures:
            raise failures.pop()
        return []

    monkeypatch.setattr("memory.mining.reextraction.replace_by_model", broken)
    model = FakeChat([EXTRACTION] * 3)
    assert reextract(as_alice, model).failures == 1
    assert set(MinedWindow.objects.values_list("method", flat=True)) == {"reader"}
    assert reextract(as_alice, model).windows == 2
    assert MinedWindow.objects.get(method="reader").attempts == 1


def test_reextraction_gives_up_after_thirty_failures_until_requested_again(as_alice, chat):
    clock = Clock()
    for _ in range(30):
        assert windows_due(as_alice.id, clock.now).exists()
        reextract(as_alice, FakeChat([UNAVAILABLE]), clock)
        clock.move(hours=2)
    assert window().reason == "gave_up"
    assert not windows_due(as_alice.id, clock.now).exists()
    request_all(as_alice.id, NOW)
    assert reextract(as_alice, FakeChat([EXTRACTION]), clock).windows == 1


def test_unavailable_endpoint_is_retried_with_pauses_without_giving_up(as_alice):
    clock, model = Clock(), FakeChat([EXTRACTION])
    model.fail_with(UNAVAILABLE)
    converse(as_alice.id, *SAID)
    with current.using(chat=model):
        for _ in range(4):
            mine(as_alice.id, clock)
            clock.move(minutes=2)
    assert (window().method, window().reason) == ("reader", "unavailable")
    for _ in range(40):
        assert reextract(as_alice, model, clock).failures == 1
        assert reextract(as_alice, model, clock).failures == 0, "in its pause"
        clock.move(minutes=5)
    model.fail_with(None)
    assert reextract(as_alice, model, clock).windows == 1
    assert window().method == "model"
