"""Kinds of rows that only earlier versions exported are restored as entries of the change log."""

import json

import pytest
from uuid_utils.compat import uuid7

from transfer.restoring.archives import LEGACY_CHANGES, upgrade_change
from transfer.restoring.stage import check_line

AT = "2026-03-04T05:06:07+00:00"
ID, OTHER, BATCH = (str(uuid7()) for _ in range(3))
MOVED = {"moved_subjects": [ID], "moved_objects": [OTHER], "names": {BATCH: {"is_alias": False}}}
PLACE = {"id": ID, "kind": "merged", "batch_id": BATCH, "room_id": OTHER, "touched": [OTHER], "details": [{}]}
ENTITY = {"id": ID, "kind": "merged", "entity_id": OTHER, "other_id": BATCH, "details": MOVED}
CLOSED = {"id": ID, "run_id": BATCH, "position": 0, "kind": "closed", "subject": "fact", "subject_id": OTHER}


@pytest.mark.parametrize(
    ("kind", "row", "said"),
    [
        ("palace_edits", PLACE, {"subject": "room", "others": [OTHER], "batch_id": BATCH}),
        ("graph_edits", ENTITY, {"others": [BATCH], "details": {"sources": [ID, OTHER], "names": [BATCH]}}),
        ("graph_edits", ENTITY | {"kind": "retyped", "other_id": None}, {"kind": "rekinded", "others": []}),
        ("consolidation_changes", CLOSED | {"rows": [{"table": "fact"}]}, {"batch_id": BATCH}),
    ],
)
def test_legacy_row_becomes_a_change_without_rows(kind, row, said):
    line = upgrade_change(kind, json.dumps(row | {"at": AT, "undone_at": None}).encode())
    check_line("changes", line, 1)
    made = json.loads(line)
    assert made | said == made
    assert (made["id"], made["subject_id"]) == (ID, OTHER)


@pytest.mark.parametrize("kind", LEGACY_CHANGES)
@pytest.mark.parametrize("line", [b"{}", b"[]", b"null", b"nonsense", b'{"id": 7}'])
def test_malformed_legacy_row_is_refused(kind, line):
    with pytest.raises(ValueError, match=r"."):
        upgrade_change(kind, line)
