"""Opens an export, validates its structure, and yields its rows."""

import json
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO
from uuid import UUID

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from pydantic import ValidationError

from transfer.exporting.kinds import BY_NAME, Kind
from transfer.exporting.writing import (
    MANIFEST_NAME,
    MAX_MANIFEST_BYTES,
    VERSION,
    FileEntry,
    Manifest,
    file_of,
)
from transfer.importing.archives import (
    DAMAGE,
    BoundedReader,
    FileRefused,
    Limits,
    check_member_names,
    check_member_sizes,
)

Row = Mapping[str, Any]
CHANGES = "changes"
_PLACES = ("wing", "room", "closet", "drawer")


def upgrade_change(kind_name: str, line: bytes) -> bytes:
    """Convert a row of an earlier kind to an entry of the change log, as JSON. Raises ValueError."""
    try:
        return json.dumps(LEGACY_CHANGES[kind_name](json.loads(line))).encode()
    except (AttributeError, KeyError, RecursionError, StopIteration, TypeError) as error:
        raise ValueError(kind_name) from error


def _of_palace(row: Row) -> Row:
    subject = next(each for each in _PLACES if row.get(f"{each}_id"))
    placed = {"subject": subject, "subject_id": row[f"{subject}_id"], "others": row.get("touched", [])}
    return _change("palace", row, row["batch_id"], row["at"]) | placed


def _of_graph(row: Row) -> Row:
    others = [row["other_id"]] if row.get("other_id") else []
    made = _change("graph", row, row["id"], row["at"])
    made |= {"subject": "entity", "subject_id": row["entity_id"], "others": others}
    if row["kind"] == "merged":
        was = row["details"]
        sources = [*was["moved_subjects"], *was["moved_objects"]]
        made["details"] = {"sources": sources, "names": list(was["names"])}
    return made


def _of_consolidation(row: Row) -> Row:
    made_at = datetime.fromtimestamp((UUID(row["id"]).int >> 80) / 1000, UTC).isoformat()
    kept = {"subject": row["subject"], "subject_id": row["subject_id"]}
    kept |= {"others": row.get("others", []), "details": row.get("details", {})}
    return _change("consolidation", row, row["run_id"], made_at) | kept


def _change(area: str, row: Row, batch_id: str, made_at: str) -> dict[str, Any]:
    made = {"id": row["id"], "area": area, "kind": row["kind"], "batch_id": batch_id, "made_at": made_at}
    return made | {"undone_at": row.get("undone_at")}


LEGACY_CHANGES: Mapping[str, Callable[[Row], Row]] = {
    "palace_edits": _of_palace,
    "graph_edits": _of_graph,
    "consolidation_changes": _of_consolidation,
}

_FORMER_VALUES: Mapping[tuple[str, str], Mapping[str, str]] = {
    ("facts", "mined_by"): {"rules": "reader"},
    ("mined_windows", "method"): {"rules": "reader"},
    ("mined_windows", "reason"): {"away": "unavailable", "taken_back": "undone"},
    ("activity", "kind"): {"read_again": "reextracted", "drawer_disputed": "drawer_corrected"},
    ("changes", "kind"): {"rekinded": "retyped"},
}
"""Values in exports of earlier versions, by kind of row and field, and what they are called now."""
_FORMER_FIELDS: Mapping[str, Mapping[str, str]] = {
    "conversations": {"learn": "mine", "use_memory": "recall_memory"},
    "fact_links": {"likeness": "similarity"},
    "mining_progress": {
        "looked_through": "scanned_through",
        "drifted_after": "topic_shift_after",
        "gone_at": "source_deleted_at",
    },
    "thread_digests": {"told_at": "seen_at"},
    "traces": {
        "misfit": "negative_feedback",
        "unfitting": "negative_feedback",
        "little": "uninformative",
        "likeness": "scaled_cosine",
        "way": "skill",
    },
}
"""Fields of earlier exports and their current names, by kind of row; those of traces are signals inside."""
_FORMER_KINDS = {
    "misfits": "negative_feedback",
    "known_histories": "thread_digests",
    "own_words": "profile_texts",
}
_FORMER_IMAGES = {b'"memory.factlink"': "fact_links", b'"chat.conversation"': "conversations"}
"""The kind of row in a row of `row_changes`, by its table."""


def use_current_names(kind_name: str, line: bytes) -> bytes:
    """Replace the field names and values of earlier versions in a row, as JSON."""
    for (name, field), renamed in _FORMER_VALUES.items():
        if name == kind_name:
            line = _replace_strings(line, rf'(?<="{field}":)(\s*)', renamed, "")
    if kind_name == "row_changes":
        kind_name = next((kind for table, kind in _FORMER_IMAGES.items() if table in line), "")
    return _replace_strings(line, "()", _FORMER_FIELDS.get(kind_name, {}), r"(?=\s*:)")


def _replace_strings(line: bytes, before: str, renamed: Mapping[str, str], after: str) -> bytes:
    if not renamed:
        return line
    pattern = f'{before}"({"|".join(renamed)})"{after}'.encode()
    return re.sub(pattern, lambda found: found[1] + f'"{renamed[found[2].decode()]}"'.encode(), line)


