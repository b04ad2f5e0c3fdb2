"""A hostile or damaged file is refused with a sentence, and nothing of it is restored."""

import io
import json
import struct
import zipfile
from hashlib import sha256

import pytest

from accounts.tenancy import tenant
from chat.models import Conversation
from memory.models import Drawer, Entity, Fact
from tests.transfer.exporting.furnished import LATER, contents
from transfer.importing.archives import Limits
from transfer.restoring.archives import RestoreRefused
from transfer.restoring.restoring import Wanted, restore


def packed(files, method=zipfile.ZIP_DEFLATED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


def changed(archive, kind, change):
    """The archive with other rows of a kind, and a manifest that fits them."""
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


def bring(user, data, limits=None):
    with tenant(user.id):
        given = {"limits": limits} if limits else {}
        return restore(Wanted(user.id, LATER, **given), io.BytesIO(data))


def refused(user, data, limits=None):
    with pytest.raises(RestoreRefused) as refusal:
        bring(user, data, limits)
    sentence = str(refusal.value)
    assert sentence.endswith(".")
    with tenant(user.id):
        for model in (Drawer, Fact, Entity, Conversation):
            assert not model.objects.filter(user_id=user.id).exists()
    return sentence


def each(**values):
    return lambda rows: [row | values for row in rows]


def test_the_helper_itself_changes_nothing(archive, as_bob):
    assert bring(as_bob, changed(archive, "drawers", lambda rows: rows)).added["drawers"] == 12


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
        ("drawers", each(pointer_wing=1, pointer_room=1, pointer_drawer=1), "one pointer"),
        ("drawers", lambda rows: [*rows, rows[0]], "twice"),
        ("drawers", lambda rows: [{k: v for k, v in rows[0].items() if k != "content"}], "content"),
        ("facts", each(confidence=7), "restored"),
        ("facts", each(statement="x" * 1001), "statement"),
        ("facts", each(status="true"), "status"),
        ("fact_sources", each(end=10**6), "outside"),
        ("fact_sources", each(start=5, end=5), "outside"),
        ("relation_sources", each(end=10**6), "outside"),
        ("relations", each(valid_to="1900-01-01T00:00:00Z"), "before it begins"),
        ("messages", each(sequence=1, parent_sequence=None), "one place"),
        ("messages", each(parent_sequence=9), "order"),
        ("messages", each(content="a\x00b"), "cannot be kept"),
        ("conversations", each(incognito=True), "incognito"),
        ("settings", each(time_zone="../../etc/passwd"), "time zone"),
        ("settings", each(top_k=1000), "top_k"),
        ("wings", lambda rows: [], "does not hold"),
        ("settings", lambda rows: rows * 2, "twice"),
    ],
)
def test_rows_that_cannot_be(archive, as_bob, kind, change, said):
    assert said in refused(as_bob, changed(archive, kind, change))


@pytest.mark.parametrize("line", [b"{", b"[]", b"null", b"[" * 100_000, b'{"a": ' * 50_000, b"\xff"])
def test_lines_that_are_no_rows(archive, as_bob, line):
    files = contents(archive)
    files["data/wings.jsonl"] = line + b"\n"
    assert "line 1 of data/wings.jsonl" in refused(as_bob, packed(with_manifest(files)))


def test_a_row_without_end(archive, as_bob):
    files = contents(archive)
    files["data/wings.jsonl"] = files["data/wings.jsonl"].rstrip(b"\n")
    refused(as_bob, packed(with_manifest(files)))


@pytest.mark.parametrize("data", [b"", b"hello", b"PK\x03\x04nonsense", json.dumps([1]).encode()], ids=repr)
def test_what_is_no_zip(as_bob, data):
    assert "not a zip" in refused(as_bob, data)


def test_a_zip_of_something_else(as_bob):
    assert "manifest.json" in refused(as_bob, packed({"conversations.json": b"[]"}))


def test_a_file_that_breaks_off(archive, as_bob):
    refused(as_bob, archive[: len(archive) // 2])


def test_a_byte_that_is_another(archive, as_bob):
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        place = opened.getinfo("data/drawers.jsonl").header_offset + 200
    broken = archive[:place] + bytes([archive[place] ^ 255]) + archive[place + 1 :]
    refused(as_bob, broken)


def test_rows_that_the_manifest_does_not_vouch_for(archive, as_bob):
    files = contents(archive)
    line = files["data/wings.jsonl"]
    files["data/wings.jsonl"] = line.replace(b"Home", b"Hxme")
    assert "damaged" in refused(as_bob, packed(files))


def test_another_version(archive, as_bob):
    files = with_manifest(contents(archive), version=2)
    assert "format 2" in refused(as_bob, packed(files))


@pytest.mark.parametrize("changes", [{"format": "other"}, {"files": 7}, {"more": 1}])
def test_a_manifest_that_is_none(archive, as_bob, changes):
    files = contents(archive)
    manifest = json.loads(files["manifest.json"]) | changes
    files["manifest.json"] = json.dumps(manifest).encode()
    assert "manifest" in refused(as_bob, packed(files))


@pytest.mark.parametrize("name", ["../evil", "/etc/passwd", "a/../../b", "..\\evil", "C:\\evil"])
def test_paths_that_lead_out(archive, as_bob, name):
    assert "outside" in refused(as_bob, packed({**contents(archive), name: b"x"}))


def test_a_manifest_that_names_files_elsewhere(archive, as_bob):
    files = contents(archive)
    manifest = json.loads(files["manifest.json"])
    manifest["files"][0]["name"] = "../agents.jsonl"
    files["manifest.json"] = json.dumps(manifest).encode()
    assert "does not know" in refused(as_bob, packed(files))


def test_a_zip_bomb(archive, as_bob):
    files = contents(archive)
    files["data/wings.jsonl"] = b" " * (40 * 1024 * 1024) + b"\n"
    assert "far more" in refused(as_bob, packed(with_manifest(files)))


def test_more_than_may_be(archive, as_bob):
    assert "larger than" in refused(as_bob, archive, Limits(total_bytes=1000))
    assert "more than 3 files" in refused(as_bob, archive, Limits(members=3))
    assert "lists more files" in refused(as_bob, archive, Limits(directory_bytes=100))
    refused(as_bob, archive, Limits(entry_bytes=50))


def test_a_size_that_lies(archive, as_bob):
    """The directory says that a file is small, and it is not."""
    files = with_manifest(contents(archive))
    data = bytearray(packed(files))
    place = data.rindex(b"data/drawers.jsonl") - 46
    data[place + 24 : place + 28] = struct.pack("<I", 10)
    refused(as_bob, bytes(data))


def test_ids_of_somebody_else_lead_to_nothing_of_theirs(archive, alice, as_bob):
    with tenant(alice.id):
        before = sorted(Drawer.objects.values_list("id", "content", "annotation"))
    bring(as_bob, changed(archive, "drawers", each(annotation="Mine now.")))
    with tenant(alice.id):
        assert sorted(Drawer.objects.values_list("id", "content", "annotation")) == before
    with tenant(as_bob.id):
        assert set(Drawer.objects.values_list("annotation", flat=True)) == {"Mine now."}
