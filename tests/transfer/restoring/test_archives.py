"""Hostile and damaged files are refused with the reason, and nothing of them is restored. Rows of earlier
versions are."""

import io
import json
import struct
import zipfile
from hashlib import sha256

import pytest
from uuid_utils.compat import uuid7

from accounts.tenancy import tenant
from chat.models import Conversation
from memory.models import Drawer, Entity, Fact, MinedWindow, Summary
from tests.transfer.exporting.furnished import bring, contents
from tests.transfer.importing.exports import as_zip
from transfer.importing.archives import FileRefused, Limits
from transfer.restoring.archives import LEGACY_CHANGES, upgrade_change, use_current_names
from transfer.restoring.stage import check_line


def packed(files):
    return as_zip(files).getvalue()


def changed(archive, kind, change):
    """The archive with changed rows of a kind and a matching manifest."""
    files = contents(archive)
    name = f"data/{kind}.jsonl"
    rows = [json.loads(line) for line in files[name].splitlines()]
    files[name] = b"".join(json.dumps(row).encode() + b"\n" for row in change(rows))
    return packed(with_manifest(files))


def with_manifest(files, **changes):
    manifest = json.loads(files["manifest.json"]) | changes
    for file in manifest["files"]:
        data = files[file["name"]]
        file |= {"rows": data.count(b"\n"), "bytes": len(data), "sha256": sha256(data).hexdigest()}
    return {**files, "manifest.json": json.dumps(manifest).encode()}


def refused(user, data, **limits):
    with pytest.raises(FileRefused) as refusal:
        bring(user, data, limits=Limits(**limits))
    sentence = str(refusal.value)
    assert sentence.endswith(".")
    with tenant(user.id):
        for model in (Drawer, Fact, Entity, Conversation):
            assert not model.objects.filter(user_id=user.id).exists()
    return sentence


FORMER = {
    "conversations": {"is_demo": False},
    "settings": {"recipe": "thorough"},
    "drawers": {"mined_by": "rules"},
    "facts": {"mined_by": "rules"},
    "mined_windows": {"method": "rules"},
}


OUTSIDE = {"name": "../agents.jsonl", "rows": 0, "bytes": 0, "sha256": "0" * 64}


def each(**values):
    return lambda rows: [row | values for row in rows]


def test_export_of_an_earlier_version_is_restored(archive, bob):
    """With a scope, obsolete kinds and columns, and what the former rules extracted."""
    for kind, former in FORMER.items():
        archive = changed(archive, kind, each(**former))
    name = "data/saved_searches.jsonl"
    files = contents(archive) | {name: b'{"id": 7}\n'}
    manifest = json.loads(files["manifest.json"])
    files["manifest.json"] = json.dumps(manifest | {"files": [*manifest["files"], {"name": name}]})
    restored = bring(bob, packed(with_manifest(files, scope="wing")))
    assert (restored.added["drawers"], restored.left_out["saved_searches"]) == (12, 1)
    with tenant(bob.id):
        assert {*Fact.objects.values_list("mined_by", flat=True)} == {"reader"}
        assert {*MinedWindow.objects.values_list("method", flat=True)} == {"reader"}


WING = (
    "wings wing_names rooms closets drawers entities entity_names relations relation_sources facts "
    "fact_sources fact_endings fact_versions fact_links summaries tombstones"
)


def test_export_of_a_single_wing_by_an_earlier_version_is_restored(archive, bob):
    """It lacks the files of chats, settings, and more."""
    files = contents(archive)
    manifest = json.loads(files["manifest.json"])
    kept = [file for file in manifest["files"] if file["name"][5:-6] in WING.split()]
    manifest = json.dumps(manifest | {"files": kept, "scope": "wing"}).encode()
    restored = bring(bob, packed(files | {"manifest.json": manifest}))
    assert (restored.added["drawers"], restored.left_out) == (12, {})


@pytest.mark.parametrize(
    ("shown_at", "retired_at", "kept"),
    [
        ("2026-01-01T00:00:00Z", None, True),
        (None, None, False),
        ("2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z", False),
    ],
)
def test_only_summaries_shown_by_an_earlier_version_are_restored(archive, bob, shown_at, retired_at, kept):
    bring(bob, changed(archive, "summaries", each(shown_at=shown_at, retired_at=retired_at)))
    with tenant(bob.id):
        assert Summary.objects.exists() is kept


