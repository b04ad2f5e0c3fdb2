import io
import json

import pytest
from django.core.management import CommandError, call_command

from accounts.tenancy import tenant
from chat.models import Message
from memory.drawers import pointer_of
from memory.models import Drawer
from tests.drills.ledger import converse, mine


@pytest.fixture(autouse=True)
def palace(alice, embedder):
    with tenant(alice.id):
        converse(alice.id, "My sister Olga lives in Kyiv.", "How nice.")
        mine(alice.id)


def run(*words):
    out = io.StringIO()
    call_command("forget", *words, "--user", "alice@example.org", stdout=out)
    return out.getvalue()


def drawers(alice):
    with tenant(alice.id):
        return Drawer.objects.live().count()


def test_a_drawer_is_deleted_by_its_pointer_after_confirmation_and_restored(alice):
    assert "Messages and notes, word for word" in run("everything")
    assert drawers(alice) == 2
    with tenant(alice.id):
        pointer = str(pointer_of(Drawer.objects.get(content__contains="Olga")))
    done = json.loads(run("drawer", pointer, "--yes", "--json"))
    assert drawers(alice) == 1
    assert done["counts"]["drawers"] == 1
    assert "Undone" in run("--undo", done["receipt"])
    assert drawers(alice) == 2


@pytest.mark.parametrize(("scope", "which"), [("entity", "olga"), ("dates", "2031-02-03")])
def test_erasing_now_searches_for_what_is_left(alice, scope, which):
    assert "none is left" in run(scope, which, "--yes", "--now")
    with tenant(alice.id):
        assert not Message.objects.filter(content__contains="Olga").exists()


def test_refusals_are_one_sentence():
    for words in (
        (),
        ("wing",),
        ("wing", "Nowhere"),
        ("drawer", "not a pointer"),
        ("dates", "soon"),
        ("project", "Nothing"),
        ("--undo", "01a1febb-9a0d-76f8-95c3-ef13c767beca"),
    ):
        with pytest.raises(CommandError) as refused:
            run(*words)
        assert str(refused.value).endswith(".")
