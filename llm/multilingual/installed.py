"""Where the installed multilingual embedding model is."""

from pathlib import Path

from llm.configuration import CHECKOUT_MODELS
from llm.embedding_models import E5_SMALL
from llm.multilingual.network import LANGUAGES, MODEL, VOCABULARY
from llm.weights import WeightsUnusable

FOLDER = f"{E5_SMALL.name}-{E5_SMALL.version}"


class MultilingualMissing(WeightsUnusable):
    """The model is not there or cannot be made; the message is a sentence."""


def find(models_home: Path) -> Path:
    """The folder of the model: under `models_home`, or where `make install` put it.

    Raises MultilingualMissing.
    """
    for home in (models_home, CHECKOUT_MODELS):
        if all((home / FOLDER / name).is_file() for name in (MODEL, VOCABULARY, LANGUAGES)):
            return home / FOLDER
    raise MultilingualMissing(
        "The multilingual embedding model is not installed; run `make install` to fetch it."
    )
