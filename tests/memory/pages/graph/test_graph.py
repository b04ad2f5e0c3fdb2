"""The graph as a drawing, as a table and as paths between two entities."""

from datetime import timedelta
from itertools import combinations, pairwise
from uuid import UUID

import pytest
from django.urls import reverse
from django.utils import timezone

from accounts.tenancy import tenant
from memory.graph.relations import add_source, relation_source
from memory.graph.resolution import entity_for, find_entity
from memory.models import OWNER, ChangeSet, Drawer, Entity, EntityName, MemoryPreferences, Relation
from memory.pages.graph.drawing import (
    MAX_DRAWN,
    GraphSelection,
    drawing,
    read_relations,
)
from memory.pages.graph.layout import layout
from tests.html import check_page, parse
from tests.memory.graph.people import rows as graph_rows
from tests.memory.pages.forms import HTMX, page, post, refused, submit
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


def rows(client, **query):
    cells = [e for e in parse(page(client, "graph", view="table", **query)).elements if e.tag == "tr"]
    return [" ".join(row.words.split()) for row in cells[1:]]


def test_the_table_shows_relations_with_dates_and_sources_filtered_by_day_and_entity(alice_client, moved):
    rui = Entity.objects.get(name="Rui")
    assert set(rows(alice_client)) == {LISBON, RUI}
    assert set(rows(alice_client, ended="on")) == {LISBON, PORTO, RUI}
    assert reverse("memory:drawer", args=[moved.id]) in page(alice_client, "graph", view="table")
    assert set(rows(alice_client, at="2024-05-07")) == {PORTO, RUI}
    assert rows(alice_client, at="2024-05-05") == []
    assert PORTO not in rows(alice_client, at="2024-05-10")
    assert PORTO in rows(alice_client, at="2024-05-10", ended="on")
    future = timezone.now() + timedelta(days=30)
    relate(moved, "Rui", "lives_in", "Faro", valid_from=future, single_valued=True)
    assert [row for row in rows(alice_client) if "Faro" in row] == []
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
        assert "error" in refused(alice_client, "graph", **query)
    entity = Entity.objects.filter(user_id=moved.user_id).first()
    for entity_id in (entity.id, moved.id):
        assert bob_client.get(reverse("memory:graph", query={"entity": entity_id})).status_code == 404


def marks(client, **query):
    """The names of the drawn entities with the classes of their marks."""
    elements = parse(page(client, "graph", **query)).elements
    nodes = [e for e in elements if e.tag == "a" and e.attributes.get("class", "").startswith("node")]
    return {" ".join(e.words.split()): e.attributes["class"] for e in nodes if "data-s" in e.attributes}


def hidden(client, **query):
    return {name for name, classes in marks(client, **query).items() if "is-off" in classes}


def links(client, **query):
    elements = parse(page(client, "graph", **query)).elements
    return [e.attributes["class"] for e in elements if "data-e" in e.attributes]


def panel(client, **query):
    return page(client, "graph", **query).split("panel-told")[1]


def test_the_drawing_shows_current_and_past_relations_filtered_like_the_table(alice_client, moved):
    ines = Entity.objects.get(name="Ines").id
    assert hidden(alice_client) == {"Porto"}
    assert hidden(alice_client, ended="on") == set()
    assert set(marks(alice_client)) == {"Ines", "Lisbon", "Porto", "Rui"}
    relations = links(alice_client, ended="on")
    assert sorted("is-over" in each for each in relations) == [False, False, True]
    assert [each for each in relations if "is-off" in each] == []
    assert set(marks(alice_client, name="rui", hops=1)) == {"Rui", "Ines"}
    assert len(marks(alice_client, name="rui", hops=2)) == 4
    (chosen,) = (name for name, classes in marks(alice_client, entity=ines).items() if "is-chosen" in classes)
    assert chosen == "Ines"
    assert "Lisbon" in panel(alice_client, entity=ines)

    assert hidden(alice_client, at="2024-05-07") == {"Lisbon"}
    Entity.objects.filter(name__in=("Lisbon", "Porto")).update(type="place")
    assert rows(alice_client, kinds="person") == [RUI]
    assert len(rows(alice_client, kinds=["person", "place"], ended="on")) == 3
    assert hidden(alice_client, kinds="person", ended="on") == {"Lisbon", "Porto"}
    assert page(alice_client, "graph").count('class="is-passed"') == 12
    assert "hx-swap-oob" not in page(alice_client, "graph")
    every = alice_client.get(reverse("memory:points")).text
    assert every.count("data-e=") == 3
    assert 'id="graph-part" hx-swap-oob="delete"' in every


