"""Similarity of facts, by the vectors of their statements and by distinguishing words.

Embed before a transaction begins; inside it, vectors are only compared and stored.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from django.db.models import Exists, OuterRef, Q
from pgvector import HalfVector
from pgvector.django import CosineDistance
from uuid_utils.compat import uuid7

from llm.gateway import Embedder
from llm.types import EmbeddingModel, Vectors
from memory.models import EmbeddingSpace, Fact, FactLink, FactVector
from memory.search.index import prefix, space_for
from memory.text.patterns import table_of, word_lists

SAME, RELATED = 0.9, 0.7
MAX_SIMILAR = 8

_WORD = re.compile(r"[\w]+(?:['’]\w+)?")
_WORDS = word_lists(table_of(__file__))
_LATIN_ENDS = 0x0250


@dataclass(frozen=True, slots=True, eq=False)
class FactVectors:
    """Vectors of statements by one model; none without a model.

    Two statements with the same predicate and a calibrated similarity above `same` are one fact; above
    `RELATED`, they are linked.
    """

    model: EmbeddingModel | None = None
    by_statement: Mapping[str, Vectors] = field(default_factory=dict)
    same: float = SAME


NO_VECTORS = FactVectors()


@dataclass(frozen=True, slots=True)
class SimilarFact:
    """A similar fact, its similarity (0 to 1), and whether it is the same fact in other words."""

    fact: Fact
    similarity: float
    is_same: bool


def embed_statements(embedder: Embedder, statements: Iterable[str], same: float = SAME) -> FactVectors:
    """Embed distinct statements; those more similar than `same` count as one fact. Raises ModelError."""
    distinct = list(dict.fromkeys(statements))
    if not distinct:
        return FactVectors(embedder.model)
    answer = embedder.embed_documents(distinct)
    by_statement = dict(zip(distinct, answer.vectors, strict=True))
    return FactVectors(embedder.model, by_statement, same)


def similar_facts(meant: Fact, vectors: FactVectors) -> tuple[SimilarFact, ...]:
    """The user's other facts of the same memory type that are similar to this one, most similar first.

    Includes those in the trash, which may be restored.
    """
    vector = vectors.by_statement.get(meant.statement)
    if vectors.model is None or vector is None:
        return ()
    space = space_for(vectors.model)
    near = (
        FactVector.objects.filter(
            user_id=meant.user_id,
            space=space,
            fact__memory_type=meant.memory_type,
            fact__merged_into_id=None,
        )
        .exclude(fact_id=meant.id)
        .annotate(distance=CosineDistance("embedding", HalfVector(prefix(vector, space))))
        .order_by("distance", "fact_id")
        .select_related("fact")[:MAX_SIMILAR]
    )
    every = (_similar_fact(row.fact, 1 - row.distance, meant, vectors) for row in near)
    return tuple(similar for similar in every if similar.similarity > RELATED)


def file_vector(fact: Fact, vectors: FactVectors, similar: Sequence[SimilarFact]) -> None:
    """Store the vector of a fact, if there is one, and its links with similar facts."""
    vector = vectors.by_statement.get(fact.statement)
    if vectors.model is None or vector is None:
        return
    space = space_for(vectors.model)
    FactVector.objects.get_or_create(
        user_id=fact.user_id,
        fact_id=fact.id,
        space=space,
        defaults={"embedding": HalfVector(prefix(vector, space))},
    )
    FactLink.objects.bulk_create((_link(fact, each) for each in similar), ignore_conflicts=True)


def copy_vectors(fact: Fact, twin_id: UUID) -> None:
    """Copy the vectors and links of a fact to another with the same statement."""
    vectors = FactVector.objects.filter(user_id=fact.user_id, fact_id=fact.id)
    FactVector.objects.bulk_create(
        FactVector(user_id=fact.user_id, fact_id=twin_id, space_id=each.space_id, embedding=each.embedding)
        for each in vectors
    )
    mine = Q(fact_id=fact.id) | Q(other_id=fact.id)
    links = list(FactLink.objects.filter(mine, user_id=fact.user_id))
    for link in links:
        other = link.other_id if link.fact_id == fact.id else link.fact_id
        link.fact_id, link.other_id = sorted((twin_id, other))
        link.id = uuid7()
    FactLink.objects.bulk_create(links, ignore_conflicts=True)


def forget_vectors(fact: Fact) -> None:
    """Delete the vectors and links of a fact whose statement changed; a backfill embeds it again."""
    FactVector.objects.filter(user_id=fact.user_id, fact_id=fact.id).delete()
    FactLink.objects.filter(Q(fact_id=fact.id) | Q(other_id=fact.id), user_id=fact.user_id).delete()


def without_fact_vectors(user_id: UUID, space: EmbeddingSpace, limit: int) -> list[Fact]:
    """Facts that have no vector in this space yet, oldest first."""
    vectors = FactVector.objects.filter(user_id=user_id, fact_id=OuterRef("id"), space=space)
    facts = Fact.objects.filter(~Exists(vectors), user_id=user_id, merged_into_id=None)
    return list(facts.filter(deleted_at=None).order_by("id")[:limit])


def _similar_fact(fact: Fact, cosine: float, meant: Fact, vectors: FactVectors) -> SimilarFact:
    similarity = vectors.model.calibrated_statement(cosine) if vectors.model else 0.0
    is_same = (
        similarity > vectors.same
        and fact.predicate == meant.predicate
        and fact.event_time == meant.event_time
        and not differs_materially(fact.statement, meant.statement)
    )
    return SimilarFact(fact, round(similarity, 3), is_same)


def _link(fact: Fact, similar: SimilarFact) -> FactLink:
    first, second = sorted((fact.id, similar.fact.id))
    kind = FactLink.Kind.SAME if similar.is_same else FactLink.Kind.RELATED
    return FactLink(
        user_id=fact.user_id,
        fact_id=first,
        other_id=second,
        kind=kind,
        similarity=similar.similarity,
    )


def differs_materially(one: str, other: str) -> bool:
    """Whether two statements differ in a number, date, negation, name, non-Latin word, or only in the order
    of their words."""
    left, right = _WORD.findall(one), _WORD.findall(other)
    mine, theirs = _folded(left), _folded(right)
    return (
        _counted(mine) != _counted(theirs)
        or _is_negative(mine) != _is_negative(theirs)
        or _foreign(mine) != _foreign(theirs)
        or (mine != theirs and sorted(mine) == sorted(theirs))
        or _names_differ(left, right)
    )


def _folded(words: list[str]) -> list[str]:
    return [word.casefold().replace("’", "'").removesuffix("'s") for word in words]


def _counted(words: list[str]) -> list[str]:
    return sorted(word for word in words if word in _WORDS["counted"] or any(map(str.isdigit, word)))


def _is_negative(words: list[str]) -> bool:
    return any(word in _WORDS["negations"] or word.endswith("n't") for word in words)


def _foreign(words: list[str]) -> set[str]:
    return {word for word in words if any(ord(char) >= _LATIN_ENDS for char in word)}


def _names_differ(left: list[str], right: list[str]) -> bool:
    """Whether each has a name that the other lacks. First words do not count, as they are always
    capitalised."""
    names = [set(_folded([word for word in words[1:] if word[0].isupper()])) for words in (left, right)]
    words = [set(_folded(words)) for words in (left, right)]
    return bool(names[0] - words[1]) and bool(names[1] - words[0])
