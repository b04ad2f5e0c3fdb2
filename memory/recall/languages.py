"""How far an embedding model can be trusted with a question, by the language of the question."""

from llm.types import EmbeddingModel
from memory.function_words import FUNCTION_WORDS
from memory.languages import language_of

IN_LATIN_LETTERS = 0.25
IN_OTHER_LETTERS = 0.1


def trust_in_meaning(question: str, model: EmbeddingModel) -> float:
    """From 0 to 1: what the likeness that `model` finds is worth for this question. 1.0 where the
    model reads the language; a model that does not still knows names and borrowed words, though
    hardly any in another script."""
    language = language_of(question)
    if not model.languages or not language or language in model.languages:
        return 1.0
    return IN_LATIN_LETTERS if language in FUNCTION_WORDS else IN_OTHER_LETTERS
