"""Kinds of rows that only earlier versions exported are restored as entries of the change log."""

import json

import pytest
from uuid_utils.compat import uuid7

from transfer.restoring.archives import LEGACY_CHANGES, upgrade_change, use_current_names
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
        ("graph_edits", ENTITY | {"kind": "retyped", "other_id": None}, {"kind": "retyped", "others": []}),
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


TRACE = [{"parts": {"little": -0.4, "misfit": 0}}]
NEW_TRACE = [{"parts": {"uninformative": -0.4, "negative_feedback": 0}}]
LINK = {"table": "memory.factlink"}
WINDOW = {"method": "rules", "reason": "away"}


@pytest.mark.parametrize(
    ("kind", "row", "now"),
    [
        ("facts", {"mined_by": "rules"}, {"mined_by": "reader"}),
        ("mined_windows", WINDOW, {"method": "reader", "reason": "unavailable"}),
        ("mined_windows", {"reason": "taken_back"}, {"reason": "undone"}),
        ("activity", {"kind": "read_again"}, {"kind": "reextracted"}),
        ("changes", {"kind": "rekinded", "area": "graph"}, {"kind": "retyped", "area": "graph"}),
        ("traces", {"hits": TRACE}, {"hits": NEW_TRACE}),
        ("conversations", {"learn": True, "use_memory": False}, {"mine": True, "recall_memory": False}),
        ("mining_progress", {"gone_at": None}, {"source_deleted_at": None}),
        ("row_changes", LINK | {"before": {"likeness": 0.9}}, LINK | {"before": {"similarity": 0.9}}),
        ("row_changes", {"table": "memory.entity", "after": {"way": 1}}, None),
        ("messages", {"content": "read_again", "kind": "read_again"}, None),
        ("traces", {"trace": {"query": 'my "little": way'}}, None),
        ("facts", {"statement": '"mined_by": "rules"'}, None),
    ],
)
@pytest.mark.parametrize("separators", [(",", ":"), (", ", ": ")])
def test_former_names_become_current_ones_outside_the_users_words(kind, row, now, separators):
    line = json.dumps(row, separators=separators).encode()
    assert json.loads(use_current_names(kind, line)) == (row if now is None else now)
