"""The manifest of an export: its format, its files with counts and digests, and what it leaves out."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, StringConstraints

from transfer.exporting.kinds import KINDS, LEFT_OUT
from transfer.exporting.rows import Scope

VERSION = 1
NAME = "manifest.json"
LARGEST = 1024 * 1024

_NOT_OF_A_WING = "A wing travels with its drawers and what was understood of them, no more."

Digest = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Path = Annotated[str, StringConstraints(min_length=1, max_length=200)]
Count = Annotated[int, Field(ge=0, lt=2**53)]


class Written(BaseModel):
    """A file of the archive: the rows it holds (none for one that people read), its size once
    unpacked, and the SHA-256 of that."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: Path
    rows: Count
    bytes: Count
    sha256: Digest


class NotWritten(BaseModel):
    """A table that an export leaves out, and why."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    what: str
    why: str


class Manifest(BaseModel):
    """The manifest. `made_at` is the only value that differs between two exports of the same
    state."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    format: Literal["palace-export"]
    version: int
    made_at: AwareDatetime
    scope: Literal["everything", "wing"]
    files: Annotated[tuple[Written, ...], Field(max_length=len(KINDS) + 20)]
    reading: Count = 0
    left_out: tuple[NotWritten, ...] = ()


def file_of(kind_name: str) -> str:
    """The path of a kind's rows in the archive."""
    return f"data/{kind_name}.jsonl"


def manifest_of(scope: Scope, files: tuple[Written, ...], reading: int, now: datetime) -> Manifest:
    """The manifest of an archive with these files and this many pages to read."""
    within = {kind.name for kind in scope.kinds}
    missing = [(table, why) for table, why in LEFT_OUT.items()]
    missing += [(kind.table, _NOT_OF_A_WING) for kind in KINDS if kind.name not in within]
    return Manifest(
        format="palace-export",
        version=VERSION,
        made_at=now,
        scope="wing" if scope.wing_id else "everything",
        files=files,
        reading=reading,
        left_out=tuple(NotWritten(what=what, why=why) for what, why in missing),
    )