def test_the_owner_is_not_drawn_but_what_relates_to_them_is_marked(alice_client, moved):
    relate(moved, OWNER, "lives_in", "Faro")
    Entity.objects.filter(name=OWNER).update(type=OWNER)
    found = marks(alice_client)
    assert "is-mine" in next(classes for name, classes in found.items() if name.startswith("Faro"))
    assert "is-mine" not in found["Ines"]
    assert len(links(alice_client)) == 3, "the owner is not drawn"
    assert "Faro" in panel(alice_client, entity=Entity.objects.get(type=OWNER).id)


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
    told = next(
        e.words for e in parse(page(alice_client, "graph")).elements if e.attributes.get("class") == "told"
    )
    assert "Pixel is your dog" in " ".join(told.split())
    html = page(alice_client, "entity", Entity.objects.get(name="Kim").id)
    assert ("your teacher" in html, "You know" in html) == (True, False)


def paths(client, **query):
    elements = parse(page(client, "paths", **query)).elements
    cards = [e for e in elements if e.tag == "section" and e.attributes.get("class") == "card"]
    return [" ".join(e.words.split()) for e in cards]


def test_paths_are_shown_with_dates_and_sources_as_of_a_day(alice_client, bob_client, as_alice):
    drawer = file(as_alice.id, ["Rui knew Ines."])[0]
    relate(drawer, "user", "friend_of", "Rui")
    relate(drawer, "Rui", "knows", "Ines", valid_to=MONDAY + timedelta(days=7))
    relate(drawer, "Zoe", "knows", "Yan")
    (path,) = paths(alice_client, start="Me", end="ines")
    assert path.startswith("Rui is your friend said 6 May 2024 source Rui knows Ines")
    assert len(paths(alice_client, start="Ines", end="me", at="2024-05-12")) == 1
    assert paths(alice_client, start="Ines", end="me", at="2024-05-13") == []
    assert "These two are not connected" in page(alice_client, "paths", start="me", end="Zoe")
    assert "not connected in four" not in page(alice_client, "paths")
    wrong = ({"start": "me", "end": "Nobody"}, {"start": "", "end": "Rui"})
    for query in (*wrong, {"start": "me", "end": "Rui", "at": "soon"}):
        for headers in ({}, HTMX):
            response = alice_client.get(reverse("memory:paths", query=query), headers=headers)
            assert "error" in check_page(response, status=422)
    assert "person or thing has that name" in refused(bob_client, "paths", start="Rui", end="Ines")


IDS = [UUID(int=number) for number in range(1, 13)]
CHAIN = [(IDS[0], each) for each in IDS[1:5]] + [(IDS[5], each) for each in IDS[6:9]]


def drawn(drawer, chosen=None):
    return drawing(drawer.user_id, read_relations(drawer.user_id), chosen or GraphSelection())


def names(found):
    return {node.name for node in found.nodes}


