"""Who has not read what is kept is shown it first, wherever they arrive."""

import pytest
from django.test import Client

from accounts.models import User
from chat.models import Conversation
from tests.api.conftest import token_of

CONSENT = "/memory/consent/"


@pytest.fixture
def stranger(alice: User, alice_client: Client) -> Client:
    """Alice, before anybody asked her."""
    alice.agreed_at = None
    alice.save(update_fields=["agreed_at"])
    return alice_client


@pytest.mark.parametrize(
    "path", ["/chat/", "/memory/", "/memory/facts/", "/memory/note/", "/chat/import/"]
)
def test_every_way_in_leads_to_what_is_kept(stranger: Client, path: str):
    answer = stranger.get(path)
    assert (answer.status_code, answer["Location"]) == (302, CONSENT)
    assert stranger.get(path, headers={"HX-Request": "true"})["HX-Redirect"] == CONSENT


def test_nothing_is_said_before(stranger: Client, as_alice: User):
    answer = stranger.post("/chat/new/", {"message": "I live in Porto."})
    assert (answer.status_code, answer["Location"]) == (302, CONSENT)
    assert not Conversation.objects.exists()


@pytest.mark.parametrize("path", [CONSENT, "/accounts/", "/accounts/close/", "/healthz"])
def test_the_question_itself_and_the_account_are_open(stranger: Client, path: str):
    assert stranger.get(path).status_code == 200


def test_after_agreeing_all_is_open(stranger: Client):
    stranger.post(CONSENT, {"remember": "by-itself"})
    assert stranger.get("/chat/").status_code == 200
    assert stranger.get("/memory/").status_code == 200


def test_a_token_of_somebody_who_was_not_asked_works(stranger: Client, alice: User):
    bearer = {"Authorization": f"Bearer {token_of(alice)}"}
    assert stranger.get("/api/v1/wings", headers=bearer).status_code == 200
