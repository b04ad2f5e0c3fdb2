"""The embedding models Palace knows, and what their cosines mean.

The lines of bge-small were measured on a LoCoMo conversation: the best hit of 95 in 100 answerable
questions has a cosine of at least .64, and that of 3 in 4 questions about somebody else stays below .62,
which is .6 on the calibrated line. Paraphrased facts lie at .85 to .98, unrelated ones at .56 to .68.
Statements were measured on the pairs in tests/llm/statement_pairs.json: 50 of 55 pairs that say the same lie
above .93, as do 8 of 65 that say something else in the same words; unrelated ones stay below .80. The
lines of the remote models are estimates from published examples.

The lines of multilingual-e5-small were measured on `bench/data/languages` and three invented lives in
several languages. In eight languages the right one of 150 remarks lies above .32 (in Arabic .21) for 95 in
100 questions, and above .15 when asked in English; for 3 in 4 questions that nothing answers, the best
remark stays below .33. Questions about a life lie further from their answers, in other words and languages,
so a remark answers from .26, below which 9 in 10 English questions stay that nothing in another language
answers, and from .35 in Chinese (`dense`), where up to .40 may mean nothing. Of the statement pairs, two
thirds that say the same lie above .88, as does one in six that do not.
"""

import re
from dataclasses import replace

from llm.types import EmbeddingModel

BGE_SMALL = EmbeddingModel(
    name="bge-small-en-v1.5-int8",
    version="6c9c6101",
    dimensions=384,
    search_dimensions=384,
    window_tokens=512,
    max_chars=1600,
    floor=0.45,
    ceiling=1.0,
    question_floor=0.45,
    question_ceiling=0.735,
    related_at=0.80,
    same_at=0.93,
    local=True,
    languages=("en",),
    sentences=True,
)
E5_SMALL = replace(
    BGE_SMALL,
    name="multilingual-e5-small-int8",
    version="1571fc98-1",
    floor=0.05,
    question_floor=0.01,
    question_ceiling=0.43,
    related_at=0.55,
    same_at=0.88,
    languages=(),
    dense=0.084,
)
_OPENAI_SMALL = EmbeddingModel(
    name="text-embedding-3-small",
    version="1",
    dimensions=1536,
    search_dimensions=512,
    window_tokens=8191,
    max_chars=2000,
    floor=0.1,
    ceiling=1.0,
    question_floor=0.1,
    question_ceiling=0.5,
    related_at=0.65,
    same_at=0.93,
)
_COMPRESSED = replace(
    _OPENAI_SMALL,
    floor=0.4,
    question_floor=0.4,
    question_ceiling=0.75,
    related_at=0.85,
    same_at=0.96,
    window_tokens=512,
)
_REMOTE = {
    "text-embedding-3-small": _OPENAI_SMALL,
    "text-embedding-3-large": replace(_OPENAI_SMALL, dimensions=3072),
    "text-embedding-ada-002": replace(
        _OPENAI_SMALL, floor=0.7, question_floor=0.7, question_ceiling=0.85, related_at=0.9, same_at=0.98
    ),
    "nomic-embed-text": replace(_COMPRESSED, dimensions=768, window_tokens=2048),
    "mxbai-embed-large": replace(_COMPRESSED, dimensions=1024, max_chars=1200),
    "bge-m3": replace(_COMPRESSED, dimensions=1024, search_dimensions=1024, window_tokens=8191),
    "snowflake-arctic-embed2": replace(_COMPRESSED, dimensions=1024, window_tokens=8191),
}
_NAME = re.compile(r"(?P<name>[^@\s]+?)(?::[\w.-]+)?(?:@(?P<dimensions>[1-9][0-9]{1,4}))?")
_INDEXABLE_DIMENSIONS = 1280


def remote_model(name: str) -> EmbeddingModel | None:
    """The description of a model by its name at an endpoint, or None if it is unknown.

    Ignores a maker before a slash and a tag after a colon; `name@768` describes an unlisted model by its
    number of dimensions.
    """
    match = _NAME.fullmatch(name)
    if match is None:
        return None
    if match["dimensions"]:
        dimensions = int(match["dimensions"])
        return replace(
            _COMPRESSED,
            name=name,
            dimensions=dimensions,
            search_dimensions=dimensions if dimensions <= _INDEXABLE_DIMENSIONS else 512,
            max_chars=500,
        )
    known = _REMOTE.get(match["name"].rpartition("/")[2])
    return replace(known, name=name) if known else None
