import pytest

from accounts.models import User
from accounts.tenancy import tenant
from memory.changes.rows import RowDiff, RowsChanged, images, undo, write
from memory.models import Drawer, Fact, WingName
from tests.memory.consolidation.dumps import dump
from tests.memory.consolidation.facts import add


def test_a_removed_row_is_restored_exactly(as_alice: User, bread: list[Drawer]):
    made = add(
        bread[0],
        "Likes «茶» 🍵 and \\ \" ' {}",
        persons=["Ana, née Ø", "王敏"],
        confidence=0.1 + 0.2,
        review_reason="",
    )
    before = dump(as_alice.id)
    source = made.sources.get()
    rows = [
        RowDiff("memory.fact", made.id, images(as_alice.id, Fact, [made.id])[made.id], None),
        RowDiff(
            "memory.factsource", source.id, images(as_alice.id, type(source), [source.id])[source.id], None
        ),
    ]
    write(as_alice.id, rows)
    assert not Fact.objects.exists()

    undo(as_alice.id, rows)
    assert dump(as_alice.id) == before
    assert Fact.objects.get() == made
    assert Fact.objects.get().confidence == 0.1 + 0.2


def test_nothing_is_written_if_one_row_has_changed(as_alice: User, bread: list[Drawer]):
    one, two = add(bread[0], "Likes tea."), add(bread[0], "Likes milk.")
    rows = [
        RowDiff("memory.fact", one.id, {"times_seen": 1}, {"times_seen": 2}),
        RowDiff("memory.fact", two.id, {"times_seen": 7}, {"times_seen": 8}),
    ]
    with pytest.raises(RowsChanged):
        write(as_alice.id, rows)
    assert set(Fact.objects.values_list("times_seen", flat=True)) == {1}


def test_write_rejects_existing_rows_rows_of_other_users_and_unknown_columns(as_alice, bread, bob):
    made = add(bread[0], "Likes tea.")
    change = RowDiff("memory.fact", made.id, {"times_seen": 1}, {"times_seen": 2})
    for user_id in (bob.id, as_alice.id):
        with tenant(bob.id), pytest.raises(RowsChanged):
            write(user_id, [change])
    name = WingName.objects.get()
    image = images(as_alice.id, WingName, [name.id])[name.id]
    with pytest.raises(RowsChanged):
        write(as_alice.id, [RowDiff("memory.wingname", name.id, None, image)])
    values = {"times_seen = 9; --": 1}
    with pytest.raises(ValueError, match="no column"):
        write(as_alice.id, [RowDiff("memory.fact", made.id, values, values)])