def test_connected_entities_are_placed_together_without_overlap_and_others_by_group():
    found = layout(dict.fromkeys(IDS, "Garden"), CHAIN)
    assert sorted(len(patch.members) for patch in found.patches) == [3, 4, 5]
    assert set(found.cells) == set(IDS)
    for (x, y), (other_x, other_y) in combinations(found.cells.values(), 2):
        assert abs(x - other_x) >= 2 or abs(y - other_y) >= 2
    for patch in found.patches:
        inside = [found.cells[key] for key in patch.members]
        assert [
            (x, y) for x, y in inside if not (0 <= x - patch.x < patch.wide and 0 <= y - patch.y < patch.high)
        ] == []
    for one, other in combinations(found.patches, 2):
        beside = one.x + one.wide < other.x or other.x + other.wide < one.x
        assert beside or one.y + one.high < other.y or other.y + other.high < one.y
    assert layout({}, []).patches == []
    found = layout({key: str(number % 2) for number, key in enumerate(IDS)}, [])
    assert [set(patch.members) for patch in found.patches] == [set(IDS[::2]), set(IDS[1::2])]
    ring = list(pairwise([*IDS, IDS[0]]))
    forwards, backwards = dict.fromkeys(IDS, "Garden"), dict.fromkeys(reversed(IDS), "Garden")
    assert layout(backwards, reversed(ring)).cells == layout(forwards, ring).cells


def test_only_live_relations_of_the_user_are_drawn_once_per_pair(moved, bob):
    relation = relate(moved, "Ines", "knows", "Ana")
    relate(moved, "Ana", "works_with", "Ines", valid_from=MONDAY + timedelta(days=1))
    with tenant(bob.id):
        relate(file(bob.id, ["Ines sings."])[0], "Ines", "knows", "Secret")
    Entity.objects.filter(name="Lisbon").update(type="place")
    found = drawn(moved)
    assert names(found) == {"Ines", "Rui", "Ana", "Lisbon", "Porto"}
    assert sorted(link.kind for link in found.links) == ["person", "person", "person", "place"]
    relation.deleted_at = MONDAY
    relation.save(update_fields=["deleted_at"])
    assert len(drawn(moved).links) == 4
    early, late = (drawn(moved, GraphSelection(at=MONDAY + timedelta(days=day))) for day in (0, 20))
    positions = [[(node.name, node.x, node.y) for node in found.nodes] for found in (early, late)]
    assert positions[0] == positions[1], "they do not depend on the time"
    assert {node.name for node in early.nodes if not node.shown} == {"Ana", "Lisbon"}
    assert {node.name for node in late.nodes if not node.shown} == {"Porto"}


def test_a_large_graph_is_limited_to_the_best_connected_and_the_selected_entities(moved):
    for number in range(MAX_DRAWN + 5):
        relate(moved, "Ana", "knows", f"Guest {number} of a very long name")
    relate(moved, "Zita", "knows", "Zoe")
    found = drawn(moved)
    assert (found.shown, found.known) == (MAX_DRAWN, MAX_DRAWN + 12)
    assert found.nodes[0].name == "Ana"
    assert [node for node in found.nodes if len(node.label) > 16] == []
    assert [
        node for node in found.nodes if not (0 < node.x < found.width and 0 < node.y < found.height)
    ] == []
    zita = Entity.objects.get(user_id=moved.user_id, name="Zita")
    assert {"Zita", "Zoe", "Ana"} <= names(drawn(moved, GraphSelection(zita)))
    assert names(drawn(moved, GraphSelection(zita, hops=1))) == {"Zita", "Zoe"}


