from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from memory.models import OWNER, Entity, MemoryPreferences, Relation
from tests.html import check_page, parse
from tests.memory.palaces import MONDAY, file, learn, relate

LISBON = "Ines lives in Lisbon 8 May 2024 – Open"
PORTO = "Ines lived in Porto said 6 May 2024 8 May 2024 Open"
RUI = "Rui knows Ines said 6 May 2024 – Open"


@pytest.fixture
def moved(as_alice):
    """Ines lived in Porto until Wednesday, and in Lisbon from then on."""
    drawer = file(as_alice.id, ["Ines moved from Porto to Lisbon."])[0]
    for day, town in ((0, "Porto"), (2, "Lisbon")):
        start = MONDAY + timedelta(days=day)
        relate(drawer, "Ines", "lives_in", town, valid_from=start, single_valued=True)
    relate(drawer, "Rui", "knows", "Ines")
    return drawer


def shown(client, status=200, **query):
    return check_page(client.get(reverse("memory:graph", query=query)), status)


def rows(client, **query):
    cells = [e for e in parse(shown(client, view="table", **query)).elements if e.tag == "tr"]
    return [" ".join(row.words.split()) for row in cells[1:]]


def test_the_table_shows_relations_with_dates_and_sources_filtered_by_day_and_entity(alice_client, moved):
    rui = Entity.objects.get(name="Rui")
    assert set(rows(alice_client)) == {LISBON, RUI}
    assert set(rows(alice_client, ended="on")) == {LISBON, PORTO, RUI}
    assert reverse("memory:drawer", args=[moved.id]) in shown(alice_client, view="table")
    assert set(rows(alice_client, at="2024-05-07")) == {PORTO, RUI}
    assert rows(alice_client, at="2024-05-05") == []
    assert PORTO not in rows(alice_client, at="2024-05-10")
    assert PORTO in rows(alice_client, at="2024-05-10", ended="on")
    future = timezone.now() + timedelta(days=30)
    relate(moved, "Rui", "lives_in", "Faro", valid_from=future, single_valued=True)
    assert not any("Faro" in row for row in rows(alice_client))
    assert any("Faro" in row for row in rows(alice_client, ended="on"))
    Relation.objects.filter(valid_from=future).delete()
    assert rows(alice_client, entity=rui.id) == rows(alice_client, name=" RUI ") == [RUI]
    assert rows(alice_client, name="rui", at="2024-05-05") == []

    # Ines moved at 9:00 UTC on the 8th, which is still the evening of the 7th there.
    MemoryPreferences.objects.create(user_id=moved.user_id, time_zone="Pacific/Honolulu")
    assert any("Lisbon" in row for row in rows(alice_client, at="2024-05-07"))


def test_invalid_filters_and_entities_of_other_users_are_rejected(alice_client, bob_client, moved):
    wrong = ({"at": "yesterday"}, {"at": "2024-13-01"}, {"entity": "x"}, {"name": "Nobody"}, {"hops": 3})
    for query in wrong:
        assert "error" in shown(alice_client, 422, **query)
    entity = Entity.objects.filter(user_id=moved.user_id).first()
    for entity_id in (entity.id, moved.id):
        assert bob_client.get(reverse("memory:graph", query={"entity": entity_id})).status_code == 404


def drawn(client, **query):
    """The names of the drawn entities with the classes of their marks."""
    elements = parse(shown(client, **query)).elements
    nodes = [e for e in elements if e.tag == "a" and e.attributes.get("class", "").startswith("node")]
    return {" ".join(e.words.split()): e.attributes["class"] for e in nodes if "data-s" in e.attributes}


def hidden(client, **query):
    return {name for name, classes in drawn(client, **query).items() if "is-off" in classes}


def drawn_relations(client, **query):
    elements = parse(shown(client, **query)).elements
    return [e.attributes["class"] for e in elements if "data-e" in e.attributes]


def test_the_drawing_shows_the_same_as_the_table(alice_client, moved):
    ines = Entity.objects.get(name="Ines").id
    assert hidden(alice_client) == {"Porto"}
    assert hidden(alice_client, ended="on") == set()
    assert set(drawn(alice_client)) == {"Ines", "Lisbon", "Porto", "Rui"}
    relations = drawn_relations(alice_client, ended="on")
    assert sorted("is-over" in each for each in relations) == [False, False, True]
    assert not any("is-off" in each for each in relations)
    assert set(drawn(alice_client, name="rui", hops=1)) == {"Rui", "Ines"}
    assert len(drawn(alice_client, name="rui", hops=2)) == 4
    (chosen,) = (name for name, classes in drawn(alice_client, entity=ines).items() if "is-chosen" in classes)
    assert chosen == "Ines"
    assert "Lisbon" in shown(alice_client, entity=ines).split("panel-told")[1]

    assert hidden(alice_client, at="2024-05-07") == {"Lisbon"}
    Entity.objects.filter(name__in=("Lisbon", "Porto")).update(type="place")
    assert rows(alice_client, kinds="person") == [RUI]
    assert len(rows(alice_client, kinds=["person", "place"], ended="on")) == 3
    assert hidden(alice_client, kinds="person", ended="on") == {"Lisbon", "Porto"}
    assert shown(alice_client).count('class="is-passed"') == 12
    html = alice_client.get(reverse("memory:points")).content.decode()
    assert html.count("data-e=") == 3


def test_the_owner_is_not_drawn_but_related_entities_are_marked(alice_client, moved):
    relate(moved, OWNER, "lives_in", "Faro")
    Entity.objects.filter(name=OWNER).update(type=OWNER)
    marks = drawn(alice_client)
    assert "is-mine" in next(classes for name, classes in marks.items() if name.startswith("Faro"))
    assert "is-mine" not in marks["Ines"]
    assert len(drawn_relations(alice_client)) == 3
    owner = Entity.objects.get(type=OWNER)
    assert "Faro" in shown(alice_client, entity=owner.id).split("panel-told")[1]


def test_a_relation_with_the_owner_is_worded_as_in_its_fact(alice_client, as_alice):
    drawer = file(as_alice.id, ["Kim is my teacher, and Elin was my sister-in-law. Pixel is my dog."])[0]
    for words, predicate, name, kin in (
        ("Kim is my teacher", "acquainted_with", "Kim", "teacher"),
        ("Elin was my sister", "sibling_of", "Elin", "sister"),
        ("Pixel is my dog", "has_pet", "Pixel", "dog"),
    ):
        statement = f"{name} is the user's {kin}."
        learn(drawer, words, statement, predicate=predicate, object=name, key=f"{predicate} {name}")
    Relation.objects.filter(object__name="Elin").update(valid_to=drawer.said_at + timedelta(days=1))
    table = [row.partition(" said")[0] for row in rows(alice_client, ended="on")]
    assert sorted(table) == ["Elin was your sister", "Kim is your teacher", "Pixel is your dog"]
    panel = next(e.words for e in parse(shown(alice_client)).elements if e.attributes.get("class") == "told")
    assert "Pixel is your dog" in " ".join(panel.split())
    kim = Entity.objects.get(name="Kim")
    html = check_page(alice_client.get(reverse("memory:entity", args=[kim.id])))
    assert "your teacher" in html
    assert "You know" not in html
