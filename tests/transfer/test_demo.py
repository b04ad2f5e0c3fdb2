import io
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils.timezone import now

from accounts.tenancy import tenant
from chat.mining.drain import catch_up
from chat.models import Conversation, Message
from memory.forgetting.trash import delete, undo
from memory.graph.resolution import add_alias
from memory.models import ActivityEvent, Drawer, Entity, EntityName, Fact, RecallTrace, Relation, Wing
from memory.organize.notes import Note, save_note
from tests.chat.ledger import chat, contents, counts
from tests.memory.palaces import relate
from transfer.demo import (
    DEMO_PREFIX,
    DemoBeingRemoved,
    ask_to_remove,
    demo_conversations,
    demo_is_loaded,
    load_demo,
    removal_due,
    remove_demo,
)
from transfer.filing import file_conversation

NOW = datetime(2031, 3, 5, 6, 30, tzinfo=UTC)
MINE = (
    "My name is Alice. I live in Graça and I play the cello. My favourite tea is jasmine.",
    "Noted.",
    "My sister is called Inês and she works at the harbour. I speak Portuguese.",
    "How nice.",
)

pytestmark = pytest.mark.usefixtures("embedder")


def say(user, *words):
    file_conversation(user.id, chat("mine", *words), NOW)
    assert catch_up(user.id, now, lambda left: None) == 0


def load(user):
    """Load the demo and mine it."""
    assert load_demo(user.id, NOW) == 14
    assert catch_up(user.id, now, lambda left: None) == 0


def remove(user):
    assert ask_to_remove(user.id, NOW)
    assert remove_demo(user.id)


def without_costs(found):
    """What a model cost stays on the books."""
    return {name: rows for name, rows in found.items() if name != "memory.Usage"}


def test_once_loaded_it_is_mined_and_marked_as_the_demo(as_alice):
    load(as_alice)
    assert demo_is_loaded(as_alice.id)
    assert Conversation.objects.filter(is_demo=True, source="import").count() == 14
    event = ActivityEvent.objects.get(kind="demo")
    assert event.details == {"conversations": 14, "messages": Message.objects.count()}
    assert Drawer.objects.count() == Message.objects.count() > 100
    assert Wing.objects.filter(kind="project", name="Sete Colinas").exists()
    assert Fact.objects.count() > 5
    assert Relation.objects.count() > 3
    waiting = Fact.objects.filter(status=Fact.Status.PENDING)
    assert any("recommend Beatriz" in fact.statement for fact in waiting)


def test_removed_from_an_empty_palace_it_leaves_no_row_also_of_what_was_done_to_it(as_alice):
    before = counts(as_alice.id)
    assert not ask_to_remove(as_alice.id, NOW)
    load(as_alice)
    loaded = counts(as_alice.id)
    assert load_demo(as_alice.id, NOW + timedelta(days=3)) == 0
    assert counts(as_alice.id) == loaded
    grown = {name for name in loaded if loaded[name] > before[name]}
    assert {"memory.Lexeme", "memory.DrawerVector", "memory.MinedWindow"} <= grown
    drawer, other = Drawer.objects.order_by("id")[:2]
    delete(as_alice.id, "drawer", drawer.id, NOW)
    undo(as_alice.id, delete(as_alice.id, "wing", other.wing_id, NOW).id, NOW)
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
    assert not ask_to_remove(as_alice.id, NOW)
    load(as_alice)
    assert Drawer.objects.count() == Message.objects.count()
    assert Drawer.objects.order_by("pointer_wing").first().pointer_wing == 1


def test_a_palace_of_ones_own_is_the_same_after_as_before(as_alice):
    """Also where both say the same thing. Numbers of pointers are never used again."""
    counters = frozenset({"wings_made", "rooms_made"})
    say(as_alice, *MINE)
    save_note(as_alice.id, Note("Buy rosin for the cello", wing="Sete Colinas"), NOW)
    before = contents(as_alice.id, counters)
    load(as_alice)
    remove(as_alice)
    assert without_costs(contents(as_alice.id, counters)) == without_costs(before)


