from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from accounts.tenancy import tenant
from chat.mining.drain import catch_up
from chat.models import Conversation, Message
from memory.forgetting.trash import delete, undo
from memory.graph.resolution import add_alias
from memory.models import (
    ActivityEvent,
    Drawer,
    Entity,
    EntityName,
    Fact,
    RecallTrace,
    Relation,
    Wing,
)
from memory.organize.notes import Note, save_note
from tests.chat.ledger import chat, contents, counts
from tests.memory.palaces import relate
from transfer.demo import DemoBeingRemoved, ask_to_remove, demo_is_loaded, load_demo, removal_due, remove_demo
from transfer.filing import file_conversation

NOW = datetime(2031, 3, 5, 6, 30, tzinfo=UTC)
MINE = (
    "My name is Alice. I live in Graça and I play the cello. My favourite tea is jasmine.",
    "Noted.",
    "My sister is called Inês and she works at the harbour. I speak Portuguese.",
    "How nice.",
)
SPENT = "memory.Usage"  # what a model cost stays on the books

pytestmark = pytest.mark.usefixtures("embedder")


def mine_all(user):
    assert catch_up(user.id, timezone.now, lambda left: None) == 0


def without_costs(found):
    return {name: rows for name, rows in found.items() if name != SPENT}


def remove(user):
    assert ask_to_remove(user.id, NOW)
    assert remove_demo(user.id)


def test_loaded_it_is_mined_and_shown_as_what_it_is(as_alice):
    assert load_demo(as_alice.id, NOW) == 14
    assert demo_is_loaded(as_alice.id)
    assert Conversation.objects.filter(is_demo=True, source="import").count() == 14
    event = ActivityEvent.objects.get(kind="demo")
    assert event.details == {"conversations": 14, "messages": Message.objects.count()}
    mine_all(as_alice)
    assert Drawer.objects.count() == Message.objects.count() > 100
    assert Wing.objects.filter(kind="project", name="Sete Colinas").exists()
    assert Fact.objects.count() > 5
    assert Relation.objects.count() > 3
    (asked,) = Fact.objects.filter(status=Fact.Status.PENDING)
    assert "recommend Beatriz" in asked.statement
    assert not Relation.objects.filter(relation="works_at").exists()


def test_removed_from_an_empty_palace_nothing_is_left_in_any_table(as_alice):
    before = counts(as_alice.id)
    load_demo(as_alice.id, NOW)
    mine_all(as_alice)
    loaded = counts(as_alice.id)
    grown = {name for name in loaded if loaded[name] > before[name]}
    assert {"memory.Lexeme", "memory.DrawerVector", "memory.MinedWindow"} <= grown
    remove(as_alice)
    assert without_costs(counts(as_alice.id)) == without_costs(before)


def test_loading_and_removing_can_be_repeated(as_alice):
    before = counts(as_alice.id)
    assert not ask_to_remove(as_alice.id, NOW)
    load_demo(as_alice.id, NOW)
    loaded = counts(as_alice.id)
    assert load_demo(as_alice.id, NOW + timedelta(days=3)) == 0
    assert counts(as_alice.id) == loaded
    remove(as_alice)
    assert not ask_to_remove(as_alice.id, NOW)
    assert remove_demo(as_alice.id)
    assert counts(as_alice.id) == before


def test_a_palace_of_ones_own_is_the_same_after_as_before(as_alice):
    """Also where both say the same thing. Numbers of pointers are never used again."""
    counters = frozenset({"wings_made", "rooms_made"})
    file_conversation(as_alice.id, chat("mine", *MINE), NOW)
    mine_all(as_alice)
    save_note(as_alice.id, Note("Buy rosin for the cello", wing="Sete Colinas"), NOW)
    before = contents(as_alice.id, counters)
    load_demo(as_alice.id, NOW)
    mine_all(as_alice)
    remove(as_alice)
    assert without_costs(contents(as_alice.id, counters)) == without_costs(before)


