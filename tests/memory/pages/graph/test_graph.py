from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from memory.facts import queries
from memory.models import Drawer, Entity, MemoryPreferences
from tests.html import check_page, parse
from tests.memory.page_sizes import shorten
from tests.memory.pages.forms import all_pages
from tests.memory.palaces import MONDAY, file, relate

LISBON = "Ines lives in Lisbon 8 May 2024 still source"
PORTO = "Ines lived in Porto 6 May 2024 8 May 2024 source"
RUI = "Rui knows Ines 6 May 2024 still source"


@pytest.fixture
def moved(as_alice: User) -> Drawer:
    """Ines lived in Porto until Wednesday, and in Lisbon from then on."""
    drawer = file(as_alice.id, ["Ines moved from Porto to Lisbon."])[0]
    for day, town in ((0, "Porto"), (2, "Lisbon")):
        start = MONDAY + timedelta(days=day)
        relate(drawer, "Ines", "lives_in", town, valid_from=start, single_valued=True)
    relate(drawer, "Rui", "knows", "Ines")
    return drawer


def shown(client: Client, status: int = 200, **query: object) -> str:
    return check_page(client.get(reverse("memory:graph", query=query)), status)


def rows(client: Client, **query: object) -> list[str]:
    cells = [e for e in parse(shown(client, **query)).elements if e.tag == "tr"]
    return [" ".join(row.words.split()) for row in cells[1:]]


def test_the_table_shows_relations_with_times_and_words_filtered_by_day_and_entity(alice_client, moved):
    rui = Entity.objects.get(name="Rui")
    assert {LISBON, PORTO, RUI} == set(rows(alice_client))
    assert reverse("memory:drawer", args=[moved.id]) in shown(alice_client)
    assert set(rows(alice_client, at="2024-05-07")) == {PORTO, RUI}
    assert rows(alice_client, at="2024-05-05") == []
    assert PORTO not in rows(alice_client, at="2024-05-10")
    assert PORTO in rows(alice_client, at="2024-05-10", ended="on")
    assert rows(alice_client, entity=rui.id) == rows(alice_client, name=" RUI ") == [RUI]
    assert rows(alice_client, name="rui", at="2024-05-05") == []

    # Ines moved at 9:00 UTC on the 8th, which is still the evening of the 7th there.
    MemoryPreferences.objects.create(user_id=moved.user_id, time_zone="Pacific/Honolulu")
    assert any("Lisbon" in row for row in rows(alice_client, at="2024-05-07"))


def test_wrong_filters_and_entities_of_others_are_refused(alice_client, bob_client, moved):
    wrong = ({"at": "yesterday"}, {"at": "2024-13-01"}, {"entity": "x"}, {"name": "Nobody"}, {"hops": 3})
    for query in wrong:
        assert "error" in shown(alice_client, 422, **query)
    entity = Entity.objects.filter(user_id=moved.user_id).first()
    for entity_id in (entity.id, moved.id):
        assert bob_client.get(reverse("memory:graph", query={"entity": entity_id})).status_code == 404


def test_the_table_comes_in_pages_without_relations_of_deleted_words(alice_client, moved, monkeypatch):
    shorten(monkeypatch, queries.relations_at, 2)
    first, second = all_pages(alice_client, reverse("memory:graph"))
    assert (first + second).count("source</a>") == 3
    alice_client.post(reverse("memory:delete_drawer", args=[moved.id]))
    assert rows(alice_client) == []


def test_the_drawing_shows_the_same_as_the_table(alice_client, moved):
    ines, rui = (Entity.objects.get(name=name).id for name in ("Ines", "Rui"))
    elements = parse(shown(alice_client, entity=ines)).elements
    links = [e for e in elements if "graph-link" in e.attributes.get("class", "")]
    assert len(links) == 3
    over = [link for link in links if "graph-ended" in link.attributes["class"]]
    assert ["Porto" in link.words for link in over] == [True]
    drawn = [shown(alice_client, entity=rui, hops=hops).count("graph-node ") for hops in (1, 2)]
    assert drawn == [2, 4]