def test_what_was_learned_beside_the_demo_stays(as_alice):
    load(as_alice)
    say(as_alice, *MINE)
    remove(as_alice)
    assert Drawer.objects.count() == 4
    statements = set(Fact.objects.values_list("statement", flat=True))
    assert "The user lives in Graça." in statements
    assert not any("Tomás" in statement for statement in statements)
    assert not Entity.objects.filter(name="Tomás").exists()


def test_a_value_the_demo_had_ended_holds_again(as_alice):
    file_conversation(as_alice.id, chat("mine", "I live in Porto.", "Noted."), NOW)
    Message.objects.update(said_at=NOW - timedelta(days=400))
    catch_up(as_alice.id, now, lambda left: None)
    home = Fact.objects.get(statement="The user lives in Porto.")
    assert home.status == "active"
    load(as_alice)
    home.refresh_from_db()
    assert home.status == "superseded"
    remove(as_alice)
    home.refresh_from_db()
    assert (home.status, home.valid_to, home.superseded_by_id) == ("active", None, None)
    assert Relation.objects.get(relation="lives_in").valid_to is None


def test_an_alias_said_by_its_owner_too_stays(as_alice):
    say(as_alice, "Ana, whom I call Nita.", "Noted.")
    load(as_alice)
    drawer = Drawer.objects.get(content__contains="Nita")
    entity = relate(drawer, "Ana", "knows", "Rui", valid_from=NOW).subject
    for alias in ("Nita", "Aninhas"):
        add_alias(entity, alias)
    remove(as_alice)
    names = EntityName.objects.filter(entity_id=entity.id).values_list("name", flat=True)
    assert set(names) == {"Ana", "Nita"}


def test_nobody_elses_demo_is_touched(as_alice, bob):
    with tenant(bob.id):
        load_demo(bob.id, NOW)
    load_demo(as_alice.id, NOW)
    remove(as_alice)
    with tenant(bob.id):
        assert demo_is_loaded(bob.id)


def test_it_is_not_removed_while_it_is_being_mined(as_alice, monkeypatch):
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


def test_the_demo_is_nine_months_of_chats_that_lead_up_to_now():
    demo, later = demo_conversations(NOW), demo_conversations(NOW + timedelta(days=7))
    assert demo_conversations(NOW.astimezone(timezone(timedelta(hours=9)))) == demo
    assert [(each.external_id, each.created_at + timedelta(days=7)) for each in demo] == [
        (each.external_id, each.created_at) for each in later
    ]
    times: list[Any] = [message.said_at for each in demo for message in each.messages]
    assert times == sorted(set(times))
    assert times[-1] < NOW
    assert timedelta(days=240) < times[-1] - times[0] < timedelta(days=300)
    every, texts = [each.external_id for each in demo], {"user": [], "assistant": []}
    for conversation in demo:
        ids = [message.external_id for message in conversation.messages]
        assert [message.parent_external_id for message in conversation.messages] == [None, *ids[:-1]]
        assert conversation.current_leaf == ids[-1]
        every += ids
        for number, message in enumerate(conversation.messages):
            assert message.role == ("assistant" if number % 2 else "user")
            texts[message.role].append(message.content)
    assert len(set(every)) == len(every)
    assert all(name.startswith(DEMO_PREFIX) and len(name) < 200 for name in every)
    assert not any("\n" in words for words in texts["user"])
    said = "\n".join(texts["user"])
    for words in (
        *("I bought a dark green Órbita touring bike", "I am allergic to cashews", "I live in Graça"),
        *("I live in Campo de Ourique now", "My favourite tea is jasmine"),
        *("my favourite tea is genmaicha now", "玄米茶", "🚲"),
    ):
        assert words in said
    assert not any("Mira:" in words or "##" in words for words in texts["assistant"])


def demo(*arguments):
    out = io.StringIO()
    call_command("demo", *arguments, "--user", "alice@example.org", stdout=out)
    return out.getvalue()


def test_the_command_loads_and_removes_it(alice, queued):
    assert demo("load") == "14 demo chats were added.\n"
    assert queued() == [("mine", (str(alice.id),))]
    assert demo("remove") == "The demo palace is removed.\n"
    assert demo("remove") == "The demo palace is not loaded.\n"
    demo("load", "--wait")
    with tenant(alice.id):
        assert Drawer.objects.count() > 100
    with pytest.raises(CommandError, match="invalid choice"):
        demo("rename")
