from datetime import timedelta
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from memory.facts import queries
from memory.models import Drawer, Entity, MemoryPreferences
from tests.html import check_page, parse
from tests.memory.page_sizes import shorten
from tests.memory.palaces import MONDAY, file, relate


@pytest.fixture
def moved(as_alice: User) -> Drawer:
    """Ines lived in Porto until Wednesday, and in Lisbon from then on."""
    drawer = file(as_alice.id, ["Ines moved from Porto to Lisbon."])[0]
    for day, town in ((0, "Porto"), (2, "Lisbon")):
        start = MONDAY + timedelta(days=day)
        relate(drawer, "Ines", "lives_in", town, valid_from=start, single_valued=True)
    relate(drawer, "Rui", "knows", "Ines")
    return drawer


def rows(client: Client, **query: object) -> list[str]:
    page = parse(check_page(client.get(reverse("memory:graph", query=query))))
    cells = [e for e in page.elements if e.tag == "tr"]
    return [" ".join(row.words.split()) for row in cells[1:]]


def test_relations_stand_with_their_times_and_words(alice_client: Client, moved: Drawer):
    found = rows(alice_client)

    assert "Ines lives in Lisbon 8 May 2024 still the words" in found
    assert "Ines lives in Porto 6 May 2024 8 May 2024 the words" in found
    page = alice_client.get(reverse("memory:graph")).content.decode()
    assert reverse("memory:drawer", args=[moved.id]) in page


def test_a_day_shows_what_held_then(alice_client: Client, moved: Drawer):
    assert [row for row in rows(alice_client, at="2024-05-07") if "lives in" in row] == [
        "Ines lives in Porto 6 May 2024 8 May 2024 the words"
    ]
    assert rows(alice_client, at="2024-05-05") == []


def test_a_day_is_the_persons_own(alice_client: Client, moved: Drawer):
    MemoryPreferences.objects.create(user_id=moved.user_id, time_zone="Pacific/Honolulu")

    # Ines moved at 9:00 UTC on the 8th, which is still the evening of the 7th there.
    assert any("Lisbon" in row for row in rows(alice_client, at="2024-05-07"))


def test_one_entity_can_be_looked_at(alice_client: Client, moved: Drawer):
    rui = Entity.objects.get(user_id=moved.user_id, name="Rui")

    assert rows(alice_client, entity=rui.id) == ["Rui knows Ines 6 May 2024 still the words"]


def test_an_entity_can_be_asked_for_by_name(alice_client: Client, moved: Drawer):
    assert rows(alice_client, name=" RUI ") == ["Rui knows Ines 6 May 2024 still the words"]
    assert rows(alice_client, name="rui", at="2024-05-05") == []


def test_an_entity_of_somebody_else_is_not_there(bob_client: Client, moved: Drawer):
    entity = Entity.objects.filter(user_id=moved.user_id).first()
    assert entity is not None

    for entity_id in (entity.id, uuid4()):
        url = reverse("memory:graph", query={"entity": entity_id})
        assert bob_client.get(url).status_code == 404
    assert rows(bob_client) == []


@pytest.mark.parametrize(
    "query", [{"at": "yesterday"}, {"at": "2024-13-01"}, {"entity": "x"}, {"name": "Nobody"}]
)
def test_what_cannot_be_read_is_said(alice_client: Client, moved: Drawer, query: dict[str, str]):
    html = check_page(alice_client.get(reverse("memory:graph", query=query)), status=422)

    assert "error" in html


def test_long_tables_go_on(alice_client: Client, moved: Drawer, monkeypatch: pytest.MonkeyPatch):
    shorten(monkeypatch, queries.relations_at, 2)

    first = check_page(alice_client.get(reverse("memory:graph")))
    (more,) = [e for e in parse(first).elements if e.attributes.get("rel") == "next"]
    second = check_page(alice_client.get(reverse("memory:graph") + more.attributes["href"]))

    assert (first + second).count("the words</a>") == 3


def test_relations_of_deleted_words_are_gone(alice_client: Client, moved: Drawer):
    alice_client.post(reverse("memory:delete_drawer", args=[moved.id]))

    assert rows(alice_client) == []


def test_the_drawing_says_what_the_table_says(alice_client: Client, moved: Drawer):
    ines = Entity.objects.get(user_id=moved.user_id, name="Ines")
    page = check_page(alice_client.get(reverse("memory:graph", query={"entity": ines.id})))
    links = [e for e in parse(page).elements if "graph-link" in e.attributes.get("class", "")]

    assert len(links) == 3
    over = [link for link in links if "graph-ended" in link.attributes["class"]]
    assert ["Porto" in link.words for link in over] == [True]


def test_what_was_over_on_a_day_is_shown_on_request(alice_client: Client, moved: Drawer):
    assert not any("Porto" in row for row in rows(alice_client, at="2024-05-10"))
    assert any("Porto" in row for row in rows(alice_client, at="2024-05-10", ended="on"))


def test_how_far_is_one_or_two_steps(alice_client: Client, moved: Drawer):
    rui = Entity.objects.get(user_id=moved.user_id, name="Rui").id

    def drawn(hops: int) -> int:
        page = check_page(alice_client.get(reverse("memory:graph", query={"entity": rui, "hops": hops})))
        return page.count("graph-node ")

    assert (drawn(1), drawn(2)) == (2, 4)
    refused = alice_client.get(reverse("memory:graph", query={"hops": 3}))
    assert refused.status_code == 422
