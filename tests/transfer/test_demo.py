import io
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest
from django.core.management import call_command
from django.urls import reverse
from django.utils.timezone import now

from accounts.demo import demo_of
from accounts.models import User
from accounts.tenancy import tenant, visitor
from chat.mining.drain import drain
from chat.models import Conversation, Message
from memory.forgetting.account_deletion import close_account
from memory.graph.resolution import add_alias
from memory.models import Drawer, Entity, EntityName, Fact, Relation, Wing
from memory.organize.notes import Note, save_note
from memory.preferences import preferences_of
from memory.usage.budgets import budget_of
from tests.chat.ledger import chat, contents
from tests.html import check_page
from tests.memory.palaces import relate
from transfer.demo import (
    DEMO_PREFIX,
    demo_conversations,
    has_legacy_demo,
    removal_due,
    remove_demo,
    request_removal,
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
    assert drain(user.id, now, lambda left: None) == 0


def load(user):
    """Load the demo into a palace, as earlier versions did, and mine it."""
    for conversation in demo_conversations(NOW):
        file_conversation(user.id, conversation, NOW)
    Conversation.objects.filter(external_id__startswith=DEMO_PREFIX).update(is_demo=True)
    assert drain(user.id, now, lambda left: None) == 0


def remove(user):
    assert request_removal(user.id, NOW)
    assert remove_demo(user.id)


def without_costs(found):
    """What a model cost stays on the books."""
    return {name: rows for name, rows in found.items() if name != "memory.Usage"}


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
    drain(as_alice.id, now, lambda left: None)
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


def test_the_command_makes_a_palace_of_its_own_and_removes_it(alice, queued):
    assert demo("remove") == "There is no demo palace.\n"
    assert demo("load", "--wait") == "The demo palace is ready.\n"
    mira = demo_of(alice)
    assert queued() == [("mine", (str(mira.id),))]
    with tenant(mira.id):
        assert Drawer.objects.count() == Message.objects.count() > 100
        assert Wing.objects.filter(kind="project", name="Sete Colinas").exists()
        waiting = Fact.objects.filter(status=Fact.Status.PENDING)
        assert any("recommend Beatriz" in fact.statement for fact in waiting)
    with tenant(alice.id):
        assert not Conversation.objects.exists()
    assert demo("remove") == "The demo palace is removed.\n"
    assert demo_of(alice) is None


@pytest.fixture
def inside(alice_client):
    """Alice's browser, in the demo."""
    assert alice_client.post(reverse("chat:demo"))["Location"] == reverse("chat:chat")
    return alice_client


def test_one_press_opens_it_and_one_leads_back(alice, inside):
    mira = demo_of(alice)
    page = check_page(inside.get(reverse("chat:chat")))
    assert "This is the demo palace of Mira" in page
    assert "A bicycle for seven hills" in page
    assert inside.get("/").wsgi_request.user == mira
    inside.post(reverse("memory:note"), {"text": "Mira buys rosin.", "wing_kind": "topic"})
    with tenant(mira.id):
        assert Drawer.objects.filter(content="Mira buys rosin.").exists()
    inside.post(reverse("chat:demo_leave"))
    assert inside.get("/").wsgi_request.user == alice
    assert "Mira" not in check_page(inside.get(reverse("chat:chat")))
    with tenant(alice.id):
        assert not Drawer.objects.exists()
    assert inside.post(reverse("chat:demo"))["Location"] == reverse("memory:palace")
    assert demo_of(alice) == mira, "it is made once"


CLOSED = (
    *("accounts:account", "accounts:tokens", "closing:close", "webhooks:webhooks", "account_change_password"),
    *("mfa_index", "usersessions_list", "account_email", "chat:import", "chat:exports", "admin:index"),
    "memory:cost_export",
)


@pytest.mark.parametrize("view", CLOSED)
def test_the_demo_has_no_way_to_the_account(alice, inside, view):
    for ask in (inside.get, inside.post):
        assert ask(reverse(view))["Location"] == reverse("chat:demo"), view
    response = inside.get(reverse(view), headers={"HX-Request": "true"})
    assert response["HX-Redirect"] == reverse("chat:demo")


def test_nobody_signs_in_to_it_and_it_never_pays(alice, inside, client):
    mira = demo_of(alice)
    assert not mira.has_usable_password()
    assert (mira.is_staff, mira.is_superuser) == (False, False)
    with tenant(mira.id):
        budget = budget_of(preferences_of(mira.id), NOW)
        assert (budget.limit, budget.is_spent, budget.stops_chat) == (Decimal(0), True, True)
    with tenant(alice.id):
        assert budget_of(preferences_of(alice.id), NOW).limit is None
        assert not User.objects.filter(demo_of=alice).exists(), "a tenant sees one account"


def test_the_demo_of_somebody_else_is_out_of_reach(inside, alice, bob, bob_client):
    mira = demo_of(alice)
    with tenant(mira.id):
        chat_id = Conversation.objects.first().id
    bob_client.post(reverse("chat:demo"))
    assert demo_of(bob) != mira
    assert bob_client.get(reverse("chat:conversation", args=[chat_id])).status_code == 404
    assert inside.get(reverse("chat:conversation", args=[chat_id])).status_code == 200


def test_signing_out_and_a_new_password_end_both(alice, inside):
    alice.set_password("another lantern in the hall")
    with tenant(alice.id):
        alice.save()
    assert inside.get(reverse("chat:chat"))["Location"].startswith(reverse("account_login"))


@pytest.mark.parametrize("way", ["remove", "close"])
def test_removing_it_or_the_account_erases_it(alice, inside, way):
    mira = demo_of(alice)
    if way == "remove":
        assert "The demo was removed" in check_page(inside.post(reverse("chat:demo_remove"), follow=True))
        assert inside.get("/").wsgi_request.user == alice, "who stays signed in"
    else:
        close_account(alice)
    with visitor():
        assert not User.objects.filter(id=mira.id).exists()
    with tenant(mira.id):
        assert not Message.objects.exists()


def test_a_demo_of_an_earlier_version_is_removed_by_a_worker_if_it_must_be(
    as_alice, alice_client, queued, monkeypatch
):
    load(as_alice)
    queued()
    assert "An earlier demo" in check_page(alice_client.get(reverse("chat:demo")))
    with monkeypatch.context() as patched:
        patched.setattr("transfer.demo_pages.remove_demo", lambda user_id: False)
        alice_client.post(reverse("chat:demo_remove"))
    assert queued() == [("remove_demo_palace", (str(as_alice.id),))]
    assert not has_legacy_demo(as_alice.id)
    assert removal_due(as_alice.id)
    alice_client.post(reverse("chat:demo_remove"))
    assert not Conversation.objects.exists()
