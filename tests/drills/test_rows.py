"""The comparison of rows in drills: lost, duplicated and altered rows make a difference."""

from uuid import uuid4

from django.db import transaction

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


DAMAGES = {
    "a lost drawer": lambda: delete_last(Drawer),
    "a lost fact": lambda: delete_last(Fact),
    "a lost source": lambda: delete_last(FactSource),
    "a lost tombstone": lambda: delete_last(Tombstone),
    "a fact twice": lambda: duplicate(Fact.objects.order_by("id")[0], status="superseded"),
    "a message twice": duplicate_message,
    "a wrong count": lambda: Room.objects.update(drawers_made=99),
    "a wrong end": lambda: Relation.objects.update(valid_to=NOW),
}


def test_damage_is_detected(alice, bob, subtests):
    found = []
    for user in (alice, bob):
        with tenant(user.id):
            converse(user.id, "I live in Porto.", "Noted.", "My sister is called Inês.", external_id="c1")
            mine(user.id)
            delete(user.id, "drawer", Drawer.objects.order_by("pointer_drawer")[1].id, NOW)
            found.append(all_rows_of(user.id))
    assert differences(*found) == []
    for name, damage in DAMAGES.items():
        with subtests.test(name), tenant(bob.id), transaction.atomic():
            damage()
            assert differences(found[0], all_rows_of(bob.id))
            transaction.set_rollback(True)
