from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from tests.html import check_page, parse
from tests.memory.palaces import MONDAY, file, relate


@pytest.fixture
def chain(as_alice: User) -> None:
    """Alice knows Rui, who knew Ines for a week."""
    drawer = file(as_alice.id, ["Rui knew Ines."])[0]
    relate(drawer, "user", "friend_of", "Rui")
    week = MONDAY + timedelta(days=7)
    relate(drawer, "Rui", "knows", "Ines", valid_to=week)
    relate(drawer, "Zoe", "knows", "Yan")


def ways(client: Client, **query: str) -> list[str]:
    html = check_page(client.get(reverse("memory:paths", query=query)))
    return [
        " ".join(e.words.split())
        for e in parse(html).elements
        if e.tag == "section" and e.attributes.get("class") == "card"
    ]


def test_the_way_stands_with_its_times_and_words(alice_client: Client, chain: None):
    (way,) = ways(alice_client, start="Me", end="ines")

    assert way.startswith("You friend of Rui from 6 May 2024 the words Rui knows Ines")


def test_as_of_a_day(alice_client: Client, chain: None):
    assert len(ways(alice_client, start="Ines", end="me", at="2024-05-12")) == 1
    assert ways(alice_client, start="Ines", end="me", at="2024-05-13") == []


def test_no_way_is_said(alice_client: Client, chain: None):
    url = reverse("memory:paths", query={"start": "me", "end": "Zoe"})

    assert "No way of at most four steps" in check_page(alice_client.get(url))
    assert "No way" not in check_page(alice_client.get(reverse("memory:paths")))


@pytest.mark.parametrize(
    "query",
    [
        {"start": "me", "end": "Nobody"},
        {"start": "", "end": "Rui"},
        {"start": "me", "end": "Rui", "at": "soon"},
    ],
)
@pytest.mark.parametrize("htmx", [False, True])
def test_what_cannot_be_read_is_said(alice_client: Client, chain: None, query: dict[str, str], htmx: bool):
    headers = {"HX-Request": "true"} if htmx else {}
    response = alice_client.get(reverse("memory:paths", query=query), headers=headers)

    assert "error" in check_page(response, status=422)


def test_nobody_finds_ways_in_anothers_palace(bob_client: Client, chain: None):
    url = reverse("memory:paths", query={"start": "Rui", "end": "Ines"})

    assert "known by that name" in check_page(bob_client.get(url), status=422)
