"""Every address of the chat: who may, and by which method."""

from uuid import UUID

import pytest
from django.db.models import Model
from django.test import Client
from django.urls import reverse
from uuid_utils.compat import uuid7

from accounts.models import User
from accounts.tenancy import tenant
from chat.agents import default_agent
from chat.conversations import Choices, NewMessage, append, start
from chat.models import Agent, Conversation
from llm.fake_gateway import FakeChat
from memory.models import Drawer
from tests.chat.conftest import NOW
from tests.chat.remembering import mined

GET, POST, BOTH = ("get", "head"), ("post",), ("get", "head", "post")
METHODS = ("get", "head", "post", "put", "patch", "delete")
CONVERSATION = {
    "conversation": GET,
    "send": POST,
    "message": GET,
    "edit": BOTH,
    "trace": GET,
    "show": POST,
    "stop": POST,
    "retry": POST,
    "rename": BOTH,
    "delete": BOTH,
    "undelete": POST,
    "close": POST,
    "switches": POST,
    "remembered": GET,
    "remember_now": POST,
    "try_again": POST,
    "take_back": POST,
    "fits": POST,
    "always": POST,
    "wrong": BOTH,
    "right": POST,
    "forget": POST,
    "presence": POST,
    "restore": POST,
    "stream": ("get",),
}
AGENT = {"agent": BOTH, "make_default": POST, "delete_agent": BOTH}
GENERAL = {
    "chat": GET,
    "waiting": GET,
    "deleted": GET,
    "new": POST,
    "agents": GET,
    "new_agent": BOTH,
}


@pytest.fixture
def owned(alice: User, embedder: object) -> tuple[Conversation, Agent, Drawer]:
    """A conversation of Alice's with a memory, and an agent."""
    with tenant(alice.id):
        conversation = start(alice.id, Choices(), NOW)
        append(conversation, NewMessage("user", "My cat is called Minka."), NOW)
        append(conversation, NewMessage("assistant", "A fine name."), NOW)
        mined(conversation)
        drawer = Drawer.objects.live().filter(user_id=alice.id).first()
        assert drawer is not None
        return conversation, default_agent(alice.id), drawer


def address(name: str, owned: tuple[Conversation, Agent, Drawer]) -> str:
    conversation, agent, drawer = owned
    if name in GENERAL:
        return reverse(f"chat:{name}")
    if name in AGENT:
        return reverse(f"chat:{name}", args=(agent.id,))
    last: dict[str, tuple[int | UUID, ...]] = {
        **dict.fromkeys(("message", "edit", "trace", "show", "stop", "retry", "stream"), (1,)),
        **dict.fromkeys(("take_back", "restore"), (uuid7(),)),
        **dict.fromkeys(("fits", "always", "wrong", "forget"), (uuid7(), drawer.id)),
        "right": (uuid7(), drawer.id, uuid7()),
    }
    return reverse(f"chat:{name}", args=(conversation.id, *last.get(name, ())))


def columns(row: Model) -> dict[str, object]:
    names = [field.attname for field in row._meta.concrete_fields if field.column]
    return {name: getattr(row, name) for name in names}


@pytest.mark.parametrize("name", [*CONVERSATION, *AGENT, *GENERAL])
def test_a_visitor_is_led_to_the_sign_in(name: str, owned) -> None:
    for method in METHODS:
        response = getattr(Client(), method)(address(name, owned))
        assert response.status_code in {302, 405}
        if response.status_code == 302:
            assert response.url.startswith("/accounts/sign-in/")


@pytest.mark.parametrize(
    ("name", "methods"), [*CONVERSATION.items(), *AGENT.items()], ids=lambda value: str(value)
)
def test_what_is_anothers_is_not_there(
    name: str, methods: tuple[str, ...], owned, bob_client: Client, model: FakeChat
) -> None:
    for method in methods:
        theirs = getattr(bob_client, method)(address(name, owned))
        assert theirs.status_code == 404
        if method != "head":
            missing = getattr(bob_client, method)(
                address(name, owned).replace(str(owned[0].id), str(uuid7()))
            )
            assert missing.content == theirs.content
    conversation, agent, drawer = owned
    with tenant(conversation.user_id):
        for row in (conversation, agent, drawer):
            before = columns(row)
            row.refresh_from_db()
            assert columns(row) == before


@pytest.mark.parametrize(
    ("name", "methods"),
    [*CONVERSATION.items(), *AGENT.items(), *GENERAL.items()],
    ids=lambda value: str(value),
)
def test_other_methods_are_refused(name: str, methods: tuple[str, ...], owned, alice_client: Client) -> None:
    for method in set(METHODS) - set(methods):
        assert getattr(alice_client, method)(address(name, owned)).status_code == 405


@pytest.mark.parametrize("name", ["message", "edit", "trace", "show", "retry"])
def test_a_message_that_is_not_there_is_not_found(
    name: str, owned, alice_client: Client, model: FakeChat
) -> None:
    path = reverse(f"chat:{name}", args=(owned[0].id, 99))
    method = "post" if name in {"show", "retry"} else "get"
    assert getattr(alice_client, method)(path).status_code == 404


@pytest.mark.parametrize("name", ["take_back", "restore"])
def test_what_cannot_be_undone_is_not_found(name: str, owned, alice_client: Client) -> None:
    assert alice_client.post(address(name, owned)).status_code == 404


def test_a_writing_form_needs_its_token(owned, alice: User) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(alice)
    for name in ("new", "send", "stop", "retry", "delete", "forget", "take_back", "new_agent"):
        assert strict.post(address(name, owned), {"content": "x"}).status_code == 403
