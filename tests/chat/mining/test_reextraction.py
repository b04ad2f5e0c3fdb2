"""Chats read by rules first and by a model later, through the ledger."""

from datetime import timedelta

import pytest

from accounts.tenancy import tenant
from chat.models import Conversation
from llm import current
from llm.fake_gateway import FakeChat
from memory.forgetting import trash
from memory.mining.reextraction import read_by_rules
from memory.models import ActivityEvent, Drawer, Fact, FactSource, MinedWindow, Relation, Usage
from memory.preferences import change_preferences
from tests.chat.ledger import Killed, killed_at
from tests.chat.second_readings import (
    CHESS,
    HOME,
    SAID,
    UNDERSTOOD,
    asked,
    drawer_rows,
    read_again,
    statements,
    window,
)
from tests.drills.ledger import NOW, Clock, converse, mine
from tests.drills.rows import differences, rows_of
from tests.memory.mining.answers import answer, placed, stated

EDGE = ("relation", "valid_from", "valid_to")


pytestmark = pytest.mark.usefixtures("embedder")


def test_rules_first_then_a_model_without_a_fact_too_many(as_alice):
    converse(as_alice.id, *SAID)
    mine(as_alice.id)
    before = drawer_rows(as_alice)
    assert statements(as_alice) == ["The user likes chess.", "The user lives in Zürich."]
    asked(as_alice)
    assert read_again(as_alice, FakeChat([UNDERSTOOD])).windows == 1
    assert statements(as_alice) == ["The user lives in Zürich.", "The user loves playing chess."]
    assert differences(before, drawer_rows(as_alice)) == []
    assert (window().method, window().reason, window().requested_at) == ("model", "", None)
    old = Fact.objects.get(statement="The user likes chess.")
    assert (old.status, old.valid_from) == ("superseded", old.valid_to)
    assert "model" in old.review_reason
    assert Relation.objects.filter(relation="lives_in", deleted_at=None).count() == 1


def test_the_same_fact_again_is_one_fact_with_one_source(as_alice):
    converse(as_alice.id, *SAID)
    mine(as_alice.id)
    asked(as_alice)
    read_again(as_alice, FakeChat([UNDERSTOOD]))
    home = Fact.objects.get(key="home_city")
    assert home.times_seen == 1
    assert FactSource.objects.filter(fact_id=home.id).count() == 1


def test_the_same_fact_from_a_longer_quote_has_no_second_source(as_alice):
    converse(as_alice.id, *SAID)
    mine(as_alice.id)
    asked(as_alice)
    longer = HOME | {"quote": SAID[0]}
    read_again(as_alice, FakeChat([answer(turns=[placed(), placed("t2")], facts=[longer])]))
    home = Fact.objects.get(key="home_city")
    assert (home.times_seen, FactSource.objects.filter(fact_id=home.id).count()) == (1, 1)


def test_reading_again_twice_changes_nothing(as_alice):
    converse(as_alice.id, *SAID)
    mine(as_alice.id)
    asked(as_alice)
    read_again(as_alice, FakeChat([UNDERSTOOD]))
    before = rows_of(as_alice.id)
    assert asked(as_alice) == 0
    assert read_again(as_alice, FakeChat()).windows == 0
    assert differences(before, rows_of(as_alice.id)) == []


def test_it_ends_where_a_model_at_once_would_have_ended(alice, bob):
    for user in (alice, bob):
        with tenant(user.id):
            converse(user.id, *SAID)
    with tenant(alice.id):
        mine(alice.id)
        asked(alice)
        read_again(alice, FakeChat([UNDERSTOOD]))
    with tenant(bob.id), current.using(chat=FakeChat([UNDERSTOOD])):
        mine(bob.id)
    found = {}
    for user in (alice, bob):
        with tenant(user.id):
            found[user] = (
                statements(user),
                list(Relation.objects.filter(relation="lives_in").values_list(*EDGE)),
                window().method,
            )
    assert found[alice] == found[bob]


def test_what_the_model_did_not_find_stays(as_alice):
    converse(as_alice.id, *SAID)
    mine(as_alice.id)
    asked(as_alice)
    read_again(as_alice, FakeChat([answer(turns=[placed(), placed("t2")], facts=[HOME])]))
    assert "The user likes chess." in statements(as_alice)


