"""The front page, the palette and the keyboard sheet."""

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from accounts.tenancy import tenant
from tests.html import check_page
from tests.memory.palaces import Spot, file


@pytest.mark.django_db
def test_the_front_page_leads_visitors_to_sign_up_then_to_sign_in(client: Client) -> None:
    assert client.get("/").headers["Location"] == reverse("account_signup")
    User.objects.create_user("alice@example.org", "alice-password-1")
    assert client.get("/").headers["Location"] == reverse("account_login")


def test_the_front_page_leads_users_to_consent_then_to_the_chats(alice_client: Client, alice: User) -> None:
    User.objects.filter(pk=alice.pk).update(agreed_at=None)
    assert alice_client.get("/").headers["Location"] == reverse("memory:consent")
    alice.agree(timezone.now())
    assert alice_client.get("/").headers["Location"] == reverse("chat:chat")


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/go/", "/keys/"])
def test_sign_in_is_required(client: Client, path: str) -> None:
    assert client.get(path).status_code == 302


@pytest.mark.parametrize("path", ["/", "/go/"])
def test_posts_are_refused(alice_client: Client, path: str) -> None:
    assert alice_client.post(path).status_code == 405


def test_the_palette_is_a_page_or_its_options_alone(alice_client: Client) -> None:
    response = alice_client.get("/go/")
    check_page(response)
    assert reverse("memory:timeline") in response.content.decode()
    options = alice_client.get("/go/?q=time", headers={"HX-Request": "true"}).content.decode()
    assert "<html" not in options
    assert 'role="option"' in options
    assert reverse("memory:timeline") in options
    assert reverse("memory:facts") not in options


def test_the_palette_offers_the_users_own_subjects_only(
    alice: User, alice_client: Client, bob_client: Client
) -> None:
    with tenant(alice.id):
        file(alice.id, ["Bread rises."], Spot(wing="Sour <b>Dough</b>"))
    assert "Sour &lt;b&gt;Dough&lt;/b&gt;" in alice_client.get("/go/?q=dough").content.decode()
    assert "Sour" not in bob_client.get("/go/?q=dough").content.decode()


def test_the_palette_offers_the_drawer_of_a_pointer(alice_client: Client) -> None:
    text = alice_client.get("/go/?q=§ w-3/r-2/d-1").content.decode()
    assert reverse("memory:pointer", args=[3, 2, 1]) in text


def test_single_keys_are_switched_per_browser(alice_client: Client) -> None:
    check_page(alice_client.get("/keys/"))
    for state, shown in (("off", True), ("on", False)):
        assert alice_client.post("/keys/", {"keys": state}).status_code == 303
        assert ('data-keys="off"' in alice_client.get("/keys/").content.decode()) is shown
