"""The built-in reader as tests use it: the installed one."""

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
    """What the built-in reader makes of a window."""
    return keyless.extract(transcript, tagger(), known_wings)