def test_a_kill_at_any_statement_leaves_the_old_reading_or_the_new_one(alice, bob):
    """Every statement of a second reading is cut off once; the next round finishes it."""
    with tenant(bob.id):
        converse(bob.id, *SAID)
        mine(bob.id)
        asked(bob)
        read_again(bob, FakeChat([UNDERSTOOD]))
        wanted = rows_of(bob.id)
    with tenant(alice.id):
        converse(alice.id, *SAID)
        mine(alice.id)
        old = rows_of(alice.id)
        asked(alice)
        for statement in range(1, 200):
            clock = Clock(NOW + timedelta(hours=2 * statement))
            MinedWindow.objects.filter(method="rules").update(attempts=0)
            try:
                with killed_at(statement):
                    read_again(alice, FakeChat([UNDERSTOOD]), clock)
            except Killed:
                left = rows_of(alice.id)
                if window().method == "rules":
                    assert differences(old, left) == []
                else:
                    break
            else:
                break
        assert statement > 20
        assert statements(alice) == ["The user lives in Zürich.", "The user loves playing chess."]
        assert differences(wanted, rows_of(alice.id)) == []


def test_forgotten_words_are_not_read_again(as_alice):
    converse(as_alice.id, *SAID)
    mine(as_alice.id)
    trash.delete(as_alice.id, "drawer", Drawer.objects.get(role="user").id, NOW)
    asked(as_alice)
    model = FakeChat([answer(turns=[placed()])])
    read_again(as_alice, model)
    assert all("Zürich" not in part.content for request in model.requests
               for part in request.messages)  # fmt: skip
    assert statements(as_alice) == []


def test_a_window_of_nothing_but_forgotten_words_costs_no_call(as_alice):
    conversation = converse(as_alice.id, *SAID)
    mine(as_alice.id)
    trash.delete(as_alice.id, "source", conversation.id, NOW)
    asked(as_alice)
    model = FakeChat()
    read_again(as_alice, model)
    assert model.requests == []
    assert (window().reason, read_by_rules(as_alice.id).count()) == ("nothing", 0)


@pytest.mark.parametrize("switch", [{"learn": False}, {"deleted_at": NOW}])
def test_a_chat_that_is_no_longer_to_be_learned_from_is_left_alone(as_alice, switch):
    converse(as_alice.id, *SAID)
    mine(as_alice.id)
    asked(as_alice)
    Conversation.objects.update(**switch)
    assert read_again(as_alice, FakeChat()).windows == 0


def test_a_second_reader_of_the_same_window_files_nothing(as_alice):
    converse(as_alice.id, *SAID)
    mine(as_alice.id)
    asked(as_alice)

    def overtaken(request):
        MinedWindow.objects.update(method="model", reason="")
        return UNDERSTOOD

    read_again(as_alice, FakeChat(answer=overtaken))
    assert "The user likes chess." in statements(as_alice)
    assert not ActivityEvent.objects.filter(kind="read_again").exists()


def test_the_event_tells_what_came_of_it_and_the_call_is_counted(as_alice):
    conversation = converse(as_alice.id, *SAID)
    mine(as_alice.id)
    asked(as_alice)
    refused = stated(quote="I live in Oslo")
    read_again(as_alice, FakeChat([answer(turns=[placed(), placed("t2")], facts=[refused, HOME, CHESS])]))
    event = ActivityEvent.objects.get(kind="read_again")
    assert event.subject_id == conversation.id
    new = Fact.objects.get(statement="The user loves playing chess.")
    assert event.details["facts"] == [str(new.id)]
    assert [kept["by"] for kept in event.details["replaced"]] == [str(new.id)]
    assert len(event.details["refused"]) == 1
    assert "Oslo" not in str(event.details)
    assert Usage.objects.filter(source="memory_extract").count() == 1


def test_the_person_chooses_the_model_and_what_waits_for_review(as_alice):
    change_preferences(as_alice.id, {"extraction_model": "chosen/one", "review_threshold": 0.7}, NOW)
    converse(as_alice.id, *SAID)
    mine(as_alice.id)
    asked(as_alice)
    doubtful = CHESS | {"confidence": 0.6}
    model = FakeChat([answer(turns=[placed(), placed("t2")], facts=[doubtful])])
    read_again(as_alice, model)
    assert model.requests[0].model == "chosen/one"
    assert Fact.objects.get(statement="The user loves playing chess.").status == "pending_review"
    assert "The user likes chess." in statements(as_alice), "what stands gives way to no doubt"


def test_only_ones_own_windows_are_read(alice, bob):
    for user in (alice, bob):
        with tenant(user.id):
            converse(user.id, *SAID)
            mine(user.id)
            asked(user)
    with tenant(alice.id):
        assert read_again(bob, FakeChat()).windows == 0
        assert read_again(alice, FakeChat([UNDERSTOOD])).windows == 1
    with tenant(bob.id):
        assert window().method == "rules"