@pytest.mark.parametrize(
    ("kind", "change", "said"),
    [
        ("drawers", each(content="Other words."), "digest"),
        ("drawers", each(said_at="99999-01-01T00:00:00Z"), "said_at"),
        ("drawers", each(said_at="2024-01-01"), "said_at"),
        ("drawers", each(said_at="0001-01-01T00:00:00+00:00"), "said_at"),
        ("drawers", each(id="not an id"), "id"),
        ("drawers", each(role="system"), "role"),
        ("drawers", each(pointer_wing=-1), "pointer_wing"),
        ("drawers", each(pointer_wing=2**31), "pointer_wing"),
        ("drawers", each(content_hash="\\xff"), "content_hash"),
        ("drawers", each(user_id="00000000-0000-0000-0000-000000000001"), "does not know"),
        ("drawers", each(room_id="00000000-0000-0000-0000-000000000001"), "does not hold"),
        ("drawers", each(pointer_wing=1, pointer_room=1, pointer_drawer=1), "conflicts"),
        ("drawers", lambda rows: [*rows, rows[0]], "twice"),
        ("drawers", lambda rows: [{k: v for k, v in rows[0].items() if k != "content"}], "content"),
        ("facts", each(confidence=7), "restored"),
        ("facts", each(statement="x" * 1001), "statement"),
        ("facts", each(status="true"), "status"),
        ("fact_sources", each(end=10**6), "outside"),
        ("fact_sources", each(start=5, end=5), "outside"),
        ("relation_sources", each(end=10**6), "outside"),
        ("relations", each(valid_to="1900-01-01T00:00:00Z"), "conflicts"),
        ("messages", each(sequence=1, parent_sequence=None), "one place"),
        ("messages", each(parent_sequence=9), "order"),
        ("messages", each(content="a\x00b"), "cannot be stored"),
        ("conversations", each(incognito=True), "incognito"),
        ("settings", each(time_zone="../../etc/passwd"), "time zone"),
        ("settings", each(top_k=1000), "top_k"),
        ("wings", lambda rows: [], "does not hold"),
        ("settings", lambda rows: rows * 2, "twice"),
    ],
)
def test_invalid_rows_are_refused(archive, bob, kind, change, said):
    assert said in refused(bob, changed(archive, kind, change))


@pytest.mark.parametrize("line", [b"{", b"[]", b"null", b"[" * 100_000, b'{"a": ' * 50_000, b"\xff"])
def test_malformed_lines_are_refused(archive, bob, line):
    files = contents(archive) | {"data/wings.jsonl": line + b"\n"}
    assert "line 1 of data/wings.jsonl" in refused(bob, packed(with_manifest(files)))


def flipped(archive):
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        place = opened.getinfo("data/drawers.jsonl").header_offset + 200
    return archive[:place] + bytes([archive[place] ^ 255]) + archive[place + 1 :]


def with_false_size(archive):
    """An archive whose directory understates the size of a file."""
    data = bytearray(packed(with_manifest(contents(archive))))
    place = data.rindex(b"data/drawers.jsonl") - 46
    data[place + 24 : place + 28] = struct.pack("<I", 10)
    return bytes(data)


def wings(change, consistent=True):
    """Return a function that changes the bytes of the wings file."""

    def make(archive):
        files = contents(archive)
        files["data/wings.jsonl"] = change(files["data/wings.jsonl"])
        return packed(with_manifest(files) if consistent else files)

    return make


def manifest(**changes):
    """Return a function that changes the manifest."""

    def make(archive):
        files = contents(archive)
        other = json.loads(files["manifest.json"]) | changes
        return packed(files | {"manifest.json": json.dumps(other).encode()})

    return make


@pytest.mark.parametrize(
    ("make", "said"),
    [
        *((lambda archive, data=data: data, "not a zip") for data in (b"", b"hello", b"PK\x03\x04nonsense")),
        (lambda archive: packed(contents(archive) | {"../evil": b"x"}), "outside"),
        (lambda archive: packed({"conversations.json": b"[]"}), "manifest.json"),
        (lambda archive: archive[: len(archive) // 2], ""),
        (flipped, ""),
        (with_false_size, ""),
        (wings(lambda data: data.rstrip(b"\n")), ""),
        (wings(lambda data: data.replace(b"Home", b"Hxme"), consistent=False), "damaged"),
        (wings(lambda data: b" " * (40 * 1024 * 1024) + b"\n"), "far more"),
        (manifest(version=2), "format 2"),
        (manifest(format="other"), "manifest"),
        (manifest(files=7), "manifest"),
        (manifest(more=1), "manifest"),
        (manifest(files=[OUTSIDE]), "does not know"),
    ],
)
def test_damaged_and_malicious_archives_are_refused(archive, bob, make, said):
    assert said in refused(bob, make(archive))


def test_size_limits_are_enforced(archive, bob):
    assert "larger than" in refused(bob, archive, total_bytes=1000)
    assert "more than 3 files" in refused(bob, archive, members=3)
    assert "lists more files" in refused(bob, archive, directory_bytes=100)
    refused(bob, archive, entry_bytes=50)


def test_ids_of_another_user_do_not_touch_their_rows(furnished, alice, bob):
    def notes(user):
        with tenant(user.id):
            return dict(Drawer.objects.values_list("id", "annotation"))

    before = notes(alice)
    bring(bob, changed(furnished, "drawers", each(annotation="Mine now.")))
    assert notes(alice) == before
    assert set(notes(bob).values()) == {"Mine now."}


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
