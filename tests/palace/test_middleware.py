"""Caching, request ids and consent on every page."""

import pytest
from django.test import Client
from django.urls import reverse, reverse_lazy

from accounts.models import User
from chat.models import Conversation
from memory.models import Drawer
from tests.api.conftest import token_of
from tests.memory.palaces import file

CONSENT = "/memory/consent/"


@pytest.mark.parametrize("name", ["memory:palace", "chat:agents", "accounts:account"])
def test_pages_of_users_are_not_cached(alice_client: Client, name: str) -> None:
    assert alice_client.get(reverse(name)).headers["Cache-Control"] == "private, no-store"


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/nowhere/", reverse_lazy("account_login"), "/memory/", "/healthz"])
def test_public_responses_are_not_cached_either(client: Client, path: str) -> None:
    assert "no-store" in client.get(path).headers["Cache-Control"]


def test_rejected_forms_may_be_cached_for_the_back_button(alice_client: Client) -> None:
    refused = alice_client.post(reverse("chat:new_agent"), {"name": ""})
    assert refused.status_code == 422
    assert "Cache-Control" not in refused.headers


@pytest.fixture
def newcomer(alice: User, alice_client: Client) -> Client:
    """Alice before she has agreed."""
    alice.agreed_at = None
    alice.save(update_fields=["agreed_at"])
    return alice_client


@pytest.mark.parametrize("path", ["/chat/", "/memory/", "/memory/facts/", "/memory/note/", "/chat/import/"])
def test_every_page_leads_to_consent_first(newcomer: Client, path: str) -> None:
    answer = newcomer.get(path)
    assert (answer.status_code, answer["Location"]) == (302, CONSENT)
    assert newcomer.get(path, headers={"HX-Request": "true"})["HX-Redirect"] == CONSENT


def test_nothing_is_saved_before_consent(newcomer: Client, as_alice: User) -> None:
    answer = newcomer.post("/chat/new/", {"message": "I live in Porto."})
    assert (answer.status_code, answer["Location"]) == (302, CONSENT)
    assert not Conversation.objects.exists()


def test_consent_account_and_api_are_open_before_consent(newcomer: Client, alice: User) -> None:
    for path in (CONSENT, "/accounts/", "/accounts/close/", "/healthz"):
        assert newcomer.get(path).status_code == 200
    bearer = {"Authorization": f"Bearer {token_of(alice)}"}
    assert newcomer.get("/api/v1/wings", headers=bearer).status_code == 200


def test_pages_show_characters_that_hide_text(alice_client: Client, as_alice: User) -> None:
    hiding = "access \u202enimda\u202c \U000e0041 but 👩🏽\u200d💻 and می\u200cخواهم stay"
    drawer = file(as_alice.id, [hiding])[0]
    page = alice_client.get(reverse("memory:drawer", args=[drawer.id])).content.decode()
    assert "access \\u202enimda\\u202c \\U000e0041 but 👩🏽\u200d💻 and می\u200cخواهم stay" in page
    assert Drawer.objects.get().content == hiding
