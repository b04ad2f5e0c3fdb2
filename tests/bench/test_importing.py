"""The export that imports are measured with is one that the product reads, as large as was asked."""

from bench.importing import TURNS, write_export
from chat.importing.preview import summarise
from chat.importing.reading import read_entries
from tests.drills.ledger import NOW


def test_a_made_export_has_as_many_messages_as_asked_for(tmp_path):
    path = tmp_path / "export.json"
    write_export(path, 100, 0, NOW)
    found = summarise(read_entries(path))
    assert (found.conversations, found.messages) == (100 // TURNS, 100)
    assert (found.broken_entries, found.branches, found.repairs) == (0, 0, {})


def test_messages_can_be_made_long(tmp_path):
    path = tmp_path / "export.json"
    write_export(path, 40, 3000, NOW)
    lengths = [len(each.content) for chat in read_entries(path) for each in chat.messages]
    assert len(lengths) == 40
    assert set(lengths) == {3000}
