"""Ids of another user in the forms and links of pages: the same answer as for unknown ids, and no effect."""

import re
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from uuid import uuid4

import pytest
from django.db import transaction
from django.db.models import F, TextField, Value
from django.db.models.functions import Concat
from django.urls import resolve, reverse

from accounts.tenancy import tenant
from chat.models import Agent, Conversation
from memory.models import Closet, Drawer, Entity, EntityName, Fact, Room, Wing
from tests.attacks.test_pages import OWNED, SHOWN, address, digests_of, objects_of
from tests.memory.pages.forms import HTMX
from tests.memory.palaces import Spot, file
from tests.palace.forms import ID, Form, forms_at
from transfer.models import ImportedChat

MARK = "quagga"
MARKED = {
    Wing: "name",
    Room: "title",
    Closet: "name",
    Drawer: "annotation",
    Entity: "name",
    EntityName: "name",
    Fact: "statement",
    Agent: "name",
    Conversation: "title",
    ImportedChat: "title",
}
FIELDS = {
    *("item", "back", "id", "wing", "fact", "relations", "names"),
    *("entity", "agent", "shown", "chat", "into", "other"),
}
CHANGING_HEADERS = ("X-Request-ID", "Expires", "Last-Modified")
CHANGING = re.compile(r'X-CSRFToken": "\w+"|value="\w{64}"|\d+(?:\.\d+)? m?s\b')


@pytest.fixture
def own(bob, objects):
    """One row of every kind in Bob's palace; those of Alice are marked."""
    for model, name in MARKED.items():
        rows: Any = model
        rows.objects.update(**{name: Concat(Value(f"{MARK} "), F(name), output_field=TextField())})
    with tenant(bob.id):
        return objects_of(bob)


def counterparts(mine, theirs):
    """For each id of one user, its kind and an id of the same kind of another."""
    found = {}
    for model in OWNED:
        ids = []
        for user in (mine, theirs):
            with tenant(user.id):
                rows = model._base_manager.filter(user_id=user.id).order_by("id")
                ids.append([str(each) for each in rows.values_list("id", flat=True)])
        found |= {own: (model.__name__, other) for own, other in zip(*ids, strict=False)}
    return found


def fields_with_ids(client, own, kinds):
    """Forms and links of the pages with a field that holds an id, each kind once."""
    seen = set()
    for form in forms(client, own):
        scope = resolve(form.action).kwargs.get("scope")
        for name, values in form.ids.items():
            for value in values:
                kind = kinds[ID.findall(value)[0]][0] if name != "back" else ""
                key = (form.name, form.method, name, kind, scope, form.values.get("kind"))
                key += (form.pressed,) if kind else ()
                if key not in seen:
                    seen.add(key)
                    yield form, name, value


def forms(client, own):
    ids = own["memory"]
    pages = [
        *(address(name, own) for name in SHOWN),
        *(reverse("memory:change_place", args=[scope, ids[f"{scope}_id"]]) for scope in ("wing", "closet")),
        f"{reverse('forget:preview')}?kind=wing&id={ids['wing_id']}",
        "/go/",
    ]
    for page in pages:
        yield from (*forms_at(client, page, links=True), *forms_at(client, page, headers=HTMX))
    merged, into = str(ids["waiting_fact_id"]), str(ids["fact_id"])  # shown for facts that contradict others
    url = reverse("memory:merge", args=[merged])
    yield Form("memory:merge", url, "post", {"into": into}, ids={"into": [into]})


@dataclass(frozen=True)
class Observed:
    """The answer to a form and to what it redirects to, without ids and times; and Alice's rows after it."""

    told: list[str]
    rows: list[tuple[str, str]] = field(compare=False)


def observe(client, alice, form, headers, **changed):
    """Send a form with nothing left empty, and roll back what it changes."""
    client.cookies.pop("messages", None)
    written = {name: "Flour" for name in form.lengths if not form.values[name]}
    with transaction.atomic():
        answer = form.send(client, follow=True, headers=headers, **written | changed)
        told = [*map(str, answer.redirect_chain), str(answer.status_code), answer.content.decode()]
        told += [f"{name}: {value}" for name, value in answer.headers.items() if name not in CHANGING_HEADERS]
        rows = digests_of(alice)
        transaction.set_rollback(True)
    return Observed(list(map(_lasting, told)), rows)


def _lasting(told):
    return CHANGING.sub("", ID.sub("ID", told))


def test_foreign_ids_in_forms_look_like_unknown_ones_and_change_nothing(
    alice, bob, bob_client, own, subtests
):
    kinds, before = counterparts(bob, alice), digests_of(alice)
    sent, effective = set(), set()
    for form, name, value in list(fields_with_ids(bob_client, own, kinds)):
        mine = ID.findall(value)[0]
        kind, theirs = kinds[mine]
        for headers in ({}, HTMX):
            with subtests.test(form.name, field=name, kind=kind, pressed=form.pressed, htmx=bool(headers)):
                usual, foreign, unknown = (
                    partial(observe, bob_client, alice, form, headers, **{name: value.replace(mine, each)})
                    for each in (mine, theirs, str(uuid4()))
                )
                seen, expected = foreign(), unknown()
                assert seen == expected
                assert seen.rows == expected.rows == before
                assert [each for each in seen.told if MARK in each] == []
                sent.add(name)
                if name not in effective and usual() != expected:
                    effective.add(name)
    assert sent == FIELDS
    assert effective >= FIELDS - {"shown"}, "an own id makes a difference"


def test_pointers_of_others_look_like_unknown_ones(alice, bob_client, own):
    (drawer,) = file(alice.id, [f"A {MARK} that nobody else has."], Spot("Zoo"))
    for url in ("/go/", reverse("memory:search"), reverse("chat:chat")):
        theirs, unknown = (
            re.sub("0*[49]+", "", _lasting(bob_client.get(url, {"q": words}).content.decode()))
            for words in (str(drawer.pointer), "§ W-999/R-01/D-001")
        )
        assert theirs == unknown
        assert MARK not in theirs
