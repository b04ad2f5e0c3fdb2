"""A stage of recall: the question is held against the best passages word by word.

One vector for a passage tells what it is about; whether it has an answer to each part of a question
is told by the vectors of its words: for every telling word of the question the nearest word of the
passage counts, and the mean of these is the passage's signal. After Khattab and Zaharia, "ColBERT"
(2020), here with the word vectors of the embedding model itself.
"""

from collections.abc import Mapping, Sequence
from uuid import UUID

from django.utils.translation import gettext_noop

from llm.errors import ModelError
from llm.types import Tokens
from memory.common_words import COMMON_WORDS
from memory.metering import embed_tokens, embedding_model
from memory.models import Drawer, Usage
from memory.recall.languages import trust_in_meaning
from memory.recall.types import Candidate, Degradation, Query, RecallRequest
from memory.usage import Purpose

MOST_READ = 30
AROUND = 300
LONGEST = 1_000

NOT_READ = Degradation(
    "late interaction",
    gettext_noop(
        "The best passages could not be compared word by word, so that step was left out."
    ),
)


def passages(
    request: RecallRequest, candidates: Sequence[Candidate], most: int = MOST_READ
) -> dict[UUID, str]:
    """The best passage of each of the first candidates, with a little of what surrounds it."""
    first = candidates[:most]
    drawers = Drawer.objects.live().filter(
        user_id=request.user_id, id__in=[each.drawer_id for each in first]
    )
    texts = dict(drawers.values_list("id", "content"))
    found = {each.drawer_id: _passage(texts.get(each.drawer_id, ""), each.span) for each in first}
    return {drawer_id: text for drawer_id, text in found.items() if text.strip()}


def compared(
    request: RecallRequest, query: Query, candidates: Sequence[Candidate], texts: Mapping[UUID, str]
) -> tuple[tuple[Candidate, ...], tuple[Degradation, ...]]:
    """The candidates, those with a passage with the signal `late` (about .5 to 1,
    and less where the model hardly reads the language) as well."""
    purpose = Purpose(request.user_id, Usage.Source.RERANK, request.called_at)
    model = request.settings.embedding_model
    try:
        embedded = embed_tokens(model, [query.text, *texts.values()], purpose)
    except ModelError:
        return tuple(candidates), (NOT_READ,)
    if embedded is None:
        return tuple(candidates), ()
    question, *others = embedded.texts
    asked = _telling(query.text, question)
    trust = trust_in_meaning(query.text, embedding_model(model))
    met = {key: trust * _met(asked, tokens) for key, tokens in zip(texts, others, strict=True)}
    return tuple(_with_signal(each, met) for each in candidates), ()


def _passage(text: str, span: tuple[int, int]) -> str:
    start = max(0, span[0] - AROUND)
    return text[start : min(start + LONGEST, max(span[1], start) + AROUND)]


def _telling(text: str, tokens: Tokens) -> Tokens:
    """The tokens of words that tell something; all of them when none does."""
    places = [place for place, word in enumerate(tokens.words) if _tells(text[slice(*word)])]
    if not places:
        return tokens
    return Tokens(tokens.vectors[places], tuple(tokens.words[place] for place in places))


def _tells(word: str) -> bool:
    return any(map(str.isalnum, word)) and word.casefold() not in COMMON_WORDS


def _met(asked: Tokens, tokens: Tokens) -> float:
    if not tokens.words or not asked.words:
        return 0.0
    return float((asked.vectors @ tokens.vectors.T).max(axis=1).mean())


def _with_signal(candidate: Candidate, met: Mapping[UUID, float]) -> Candidate:
    if candidate.drawer_id not in met:
        return candidate
    return candidate._replace(scores={**candidate.scores, "late": met[candidate.drawer_id]})
