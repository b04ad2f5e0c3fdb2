"""Everything an owner can have travels: export, restore into an empty account, export again."""

from functools import cache

import pytest
from django.db import connection

from accounts.models import User
from accounts.tenancy import tenant
from llm import current
from llm.fake_gateway import FakeEmbedder
from memory.facts.corrections import disputes_of
from memory.forgetting.receipts import receipt_of
from memory.forgetting.trash import delete, undo
from memory.models import (
    ActivityEvent,
    ChangeSet,
    Drawer,
    Fact,
    Tombstone,
    Wing,
)
from memory.organize import recording
from memory.organize.notes import Note, save_note
from memory.projections.proposing import propose_skills
from memory.projections.skills import skills_by_status
from tests.drills.ledger import converse, mine
from tests.transfer.exporting.furnished import BAKES, LATER, contents, export
from tests.transfer.exporting.lived_in import ERASED, HELD, WASTED, live_in
from tests.transfer.exporting.test_kinds import OWNED
from tests.transfer.restoring.bringing import bring, state
from transfer.exporting.kinds import KINDS, LEFT_OUT


@pytest.fixture
def lived_in(alice):
    with tenant(alice.id):
        live_in(alice.id)
    return alice


@cache
def made_once():
    """The export of a palace that has everything; making it takes long, so it is made once."""
    mira = User.objects.create_user("mira@example.org", "mira-password-1", name="Mira")
    with tenant(mira.id):
        live_in(mira.id)
        return export(mira.id)


@pytest.fixture
def whole(db):
    return made_once()


def rows_by_table(user):
    """How many rows of each owned table of the database are a person's."""
    with tenant(user.id), connection.cursor() as cursor:
        cursor.execute(OWNED)
        counts = {}
        for (table,) in cursor.fetchall():
            cursor.execute(f'SELECT count(*) FROM "{table}" WHERE user_id = %s', [user.id])
            (counts[table],) = cursor.fetchone()
    return counts


def test_there_is_a_row_of_every_kind(whole):
    files = contents(whole)
    assert [kind.name for kind in KINDS if not files[f"data/{kind.name}.jsonl"]] == []


def test_export_restore_export_is_identical(whole, bob):
    bring(bob, whole)
    before = {name: data for name, data in contents(whole).items() if name != "manifest.json"}
    after = state(bob)
    assert {name for name in before if before[name] != after.get(name)} == set()
    assert set(after) == set(before)


def test_every_table_of_the_database_has_its_rows_or_a_reason(lived_in, bob):
    theirs = rows_by_table(lived_in)
    with tenant(lived_in.id):
        whole = export(lived_in.id)
    before = state(lived_in)
    assert bring(lived_in, whole).added == {}
    assert state(lived_in) == before
    bring(bob, whole)
    ours = rows_by_table(bob)
    exported = {kind.table for kind in KINDS}
    assert set(theirs) <= exported | set(LEFT_OUT)
    unlike = {table for table in exported if theirs[table] != ours[table]}
    # Beside its own event the restore leaves out incognito chats, which the furnishing has one of.
    assert unlike == {"memory_activityevent", "chat_conversation", "chat_message"}
    with tenant(bob.id):
        assert ActivityEvent.objects.filter(kind="restored_export").count() == 1


def test_twice_adds_nothing(whole, bob):
    bring(bob, whole)
    before = state(bob)
    again = bring(bob, whole)
    assert (again.added, again.left_out) == ({}, {})
    assert state(bob) == before


def test_into_a_used_account_nothing_is_doubled(whole, bob):
    with tenant(bob.id), current.using(embedder=FakeEmbedder()):
        save_note(bob.id, Note("I was here first.", wing="Odds"), LATER)
        converse(bob.id, "I live in Porto.", "A fine city.", title="Porto")
        mine(bob.id)
        mine_before = Drawer.objects.count()
    first = bring(bob, whole)
    with tenant(bob.id):
        assert Drawer.objects.count() == mine_before + first.added["drawers"]
        assert Wing.objects.filter(name="Odds", merged_into_id=None).count() == 1
        said = list(Drawer.objects.values_list("content", "said_at", "role"))
        assert len(said) == len(set(said))
        places = list(Drawer.objects.values_list("pointer_wing", "pointer_room", "pointer_drawer"))
        assert len(places) == len(set(places))
    before = state(bob)
    assert bring(bob, whole).added == {}
    assert state(bob) == before


@pytest.mark.parametrize("name", ["Haus am Fluß", "Bread"])
def test_each_wing_is_identical_too(whole, alice, bob, name):
    bring(alice, whole)
    with tenant(alice.id):
        wing = Wing.objects.filter(name=name).first() or Drawer.objects.get(content=BAKES).wing
        alone = export(alice.id, wing.id)
    bring(bob, alone)
    with tenant(bob.id):
        again = export(bob.id, wing.id)
    assert contents(again) == contents(alone)
    assert bring(bob, alone).added == {}
    assert bring(bob, whole).added["wings"] >= 1
    assert bring(bob, whole).added == {}


def test_what_was_erased_is_in_no_file_and_stays_forgotten(whole, bob):
    assert [name for name, data in contents(whole).items() if b"Quellnymphe" in data] == []
    bring(bob, whole)
    with tenant(bob.id), current.using(embedder=FakeEmbedder()):
        at = LATER
        converse(bob.id, ERASED, title="Told again", at=at)
        mine(bob.id)
        assert not Drawer.objects.filter(content=ERASED, said_at=at).exists()
        assert Tombstone.objects.exists()


def test_what_can_be_undone_here_can_be_undone_there(whole, bob):
    bring(bob, whole)
    with tenant(bob.id):
        wasted = Drawer.objects.get(content=WASTED)
        undo(bob.id, wasted.deletion_id, LATER)
        assert receipt_of(bob.id, wasted.deletion_id).undone_at == LATER
        assert Drawer.objects.live().filter(id=wasted.id).exists()
        for kind in ("moved", "merged"):
            edit = ChangeSet.objects.get(kind=kind)
            recording.undo(bob.id, edit.batch_id, LATER)
        assert Wing.objects.get(name="Me").merged_into_id is None
        held = Drawer.objects.get(content__startswith=HELD)
        assert disputes_of(bob.id, [held.id])[held.id].facts == 1


def test_nothing_is_proposed_or_noticed_again(whole, bob):
    bring(bob, whole)
    with tenant(bob.id):
        assert propose_skills(bob.id, None, LATER) == 0
        assert skills_by_status(bob.id, "proposed").items[0].text.goal == "Deploy"


def test_a_fact_deleted_by_its_owner_does_not_return(whole, bob):
    bring(bob, whole)
    with tenant(bob.id):
        gone = Fact.objects.get(statement="The user sings badly.")
        assert gone.deleted_by_owner
        assert Tombstone.objects.filter(kind="fact").exists()


def test_what_is_forgotten_after_the_export_stays_so(whole, bob):
    bring(bob, whole)
    with tenant(bob.id):
        wing = Drawer.objects.get(content__startswith=HELD).wing_id
        delete(bob.id, "wing", wing, LATER)
        before = set(Drawer.objects.values_list("id", "deletion_id"))
        facts = Fact.objects.filter(deleted_at=None).count()
    assert bring(bob, whole).added == {}
    with tenant(bob.id):
        assert set(Drawer.objects.values_list("id", "deletion_id")) == before
        assert Fact.objects.filter(deleted_at=None).count() == facts