def test_entities_connected_only_with_the_owner_are_grouped_by_kind_with_captions(as_alice):
    said = "Kim is my teacher, I know Bea, my friend Bea. I speak Thai, I like tea, I live in Rome."
    drawer = file(as_alice.id, [said])[0]
    known = {"valid_from": drawer.said_at + timedelta(days=1), "mined_by": "model", "key": "knows Bea"}
    for words, predicate, name, statement, given in (
        ("my teacher", "acquainted_with", "Kim", "Kim is the user's teacher.", {}),
        ("my friend Bea", "friend_of", "Bea", "Bea is the user's friend.", {}),
        ("I speak Thai", "speaks", "Thai", "The user speaks Thai.", {}),
        ("I like tea", "likes", "tea", "The user likes tea.", {}),
        ("I live in Rome", "lives_in", "Rome", "The user lives in Rome.", {}),
        ("I know Bea", "acquainted_with", "Bea", "The user knows Bea.", known),
    ):
        fields = {"predicate": predicate, "object": name, "key": f"{predicate} {name}"} | given
        learn(drawer, words, statement, **fields)
    found = drawn(drawer)
    assert {node.name: node.words for node in found.nodes} == {
        "Kim": "your teacher",
        "Bea": "your friend",
        "Thai": "you speak it",
        "tea": "you like it",
        "Rome": "you live there",
    }
    assert {area.name for area in found.patches} == {"People", "Languages", "Topics", "Places"}
    assert found.links == ()


TEXTS = ("Inês moved to Lisbon & loves <it>.", "Rui knows Inês.", "Nené left Porto.", "Zoe, too.")


@pytest.fixture
def ines(as_alice):
    """Inês left Porto for Lisbon; Rui knows her, and Zoe knows Rui. Nené is the same person as Inês."""
    said = file(as_alice.id, TEXTS)
    relate(said[0], "Inês", "visits", "Porto")
    _say(said[0], "Inês", "lives_in", "Lisbon", (0, 20))
    relate(said[1], "Rui", "knows", "Inês", valid_from=MONDAY + timedelta(days=1))
    relate(said[1], "Zoe", "knows", "Rui")
    relate(said[2], "Nené", "likes", "fado")
    _say(said[2], "Inês", "visits", "Porto", (0, 16), day=9, ends=True)
    return entity_for(as_alice.id, "Inês", "person")


def _say(drawer, subject, relation, target, span, day=0, **given):
    fields = {"at": MONDAY + timedelta(days=day), "confidence": 0.9, "start": span[0], "end": span[1]} | given
    add_source(relation_source(drawer, (subject, "person"), relation, (target, "person"), **fields))


def main_text(html):
    return " ".join(" ".join(e.words for e in parse(html).elements if e.tag == "main").split())


def test_the_page_shows_relations_with_their_sources_but_does_not_follow_the_owner(
    alice_client, as_alice, ines
):
    html = page(alice_client, "entity", ines.id)
    shown = main_text(html)
    now, before = shown.split("Now", 1)[1].split("Before", 1)
    assert "Relations of Inês, with sources." in shown
    assert f"{reverse('memory:search')}?q=In%C3%AAs" in html
    assert "Forget everything about Inês" in shown
    assert "Inês lives in Lisbon said 6 May 2024" in now
    assert "Rui knows Inês since 7 May 2024" in now
    assert "Inês visits Porto said 6 May 2024, until 15 May 2024" in before
    assert "Inês moved to Lisbon" in now
    assert "ended by" in before
    assert "Until 15 May 2024: Inês visits Porto" in shown
    assert "Said 6 May 2024: Inês lives in Lisbon" in shown
    assert "Since 7 May 2024: Rui knows Inês" in shown
    assert "One step further Zoe" in shown
    assert reverse("memory:drawer", args=[Drawer.objects.get(content=TEXTS[0]).id]) in html
    nemo = entity_for(as_alice.id, "Nemo", "person")
    assert "No current relations." in main_text(page(alice_client, "entity", nemo.id))

    for name in ("Zoe", "Ana"):
        relate(Drawer.objects.get(content=TEXTS[3]), "user", "knows", name)
    owner = main_text(page(alice_client, "entity", find_entity(as_alice.id, "user").id))
    assert ("You know Zoe" in owner, "Rename" in owner) == (True, False)
    assert "Ana" not in main_text(page(alice_client, "entity", find_entity(as_alice.id, "Zoe").id))


