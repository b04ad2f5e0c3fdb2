"""Restoring an earlier export brings erased words back into no table of the database."""

import pytest

from memory.forgetting.requests import forget_now
from memory.models import Drawer
from tests.chat.test_canaries import (
    CANARY,
    KINDS,
    LATER,
    SAID,
    alice,
    palace,
    places_of,
    planted,
    request_for,
)
from tests.drills.ledger import NOW, converse, mine
from tests.transfer.exporting.furnished import bring, contents, export

__all__ = ["alice", "palace", "planted"]


QUICK = ("room", "entity", "everything")


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=() if kind in QUICK else pytest.mark.drill) for kind in KINDS]
)
def test_restore_does_not_bring_back_forgotten_words(planted, alice, kind):
    archive = export(alice.id)
    forget_now(alice.id, request_for(kind, planted), NOW)
    assert places_of(CANARY) == []
    others = Drawer.objects.count()
    bring(alice, archive)
    assert places_of(CANARY) == []
    assert Drawer.objects.count() == others
    mine(alice.id)
    converse(alice.id, SAID, LATER)
    mine(alice.id)
    bring(alice, archive)
    assert [place for place in places_of(CANARY) if "chat_" not in place] == []


def test_restore_into_an_account_with_tombstones_brings_back_no_forgotten_words(planted, alice, bob):
    """The new export with tombstones is restored first, then the old one."""
    old = export(alice.id)
    forget_now(alice.id, request_for("source", planted), NOW)
    new = export(alice.id)
    assert [name for name, data in contents(new).items() if CANARY.encode() in data] == []
    bring(bob, new)
    bring(bob, old)
    assert places_of(CANARY) == []
