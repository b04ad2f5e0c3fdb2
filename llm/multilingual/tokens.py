"""Cut text into the pieces the encoder knows, and remember where each one stands."""

from collections.abc import Mapping, Sequence

from tokenizers import Tokenizer
from tokenizers.models import Unigram
from tokenizers.pre_tokenizers import Metaspace

from llm.multilingual.base import UNKNOWN

Span = tuple[int, int]


class Pieces:
    """A SentencePiece unigram tokenizer, rebuilt from its vocabulary."""

    def __init__(
        self, pieces: Sequence[str], scores: Sequence[float], replacements: Mapping[str, str]
    ) -> None:
        self._tokenizer = Tokenizer(
            Unigram(list(zip(pieces, scores, strict=True)), UNKNOWN, byte_fallback=False)
        )
        self._tokenizer.pre_tokenizer = Metaspace("▁", "always")
        self._replacements = replacements

    def cut(self, text: str) -> tuple[list[int], list[Span]]:
        """Ids of the pieces of `text` and the half-open range of each; a leading space belongs to its
        word."""
        plain, origins = self._normalised(text)
        encoding = self._tokenizer.encode(plain)
        spans = [
            (origins[start], origins[end - 1] + 1) if end > start else (0, 0)
            for start, end in encoding.offsets
        ]
        return encoding.ids, spans

    def _normalised(self, text: str) -> tuple[str, list[int]]:
        """Characters in their normal form with runs of spaces made one, and the place each one came from."""
        plain: list[str] = []
        origins: list[int] = []
        for place, original in enumerate(text):
            for character in self._replacements.get(original, original):
                if character != " " or not plain or plain[-1] != " ":
                    plain.append(character)
                    origins.append(place)
        return "".join(plain), origins