CHANGES = [
    ("rename_entity", {"name": "Inês Müller"}, "Inês Müller"),
    ("retype_entity", {"type": "organisation"}, "Organisation"),
    ("name_entity", {"name": "伊内斯"}, "伊内斯"),
    ("detail_entity", {"label": "birthday", "value": "4 May"}, "birthday 4 May"),
    ("merge_entity", {"name": "nené"}, "likes fado"),
    ("split_entity", {"name": "Other Inês", "type": "person"}, "Other Inês"),
]


def test_every_edit_is_shown_and_can_be_undone(alice_client, as_alice, ines):
    before = graph_rows(as_alice)
    for name, data, shown in CHANGES:
        if name == "split_entity":
            data |= {"relations": [str(Relation.objects.get(relation="lives_in").id)]}
        assert post(alice_client, name, ines.id, **data).status_code == 302
        entity = find_entity(as_alice.id, "other inês") or ines
        assert shown in main_text(page(alice_client, "entity", entity.id))
        edit = ChangeSet.objects.get(undone_at=None)
        for outcome in ("Undone.", "That was already undone."):
            assert outcome in submit(alice_client, reverse("memory:undo", args=[edit.batch_id]))
        assert graph_rows(as_alice) == before, name


def test_an_alias_is_removed_with_an_undo(alice_client, as_alice, ines):
    post(alice_client, "name_entity", ines.id, name="Ni")
    alias = EntityName.objects.get(name="Ni")
    url = reverse("memory:unname_entity", args=[ines.id, alias.id])
    assert url in page(alice_client, "entity", ines.id)
    assert alice_client.post(url).status_code == 302
    assert find_entity(as_alice.id, "Ni") is None
    (edit,) = ChangeSet.objects.filter(kind=ChangeSet.Kind.UNNAMED)
    toast = page(alice_client, "palace")
    assert f'action="{reverse("memory:undo", args=[edit.batch_id])}"' in toast
    assert "no such alias" in submit(alice_client, url)


REFUSED = [
    ("rename_entity", {"name": ""}, "required"),
    ("rename_entity", {"name": "Rui"}, "Something else has that name"),
    ("retype_entity", {"type": "ghost"}, "valid choice"),
    ("name_entity", {"name": "Inês"}, "already"),
    ("detail_entity", {"label": "x", "value": ""}, "already"),
    ("merge_entity", {"name": "Nobody"}, "person or thing has that name"),
    ("merge_entity", {"name": "Inês"}, "person or thing has that name"),
    ("merge_entity", {"name": "Paris"}, "Several share that name"),
    ("split_entity", {"name": "X", "type": "person"}, "Choose something"),
    ("split_entity", {"name": "X", "type": "person", "relations": ["x"]}, "valid choice"),
]


def test_invalid_edits_are_explained_beside_the_form(alice_client, as_alice, ines):
    for type_ in ("person", "place"):
        entity_for(as_alice.id, "Paris", type_)
    before = graph_rows(as_alice)
    for name, data, reason in REFUSED:
        for headers in ({}, HTMX):
            url = reverse(f"memory:{name}", args=[ines.id])
            html = check_page(alice_client.post(url, data, headers=headers), status=422)
            assert reason in main_text(html), name
            assert html.count("<details open") == 1
    assert graph_rows(as_alice) == before


def test_an_entity_merged_meanwhile_redirects_to_the_other(alice_client, as_alice, ines):
    paris, city = (entity_for(as_alice.id, "Paris", type_) for type_ in ("person", "place"))
    assert post(alice_client, "merge_entity", ines.id, name="Paris", type="person").status_code == 302
    assert entity_for(as_alice.id, "Paris", "place") == city
    assert entity_for(as_alice.id, "Paris", "person") == ines
    here = reverse("memory:entity", args=[ines.id])
    assert alice_client.get(reverse("memory:entity", args=[paris.id]))["Location"] == here
    assert post(alice_client, "rename_entity", paris.id, name="X")["Location"] == here
    assert "merged into this one in the meantime" in check_page(alice_client.get(here))
    ines.refresh_from_db()
    assert ines.name != "X"