DAMAGED = gettext_noop("This file is damaged or incomplete. Nothing was restored.")
_LEGACY_FILES = {file_of(name): name for name in LEGACY_CHANGES}
_SKIPPED = {file_of(name): name for name in ("saved_searches", "insight_sources")}
"""Files of earlier versions with rows that Palace no longer keeps."""
_KIND_OF_FILE = {
    **{file_of(name): name for name in BY_NAME},
    **dict.fromkeys(_LEGACY_FILES, CHANGES),
    **_SKIPPED,
    **{file_of(former): name for former, name in _FORMER_KINDS.items()},
}
"""The kind of row in each file; files of earlier versions are read as a current kind or skipped."""


@dataclass(frozen=True, slots=True)
class Archive:
    """An export whose table of contents was checked."""

    manifest: Manifest
    opened: zipfile.ZipFile
    limits: Limits

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """Its kinds of row, parents first."""
        names = {_KIND_OF_FILE[file.name] for file in self.manifest.files}
        return tuple(kind for kind in BY_NAME.values() if kind.name in names)

    @property
    def rows(self) -> int:
        """How many rows there are to read, according to the manifest."""
        return sum(file.rows for file in self.manifest.files if file.name not in _SKIPPED)

    @property
    def skipped(self) -> dict[str, int]:
        """How many rows there are of each kind that Palace no longer keeps."""
        files = self.manifest.files
        return {_SKIPPED[file.name]: file.rows for file in files if file.name in _SKIPPED and file.rows}

    def lines(self, kind: Kind) -> Iterator[bytes]:
        """Each row of a kind as JSON. Raises FileRefused if a file does not match the
        manifest."""
        for entry in self.manifest.files:
            if _KIND_OF_FILE[entry.name] == kind.name:
                yield from self._lines(entry)

    def _lines(self, entry: FileEntry) -> Iterator[bytes]:
        digest, rows = sha256(), 0
        try:
            with self.opened.open(entry.name) as stream:
                while line := stream.readline(self.limits.entry_bytes):
                    digest.update(line)
                    rows += 1
                    if not line.endswith(b"\n"):
                        sentence = _("A row of %(file)s never ends, so nothing was restored.")
                        raise FileRefused(sentence % {"file": entry.name})
                    yield _upgrade(line[:-1], entry)
        except DAMAGE as error:
            raise FileRefused(DAMAGED) from error
        if rows != entry.rows or digest.hexdigest() != entry.sha256:
            raise FileRefused(DAMAGED)


@contextmanager
def open_archive(source: Path | BinaryIO, limits: Limits) -> Iterator[Archive]:
    """The archive, readable while the context lasts and never unpacked to disk. Raises
    FileRefused if it is no export, has another version, or exceeds the limits."""
    if isinstance(source, Path):
        with source.open("rb") as stream, open_archive(stream, limits) as archive:
            yield archive
        return
    try:
        opened = zipfile.ZipFile(BoundedReader(source, limits.directory_bytes))
    except DAMAGE as error:
        sentence = gettext_noop(
            "This file is not a zip file, so it is not an export of Palace, or it is incomplete."
        )
        raise FileRefused(sentence) from error
    with opened:
        manifest = _manifest(opened)
        _check_members(opened, manifest, limits)
        yield Archive(manifest, opened, limits)


def _upgrade(line: bytes, entry: FileEntry) -> bytes:
    try:
        upgraded = upgrade_change(_LEGACY_FILES[entry.name], line) if entry.name in _LEGACY_FILES else line
    except ValueError as error:
        raise FileRefused(DAMAGED) from error
    return use_current_names(_KIND_OF_FILE[entry.name], upgraded)


def _manifest(opened: zipfile.ZipFile) -> Manifest:
    try:
        if opened.getinfo(MANIFEST_NAME).file_size > MAX_MANIFEST_BYTES:
            raise FileRefused(gettext_noop("The manifest of this file is too large."))
        manifest = Manifest.model_validate_json(opened.read(MANIFEST_NAME))
    except KeyError as error:
        raise FileRefused(
            gettext_noop("This zip file has no manifest.json, so it is not an export of Palace.")
        ) from error
    except ValidationError as error:
        raise FileRefused(gettext_noop("The manifest of this file cannot be read.")) from error
    except (*DAMAGE, RuntimeError) as error:
        raise FileRefused(DAMAGED) from error
    if manifest.version != VERSION:
        sentence = _("This export has format %(theirs)s; this Palace reads format %(ours)s.")
        raise FileRefused(sentence % {"theirs": manifest.version, "ours": VERSION})
    return manifest


def _check_members(opened: zipfile.ZipFile, manifest: Manifest, limits: Limits) -> None:
    members = opened.infolist()
    if len({member.filename for member in members}) < len(members):
        raise FileRefused(gettext_noop("This zip file contains two files with the same name."))
    check_member_names(members, limits)
    names = [file.name for file in manifest.files]
    if len(set(names)) < len(names) or not set(names) <= _KIND_OF_FILE.keys():
        raise FileRefused(gettext_noop("The manifest lists files that this version of Palace does not know."))
    sizes = {member.filename: member.file_size for member in members}
    if any(sizes.get(file.name) != file.bytes for file in manifest.files):
        raise FileRefused(DAMAGED)
    check_member_sizes([opened.getinfo(name) for name in names], limits)
