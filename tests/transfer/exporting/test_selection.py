"""What is chosen in the palace is handed over as a page, word for word."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from llm import current
from memory.forgetting.trash import delete
from memory.models import Drawer
from tests.fake_gateway import FakeEmbedder
from tests.memory.palaces import MONDAY, Spot, file

HOSTILE = "```\n<script>alert(1)</script> [x](javascript:alert(1))"


@pytest.fixture
def drawers(as_alice: User) -> list[Drawer]:
    with current.using(embedder=FakeEmbedder()):
        first = file(as_alice.id, ["I feed my starter.", HOSTILE], Spot(wing="Brot & Käse"))
        later = Spot(wing="Pans", start=MONDAY + timedelta(days=3))
        return [*first, *file(as_alice.id, ["The pan is black."], later)]


def exported(client: Client, *items: str) -> str:
    response = client.post(reverse("chat:export_chosen"), {"item": items})
    assert response["Content-Type"] == "text/markdown; charset=utf-8"
    assert response["Content-Disposition"].startswith("attachment")
    return response.content.decode()


def test_chosen_drawers_and_places_stand_word_for_word(alice_client: Client, drawers: list[Drawer]):
    text = exported(alice_client, f"wing:{drawers[0].wing_id}", f"drawer:{drawers[2].id}")

    assert "3 drawers.\n" in text
    assert "## Brot &amp; Käse ›" in text
    assert f"````text\n{HOSTILE}\n````" in text
    assert text.index("I feed my starter.") < text.index("The pan is black.")
    assert "§ W-001/R-01/D-001" in text


def test_what_is_gone_is_counted(alice_client: Client, drawers: list[Drawer]):
    delete(drawers[0].user_id, "drawer", drawers[1].id, MONDAY)
    text = exported(alice_client, *(f"drawer:{each.id}" for each in drawers), f"room:{uuid4()}")

    assert "2 drawers. 2 were left out." in text
    assert "script" not in text


def test_nobody_takes_what_is_somebody_elses(bob_client: Client, client: Client, drawers: list[Drawer]):
    url, given = reverse("chat:export_chosen"), {"item": f"drawer:{drawers[0].id}"}
    assert bob_client.post(url, given)["Location"] == reverse("memory:palace")
    assert client.post(url, given)["Location"].startswith(reverse("account_login"))
    assert bob_client.get(url).status_code == 405
