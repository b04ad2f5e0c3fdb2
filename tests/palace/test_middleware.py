"""What the site says about keeping its pages."""

import pytest
from django.test import Client
from django.urls import reverse


@pytest.mark.parametrize("name", ["memory:palace", "chat:agents", "accounts:account"])
def test_no_browser_keeps_a_page_of_somebody(alice_client: Client, name: str) -> None:
    assert alice_client.get(reverse(name)).headers["Cache-Control"] == "private, no-store"


@pytest.mark.django_db
def test_nor_what_is_refused_or_shown_to_visitors(client: Client) -> None:
    for path in ("/nowhere/", reverse("accounts:sign_in"), reverse("memory:palace")):
        assert "no-store" in client.get(path).headers["Cache-Control"]


def test_answers_to_forms_may_be_come_back_to(alice_client: Client) -> None:
    refused = alice_client.post(reverse("chat:new_agent"), {"name": ""})
    assert refused.status_code == 422
    assert "Cache-Control" not in refused.headers


def test_a_page_that_says_more_about_it_is_left_alone(client: Client) -> None:
    assert "max-age=0" in client.get("/healthz").headers["Cache-Control"]
