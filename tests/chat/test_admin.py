"""Operators see agents and imports, and nobody's words."""

import pytest
from django.contrib import admin
from django.test import Client

from accounts.models import User
from accounts.tenancy import tenant
from chat.models import Agent, Conversation, Generation, Message
from transfer.models import ImportRun, RefusedEntry


@pytest.fixture
def agent(alice: User) -> Agent:
    with tenant(alice.id):
        return Agent.objects.create(
            user_id=alice.id, name="Secret name", instructions="Secret instructions", model="m-1"
        )


@pytest.fixture
def run(alice: User) -> ImportRun:
    with tenant(alice.id):
        return ImportRun.objects.create(user_id=alice.id, format="chatgpt", messages=12)


def test_words_are_not_registered() -> None:
    for model in (Conversation, Message, Generation, RefusedEntry):
        assert not admin.site.is_registered(model)


def test_agents_are_listed_without_their_words(agent: Agent, carol_client: Client) -> None:
    for path in ("/admin/chat/agent/", f"/admin/chat/agent/{agent.id}/change/"):
        html = carol_client.get(path).content.decode()
        assert str(agent.id) in html
        assert "m-1" in html
        assert "Secret" not in html


def test_imports_are_listed_with_their_counts(run: ImportRun, carol_client: Client) -> None:
    for path in ("/admin/transfer/importrun/", f"/admin/transfer/importrun/{run.id}/change/"):
        response = carol_client.get(path)
        assert response.status_code == 200
        assert "chatgpt" in response.content.decode()


@pytest.mark.parametrize("model", ["chat/agent", "transfer/importrun"])
def test_nothing_is_added_or_changed_there(
    model: str, agent: Agent, run: ImportRun, carol_client: Client
) -> None:
    row = {"chat/agent": agent, "transfer/importrun": run}[model]
    assert carol_client.get(f"/admin/{model}/add/").status_code == 403
    response = carol_client.post(f"/admin/{model}/{row.id}/change/", {"model": "other"})
    assert response.status_code == 403


def test_only_staff_come_in(agent: Agent, alice_client: Client) -> None:
    assert alice_client.get("/admin/chat/agent/").status_code == 302