def test_what_was_learned_beside_the_demo_stays(as_alice):
    load_demo(as_alice.id, NOW)
    mine_all(as_alice)
    file_conversation(as_alice.id, chat("mine", *MINE), NOW)
    mine_all(as_alice)
    remove(as_alice)
    assert Drawer.objects.count() == 4
    statements = set(Fact.objects.values_list("statement", flat=True))
    assert "The user lives in Graça." in statements
    assert not any("Tomás" in statement for statement in statements)
    assert not Entity.objects.filter(name="Tomás").exists()


def test_a_value_the_demo_had_ended_holds_again(as_alice):
    file_conversation(as_alice.id, chat("mine", "I live in Porto.", "Noted."), NOW)
    Message.objects.update(said_at=NOW - timedelta(days=400))
    mine_all(as_alice)
    home = Fact.objects.get(statement="The user lives in Porto.")
    assert home.status == "active"
    load_demo(as_alice.id, NOW)
    mine_all(as_alice)
    home.refresh_from_db()
    assert home.status == "superseded"
    remove(as_alice)
    home.refresh_from_db()
    assert (home.status, home.valid_to, home.superseded_by_id) == ("active", None, None)
    edge = Relation.objects.get(relation="lives_in")
    assert edge.valid_to is None


def test_what_was_done_to_the_demo_goes_with_it(as_alice):
    before = counts(as_alice.id)
    load_demo(as_alice.id, NOW)
    mine_all(as_alice)
    drawer, other = Drawer.objects.order_by("id")[:2]
    delete(as_alice.id, "drawer", drawer.id, NOW)
    deletion = delete(as_alice.id, "wing", other.wing_id, NOW)
    undo(as_alice.id, deletion.id, NOW)
    conversation = Conversation.objects.order_by("id").first()
    trace = RecallTrace.objects.create(user_id=as_alice.id, trace={})
    Message.objects.create(
        user_id=as_alice.id,
        conversation_id=conversation.id,
        sequence=conversation.last_sequence + 1,
        role="assistant",
        content="A reply in a demo chat",
        trace_id=trace.id,
    )
    remove(as_alice)
    assert without_costs(counts(as_alice.id)) == without_costs(before)


def test_after_its_removal_it_can_be_loaded_and_mined_again(as_alice):
    load_demo(as_alice.id, NOW)
    mine_all(as_alice)
    drawer = Drawer.objects.order_by("id").first()
    delete(as_alice.id, "drawer", drawer.id, NOW)
    remove(as_alice)
    assert load_demo(as_alice.id, NOW) == 14
    mine_all(as_alice)
    assert Drawer.objects.count() == Message.objects.count()
    assert Drawer.objects.order_by("pointer_wing").first().pointer_wing == 1


def test_an_alias_said_by_its_owner_too_stays(as_alice):
    file_conversation(as_alice.id, chat("mine", "Ana, whom I call Nita.", "Noted."), NOW)
    mine_all(as_alice)
    load_demo(as_alice.id, NOW)
    mine_all(as_alice)
    drawer = Drawer.objects.get(content__contains="Nita")
    entity = relate(drawer, "Ana", "knows", "Rui", valid_from=NOW).subject
    for alias in ("Nita", "Aninhas"):
        add_alias(entity, alias)
    remove(as_alice)
    names = EntityName.objects.filter(entity_id=entity.id).values_list("name", flat=True)
    assert set(names) == {"Ana", "Nita"}


def test_nobody_elses_demo_is_touched(alice, bob):
    for user in (alice, bob):
        with tenant(user.id):
            load_demo(user.id, NOW)
    with tenant(alice.id):
        remove(alice)
    with tenant(bob.id):
        assert demo_is_loaded(bob.id)


def test_it_is_not_removed_under_a_miners_hands(as_alice, monkeypatch):
    load_demo(as_alice.id, NOW)

    class Busy:
        def __init__(self, user_id):
            self.user_id = user_id

        def __enter__(self):
            return False

        def __exit__(self, *_):
            return None

    monkeypatch.setattr("transfer.demo.sole_miner", Busy)
    assert ask_to_remove(as_alice.id, NOW)
    assert not remove_demo(as_alice.id)
    assert removal_due(as_alice.id)
    with pytest.raises(DemoBeingRemoved):
        load_demo(as_alice.id, NOW)
    monkeypatch.undo()
    assert load_demo(as_alice.id, NOW) == 14
