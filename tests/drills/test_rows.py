"""The comparison of rows in drills: lost, duplicated and altered rows make a difference."""

from uuid import uuid4

import pytest

from accounts.tenancy import tenant
from chat.models import Message
from memory.forgetting.trash import delete
from memory.models import Drawer, Fact, FactSource, Relation, Room, Tombstone
from tests.drills.kills import all_rows_of
from tests.drills.ledger import NOW, converse, mine
from tests.drills.rows import differences


def delete_last(table):
    table._default_manager.filter(id=table._default_manager.order_by("id").last().id).delete()


def duplicate(row, **changes):
    for name, value in {"id": uuid4(), **changes}.items():
        setattr(row, name, value)
    row.save(force_insert=True)


def duplicate_message():
    last = Message.objects.order_by("-sequence")[0]
    duplicate(last, sequence=last.sequence + 1, parent_sequence=last.sequence)


@pytest.mark.parametrize(
    "damage",
    [
        lambda: delete_last(Drawer),
        lambda: delete_last(Fact),
        lambda: delete_last(FactSource),
        lambda: delete_last(Tombstone),
        lambda: duplicate(Fact.objects.order_by("id")[0], status="superseded"),
        duplicate_message,
        lambda: Room.objects.update(drawers_made=99),
        lambda: Relation.objects.update(valid_to=NOW),
    ],
)
def test_damage_is_detected(alice, bob, damage):
    found = []
    for user in (alice, bob):
        with tenant(user.id):
            converse(user.id, "I live in Porto.", "Noted.", "My sister is called Inês.", external_id="c1")
            mine(user.id)
            delete(user.id, "drawer", Drawer.objects.order_by("pointer_drawer")[1].id, NOW)
            found.append(all_rows_of(user.id))
    assert differences(*found) == []
    with tenant(bob.id):
        damage()
        assert differences(found[0], all_rows_of(bob.id))
