"""An entity's page shows its relations with their sources, and its edits can be undone."""

from datetime import timedelta

import pytest
from django.urls import reverse

from memory.graph.relations import add_source, relation_source
from memory.graph.resolution import entity_for, find_entity
from memory.models import ChangeSet, Drawer, EntityName, Relation
from tests.html import check_page, parse
from tests.memory.graph.people import rows
from tests.memory.pages.forms import page
from tests.memory.palaces import MONDAY, file, relate

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


def change(client, view, entity, /, **data):
    return client.post(reverse(f"memory:{view}", args=[entity.id]), data)


def main_text(html):
    return " ".join(" ".join(e.words for e in parse(html).elements if e.tag == "main").split())


def test_the_page_shows_current_and_past_relations_with_their_sources(alice_client, as_alice, ines):
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


def test_the_owner_is_shown_as_you_and_not_followed_to_other_entities(alice_client, as_alice, ines):
    relate(Drawer.objects.get(content=TEXTS[3]), "user", "knows", "Zoe")
    relate(Drawer.objects.get(content=TEXTS[3]), "user", "knows", "Ana")
    owner, zoe = find_entity(as_alice.id, "user"), find_entity(as_alice.id, "Zoe")

    assert "You know Zoe" in main_text(page(alice_client, "entity", owner.id))
    assert "Rename" not in main_text(page(alice_client, "entity", owner.id))
    assert "Ana" not in main_text(page(alice_client, "entity", zoe.id))


CHANGES = [
    ("rename_entity", {"name": "Inês Müller"}, "Inês Müller"),
    ("retype_entity", {"type": "organisation"}, "Organisation"),
    ("name_entity", {"name": "伊内斯"}, "伊内斯"),
    ("detail_entity", {"label": "birthday", "value": "4 May"}, "birthday 4 May"),
    ("merge_entity", {"name": "nené"}, "likes fado"),
]


def test_every_edit_is_shown_and_can_be_undone(alice_client, as_alice, ines):
    before = rows(as_alice)
    for name, data, shown in CHANGES:
        assert change(alice_client, name, ines, **data).status_code == 302
        assert shown in main_text(page(alice_client, "entity", ines.id))
        undo_last(alice_client)
        assert rows(as_alice) == before, name

    home = Relation.objects.get(relation="lives_in")
    data = {"name": "Other Inês", "type": "person", "relations": [str(home.id)]}
    assert change(alice_client, "split_entity", ines, **data).status_code == 302
    other = find_entity(as_alice.id, "other inês")
    assert "Other Inês lives in Lisbon" in main_text(page(alice_client, "entity", other.id))
    undo_last(alice_client)
    assert rows(as_alice) == before


def undo_last(client):
    edit = ChangeSet.objects.get(undone_at=None)
    undone = client.post(reverse("memory:undo", args=[edit.batch_id]), follow=True)
    assert "Undone." in check_page(undone)
    again = client.post(reverse("memory:undo", args=[edit.batch_id]), follow=True)
    assert "That was already undone." in check_page(again)


def test_an_alias_can_be_removed(alice_client, as_alice, ines):
    change(alice_client, "name_entity", ines, name="Ni")
    alias = EntityName.objects.get(name="Ni")
    url = reverse("memory:unname_entity", args=[ines.id, alias.id])
    assert url in page(alice_client, "entity", ines.id)
    assert alice_client.post(url).status_code == 302
    assert find_entity(as_alice.id, "Ni") is None
    (edit,) = ChangeSet.objects.filter(kind=ChangeSet.Kind.UNNAMED)
    toast = page(alice_client, "palace")
    assert f'action="{reverse("memory:undo", args=[edit.batch_id])}"' in toast
    assert "no such alias" in check_page(alice_client.post(url, follow=True))


REFUSED = [
    ("rename_entity", {"name": ""}, "required"),
    ("rename_entity", {"name": "Rui"}, "Something else has that name"),
    ("retype_entity", {"type": "ghost"}, "valid choice"),
    ("name_entity", {"name": "Inês"}, "already"),
    ("detail_entity", {"label": "x", "value": ""}, "already"),
    ("merge_entity", {"name": "Nobody"}, "person or thing has that name"),
    ("merge_entity", {"name": "Inês"}, "person or thing has that name"),
    ("split_entity", {"name": "X", "type": "person"}, "Choose something"),
    ("split_entity", {"name": "X", "type": "person", "relations": ["x"]}, "valid choice"),
]


def test_invalid_edits_are_explained_beside_the_form(alice_client, as_alice, ines):
    before = rows(as_alice)
    for name, data, reason in REFUSED:
        for headers in ({}, {"HX-Request": "true"}):
            url = reverse(f"memory:{name}", args=[ines.id])
            html = check_page(alice_client.post(url, data, headers=headers), status=422)
            assert reason in main_text(html), name
            assert html.count("<details open") == 1
    assert rows(as_alice) == before


def test_namesakes_are_distinguished_by_type_and_a_merged_entity_redirects(alice_client, as_alice, ines):
    for type_ in ("person", "place"):
        entity_for(as_alice.id, "Paris", type_)
    ambiguous = change(alice_client, "merge_entity", ines, name="Paris")
    assert "Several share that name" in check_page(ambiguous, status=422)
    paris = entity_for(as_alice.id, "Paris", "person")
    assert change(alice_client, "merge_entity", ines, name="Paris", type="person").status_code == 302
    assert entity_for(as_alice.id, "Paris", "place").name == "Paris"
    assert entity_for(as_alice.id, "Paris", "person") == ines

    here = reverse("memory:entity", args=[ines.id])
    assert alice_client.get(reverse("memory:entity", args=[paris.id]))["Location"] == here
    answer = change(alice_client, "rename_entity", paris, name="X")
    assert answer["Location"] == here
    assert "merged into this one in the meantime" in check_page(alice_client.get(here))
    ines.refresh_from_db()
    assert ines.name != "X"
