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
