"""Every address of the chat: who may, and by which method."""

import pytest
from django.test import Client
from django.urls import reverse
from uuid_utils.compat import uuid7

from accounts.tenancy import tenant
from chat.agents import default_agent
from chat.conversations import Choices, NewMessage, append, start
from memory.models import Drawer
from tests.chat.conftest import NOW
from tests.chat.replying import mined

GET, POST, BOTH = ("get", "head"), ("post",), ("get", "head", "post")
METHODS = ("get", "head", "post", "put", "patch", "delete")
MESSAGE = {"message": GET, "edit": BOTH, "trace": GET, "show": POST, "retry": POST}
REPLY = {"stop": POST, "stream": ("get",)}
UNDO = {"undo_mining": POST, "restore": POST}
SOURCE = {"fits": POST, "always": POST, "wrong": BOTH, "forget": POST}
WRITING = ("send", "undelete", "close", "switches", "remember_now", "try_again", "presence", "right")
CHAT = {
    "conversation": GET,
    "remembered": GET,
    "rename": BOTH,
    "delete": BOTH,
    **dict.fromkeys(WRITING, POST),
}
AGENT = {"agent": BOTH, "make_default": POST, "delete_agent": BOTH}
OWNED = CHAT | MESSAGE | REPLY | UNDO | SOURCE | AGENT
GENERAL = {"chat": GET, "waiting": GET, "deleted": GET, "agents": GET, "new": POST, "new_agent": BOTH}


@pytest.fixture
def owned(alice, embedder):
    """A conversation of Alice's with a memory, and an agent."""
    with tenant(alice.id):
        conversation = start(alice.id, Choices(), NOW)
        append(conversation, NewMessage("user", "My cat is called Minka."), NOW)
        append(conversation, NewMessage("assistant", "A fine name."), NOW)
        mined(conversation)
        return conversation, default_agent(alice.id), Drawer.objects.live().first()


def address(name, owned):
    conversation, agent, drawer = owned
    if name in GENERAL:
        return reverse(f"chat:{name}")
    if name in AGENT:
        return reverse(f"chat:{name}", args=(agent.id,))
    last = {
        **dict.fromkeys((*MESSAGE, *REPLY), (1,)),
        **dict.fromkeys(UNDO, (uuid7(),)),
        **dict.fromkeys(SOURCE, (uuid7(), drawer.id)),
        "right": (uuid7(), drawer.id, uuid7()),
    }
    return reverse(f"chat:{name}", args=(conversation.id, *last.get(name, ())))


def columns(row):
    return {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields if field.column}


def test_a_visitor_is_led_to_the_sign_in(owned, client):
    for name in OWNED | GENERAL:
        for method in METHODS:
            response = getattr(client, method)(address(name, owned))
            assert response.status_code in {302, 405}, (name, method)
            if response.status_code == 302:
                assert response.url.startswith("/accounts/sign-in/"), (name, method)


def test_what_is_anothers_is_not_there_and_stays_as_it_was(owned, bob_client, model):
    for name, methods in OWNED.items():
        for method in methods:
            path = address(name, owned)
            theirs = getattr(bob_client, method)(path)
            assert theirs.status_code == 404, (name, method)
            if method != "head":
                missing = getattr(bob_client, method)(path.replace(str(owned[0].id), str(uuid7())))
                assert missing.content == theirs.content, (name, method)
    with tenant(owned[0].user_id):
        for row in owned:
            before = columns(row)
            row.refresh_from_db()
            assert columns(row) == before


def test_other_methods_are_refused(owned, alice_client):
    for name, methods in (OWNED | GENERAL).items():
        for method in set(METHODS) - set(methods):
            assert getattr(alice_client, method)(address(name, owned)).status_code == 405, (name, method)


def test_a_message_or_change_that_is_not_there_is_not_found(owned, alice_client, model):
    for name, methods in MESSAGE.items():
        path = reverse(f"chat:{name}", args=(owned[0].id, 99))
        assert getattr(alice_client, methods[0])(path).status_code == 404, name
    for name in UNDO:
        assert alice_client.post(address(name, owned)).status_code == 404, name


def test_a_writing_form_needs_its_token(owned, alice):
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(alice)
    for name in ("new", "send", "stop", "retry", "delete", "forget", "undo_mining", "new_agent"):
        assert strict.post(address(name, owned), {"content": "x"}).status_code == 403, name
