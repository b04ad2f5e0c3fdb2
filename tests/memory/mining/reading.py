"""The installed built-in reader."""

from collections.abc import Sequence

from llm.configuration import CHECKOUT_MODELS
from memory.mining import keyless
from memory.mining.reader.facts import Tagger
from memory.mining.reader.installed import network
from memory.mining.transcripts import Transcript
from memory.mining.types import Extraction, WingGuess


def tagger() -> Tagger:
    """The network that `make install` made."""
    return network(CHECKOUT_MODELS)


def extract(transcript: Transcript, known_wings: Sequence[WingGuess] = ()) -> Extraction:
    """Extract a window with the built-in reader."""
    return keyless.extract(transcript, tagger(), known_wings)
