"""The folders of an embedded server."""

import hashlib
import os
import re
from dataclasses import dataclass
from pathlib import Path

from palace.embedded.account import data_folder, stand_in

SOCKET = ".s.PGSQL.5432"
SOCKET_PATH_LIMIT = 100
PLAIN_PATH = re.compile(r"[\w./+@%=: -]+", re.ASCII)  # the server splits its setting at commas
SHORT_FOLDER = Path("/tmp")  # noqa: S108 - checked to be ours before use; TMPDIR may change


@dataclass(frozen=True, slots=True)
class EmbeddedDatabase:
    """Where an embedded server keeps its data, and whether it must survive a power cut."""

    home: Path
    name: str = "palace"
    durable: bool = True

    @property
    def folder(self) -> Path:
        """The folder of data, logs and locks, reachable by the account that runs the server."""
        return data_folder(self.home)

    @property
    def data(self) -> Path:
        """The folder that belongs to PostgreSQL."""
        return self.folder / "data"

    @property
    def log(self) -> Path:
        """The server's own log."""
        return self.data / "server.log"

    @property
    def socket_folder(self) -> Path:
        """The folder of the Unix socket; a short one when the path is too long or too odd."""
        folder = self.folder / "run"
        path = str(folder / SOCKET)
        if len(os.fsencode(path)) <= SOCKET_PATH_LIMIT and PLAIN_PATH.fullmatch(path):
            return folder
        if os.geteuid() == 0:
            return stand_in(folder)
        digest = hashlib.sha256(os.fsencode(folder)).hexdigest()[:12]
        return SHORT_FOLDER / f"palace-{os.geteuid()}-{digest}"
