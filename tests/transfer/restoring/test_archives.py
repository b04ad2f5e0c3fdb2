"""Hostile and damaged files are refused with the reason, and nothing of them is restored."""

import io
import json
import struct
import zipfile
from hashlib import sha256

import pytest

from accounts.tenancy import tenant
from chat.models import Conversation
from memory.models import Drawer, Entity, Fact, MinedWindow, Summary
from tests.transfer.exporting.furnished import contents
from tests.transfer.restoring.bringing import bring
from transfer.importing.archives import Limits
from transfer.restoring.archives import RestoreRefused


def packed(files, method=zipfile.ZIP_DEFLATED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


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
    with pytest.raises(RestoreRefused) as refusal:
        bring(user, data, limits=Limits(**limits))
    sentence = str(refusal.value)
    assert sentence.endswith(".")
    with tenant(user.id):
        for model in (Drawer, Fact, Entity, Conversation):
            assert not model.objects.filter(user_id=user.id).exists()
    return sentence


def each(**values):
    return lambda rows: [row | values for row in rows]


def test_single_wing_export_of_an_earlier_version_is_restored(archive, bob):
    earlier = packed(with_manifest(contents(archive), scope="wing"))
    assert bring(bob, earlier).added["drawers"] == 12


def test_obsolete_kinds_are_skipped_and_counted(archive, bob):
    name = "data/saved_searches.jsonl"
    files = contents(archive) | {name: b'{"id": 7}\n'}
    manifest = json.loads(files["manifest.json"])
    manifest["files"].append({"name": name})
    files["manifest.json"] = json.dumps(manifest).encode()
    restored = bring(bob, packed(with_manifest(files)))
    assert (restored.added["drawers"], restored.left_out["saved_searches"]) == (12, 1)


def test_columns_of_earlier_versions_are_ignored(archive, bob):
    earlier = {"conversations": {"is_demo": False}, "settings": {"recipe": "thorough"}}
    for kind, former in {**earlier, "drawers": {"mined_by": "rules"}}.items():
        archive = changed(archive, kind, each(**former))
    assert bring(bob, archive).added["drawers"] == 12


def test_rows_of_the_former_rules_are_attributed_to_the_reader(archive, bob):
    for kind, column in (("facts", "mined_by"), ("mined_windows", "method")):
        archive = changed(archive, kind, each(**{column: "rules"}))
    bring(bob, archive)
    with tenant(bob.id):
        assert {*Fact.objects.values_list("mined_by", flat=True)} == {"reader"}
        assert {*MinedWindow.objects.values_list("method", flat=True)} == {"reader"}


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


@pytest.mark.parametrize("data", [b"", b"hello", b"PK\x03\x04nonsense", json.dumps([1]).encode()], ids=repr)
def test_file_that_is_not_a_zip_is_refused(bob, data):
    assert "not a zip" in refused(bob, data)


def no_export(archive):
    return packed({"conversations.json": b"[]"})


def truncated(archive):
    return archive[: len(archive) // 2]


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


def with_outside_file(archive):
    files = json.loads(contents(archive)["manifest.json"])["files"]
    return manifest(files=[files[0] | {"name": "../agents.jsonl"}, *files[1:]])(archive)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (no_export, "manifest.json"),
        (truncated, ""),
        (flipped, ""),
        (with_false_size, ""),
        (wings(lambda data: data.rstrip(b"\n")), ""),
        (wings(lambda data: data.replace(b"Home", b"Hxme"), consistent=False), "damaged"),
        (wings(lambda data: b" " * (40 * 1024 * 1024) + b"\n"), "far more"),
        (manifest(version=2), "format 2"),
        (manifest(format="other"), "manifest"),
        (manifest(files=7), "manifest"),
        (manifest(more=1), "manifest"),
        (with_outside_file, "does not know"),
    ],
)
def test_damaged_and_malicious_archives_are_refused(archive, bob, make, said):
    assert said in refused(bob, make(archive))


@pytest.mark.parametrize("name", ["../evil", "/etc/passwd", "a/../../b", "..\\evil", "C:\\evil"])
def test_paths_outside_the_archive_are_refused(archive, bob, name):
    assert "outside" in refused(bob, packed({**contents(archive), name: b"x"}))


def test_size_limits_are_enforced(archive, bob):
    assert "larger than" in refused(bob, archive, total_bytes=1000)
    assert "more than 3 files" in refused(bob, archive, members=3)
    assert "lists more files" in refused(bob, archive, directory_bytes=100)
    refused(bob, archive, entry_bytes=50)


def test_ids_of_another_user_do_not_touch_their_rows(furnished, alice, bob):
    with tenant(alice.id):
        before = sorted(Drawer.objects.values_list("id", "content", "annotation"))
    bring(bob, changed(furnished, "drawers", each(annotation="Mine now.")))
    with tenant(alice.id):
        assert sorted(Drawer.objects.values_list("id", "content", "annotation")) == before
    with tenant(bob.id):
        assert set(Drawer.objects.values_list("annotation", flat=True)) == {"Mine now."}
