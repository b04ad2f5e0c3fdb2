"""The demo palace: its chats, its command, and a visit to it."""

from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest
from django.urls import reverse

from accounts.demo import demo_of
from accounts.models import User
from accounts.tenancy import tenant, visitor
from chat.models import Conversation, Message
from memory.forgetting.account_deletion import close_account
from memory.models import Drawer, Fact, Wing
from memory.preferences import preferences_of
from memory.usage.budgets import budget_of
from tests.commands import run_command
from tests.html import check_page
from transfer.demo import DEMO_PREFIX, demo_conversations

NOW = datetime(2031, 3, 5, 6, 30, tzinfo=UTC)
pytestmark = pytest.mark.usefixtures("embedder")


def test_demo_consists_of_nine_months_of_chats_up_to_now():
    demo, later = demo_conversations(NOW), demo_conversations(NOW + timedelta(days=7))
    assert demo_conversations(NOW.astimezone(timezone(timedelta(hours=9)))) == demo
    assert [(each.external_id, each.created_at + timedelta(days=7)) for each in demo] == [
        (each.external_id, each.created_at) for each in later
    ]
    messages = [message for each in demo for message in each.messages]
    times: list[Any] = [message.said_at for message in messages]
    assert times == sorted(set(times))
    assert times[-1] < NOW
    assert timedelta(days=240) < times[-1] - times[0] < timedelta(days=300)
    ids = [each.external_id for each in (*demo, *messages)]
    assert len(set(ids)) == len(ids)
    assert [name for name in ids if not (name.startswith(DEMO_PREFIX) and len(name) < 200)] == []
    for each in demo:
        above = [message.external_id for message in each.messages]
        assert [message.parent_external_id for message in each.messages] == [None, *above[:-1]]
        assert each.current_leaf == above[-1]
        assert {message.role for message in each.messages[::2]} == {"user"}
        assert {message.role for message in each.messages[1::2]} <= {"assistant"}
    assert [each for each in messages if "Mira:" in each.content or "##" in each.content] == []


def demo(*arguments):
    return run_command("demo --user alice@example.org", *arguments)


def test_command_creates_and_removes_a_separate_demo_palace(alice, queued):
    assert demo("remove") == "There is no demo palace.\n"
    assert demo("load", "--wait") == "The demo palace is ready.\n"
    mira = demo_of(alice)
    assert queued() == [("mine", (str(mira.id),))]
    with tenant(mira.id):
        assert Drawer.objects.count() == Message.objects.count() > 100
        assert Wing.objects.filter(kind="project", name="Sete Colinas").exists()
        waiting = Fact.objects.filter(status=Fact.Status.PENDING)
        assert any("recommend Beatriz" in fact.statement for fact in waiting)
        budgets = Fact.objects.filter(predicate="has_budget").values_list("statement", flat=True)
        assert [words for words in budgets if not words.startswith("The user's budget for the ")] == []
        assert len(budgets) == 2
    with tenant(alice.id):
        assert not Conversation.objects.exists()
    assert demo("remove") == "The demo palace was removed.\n"
    assert demo_of(alice) is None


@pytest.fixture
def inside(alice_client):
    """Alice's browser, inside the demo."""
    assert alice_client.post(reverse("chat:demo"))["Location"] == reverse("chat:chat")
    return alice_client


CLOSED = (
    *("accounts:account", "accounts:tokens", "closing:close", "webhooks:webhooks", "account_change_password"),
    *("mfa_index", "usersessions_list", "account_email", "chat:import", "chat:exports", "admin:index"),
)


def test_demo_reaches_no_pages_of_the_account(inside):
    for view in CLOSED:
        for ask in (inside.get, inside.post):
            assert ask(reverse(view))["Location"] == reverse("chat:demo"), view
        response = inside.get(reverse(view), headers={"HX-Request": "true"})
        assert response["HX-Redirect"] == reverse("chat:demo"), view


def test_demo_can_be_opened_and_left_and_shows_nothing_of_others(alice, inside, bob, bob_client):
    mira = demo_of(alice)
    page = check_page(inside.get(reverse("chat:chat")))
    assert "This is the demo palace of Mira" in page
    assert "A bicycle for seven hills" in page
    assert inside.get("/").wsgi_request.user == mira
    inside.post(reverse("memory:note"), {"text": "Mira buys rosin.", "wing_kind": "topic"})
    with tenant(mira.id):
        assert Drawer.objects.filter(content="Mira buys rosin.").exists()
        chat_id = Conversation.objects.first().id
    bob_client.post(reverse("chat:demo"))
    assert demo_of(bob) != mira
    assert bob_client.get(reverse("chat:conversation", args=[chat_id])).status_code == 404
    assert inside.get(reverse("chat:conversation", args=[chat_id])).status_code == 200
    inside.post(reverse("chat:demo_leave"))
    assert inside.get("/").wsgi_request.user == alice
    assert "Mira" not in check_page(inside.get(reverse("chat:chat")))
    with tenant(alice.id):
        assert not Drawer.objects.exists()
    assert inside.post(reverse("chat:demo"))["Location"] == reverse("memory:palace")
    assert demo_of(alice) == mira, "it is created once"


def test_demo_user_cannot_sign_in_and_has_no_budget(alice, inside):
    mira = demo_of(alice)
    assert (mira.has_usable_password(), mira.is_staff, mira.is_superuser) == (False, False, False)
    with tenant(mira.id):
        budget = budget_of(preferences_of(mira.id), NOW)
        assert (budget.limit, budget.is_spent, budget.stops_chat) == (Decimal(0), True, True)
    with tenant(alice.id):
        assert budget_of(preferences_of(alice.id), NOW).limit is None
        assert not User.objects.filter(demo_of=alice).exists(), "a tenant sees one account"
        alice.set_password("another lantern in the hall")
        alice.save()
    assert inside.get(reverse("chat:chat"))["Location"].startswith(reverse("account_login"))


@pytest.mark.parametrize("way", ["remove", "close"])
def test_removing_the_demo_or_the_account_erases_it(alice, inside, way):
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
