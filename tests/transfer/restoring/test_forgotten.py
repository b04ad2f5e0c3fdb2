"""What is forgotten for good does not come back with an earlier export, in no table of the database."""

import pytest

from memory.forgetting.requests import forget_now
from memory.models import Drawer
from tests.chat.test_canaries import CANARY, KINDS, LATER, SAID, alice, palace, places_of, planted, wanted
from tests.drills.ledger import NOW, converse, mine
from tests.transfer.exporting.furnished import contents, export
from tests.transfer.restoring.bringing import bring

__all__ = ["alice", "palace", "planted"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_restore_brings_no_word_of_it_back(planted, alice, kind):
    archive = export(alice.id)
    forget_now(alice.id, wanted(kind, planted), NOW)
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


def test_nor_into_another_account_that_has_forgotten_it(planted, alice, bob):
    """An old export and a new one, restored in the wrong order, and then in the right one."""
    old = export(alice.id)
    forget_now(alice.id, wanted("source", planted), NOW)
    new = export(alice.id)
    assert [name for name, data in contents(new).items() if CANARY.encode() in data] == []
    bring(bob, new)
    bring(bob, old)
    assert places_of(CANARY) == []
