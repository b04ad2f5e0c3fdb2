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


def path_texts(client: Client, **query: str) -> list[str]:
    html = check_page(client.get(reverse("memory:paths", query=query)))
    return [
        " ".join(e.words.split())
        for e in parse(html).elements
        if e.tag == "section" and e.attributes.get("class") == "card"
    ]


def test_a_path_is_shown_with_dates_and_sources_as_of_a_day(alice_client, chain):
    (path,) = path_texts(alice_client, start="Me", end="ines")
    assert path.startswith("Rui is your friend said 6 May 2024 source Rui knows Ines")
    assert len(path_texts(alice_client, start="Ines", end="me", at="2024-05-12")) == 1
    assert path_texts(alice_client, start="Ines", end="me", at="2024-05-13") == []
    url = reverse("memory:paths", query={"start": "me", "end": "Zoe"})
    assert "These two are not connected" in check_page(alice_client.get(url))
    assert "not connected in four" not in check_page(alice_client.get(reverse("memory:paths")))


def test_unknown_names_and_names_of_other_users_are_rejected(alice_client, bob_client, chain):
    wrong = ({"start": "me", "end": "Nobody"}, {"start": "", "end": "Rui"})
    for query in (*wrong, {"start": "me", "end": "Rui", "at": "soon"}):
        for headers in ({}, {"HX-Request": "true"}):
            response = alice_client.get(reverse("memory:paths", query=query), headers=headers)
            assert "error" in check_page(response, status=422)
    url = reverse("memory:paths", query={"start": "Rui", "end": "Ines"})
    assert "person or thing has that name" in check_page(bob_client.get(url), status=422)
