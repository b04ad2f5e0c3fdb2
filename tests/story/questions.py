"""Compare facts and graph with what was true at a moment."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from memory.facts.queries import current_facts
from memory.graph.resolution import find_entity
from memory.graph.traversal import relations_of
from memory.models import OWNER, Fact, Relation
from tests.story.year import FOLDER, read

Current = list[frozenset[str]]
"""The current values: for each fact or relation, a set of its names."""


@dataclass(frozen=True)
class Question:
    """A question about a moment, answered by facts and, if it names one, by a relation."""

    at: datetime
    asks: str
    expected: tuple[str, ...]
    never: tuple[str, ...] = ()
    key: str = ""
    predicate: str = ""
    relation: str = ""
    others: bool = False
    hindsight: bool = False

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d} {self.asks}"


@dataclass(frozen=True)
class Lasting:
    """A statement that was made once and has not ended since."""

    told: datetime
    value: str
    key: str = ""
    predicate: str = ""


def questions(folder: Path = FOLDER) -> tuple[Question, ...]:
    """The questions of a story."""
    return tuple(Question(**_frozen(row)) for row in read("questions.toml", folder)["question"])


def lasting(folder: Path = FOLDER) -> tuple[Lasting, ...]:
    """The statements of a story that must never be ended."""
    return tuple(Lasting(**row) for row in read("questions.toml", folder)["lasting"])


def wrong(user_id: UUID, question: Question) -> list[str]:
    """A line for each wrong answer of facts or graph to a question."""
    found = {"facts": facts_at(user_id, question)}
    if question.relation:
        found["graph"] = edges_at(user_id, question)
    return [
        f"{question}\n    {place}: {fault}; holds {sorted(map(sorted, held))}"
        for place, held in found.items()
        for fault in _faults(held, question)
    ]


def facts_at(user_id: UUID, question: Question | Lasting, at: datetime | None = None) -> Current:
    """The values of the matching facts at that moment."""
    moment = at or (question.at if isinstance(question, Question) else None)
    facts = current_facts(user_id, moment)
    if question.key:
        facts = facts.filter(key__in=question.key.split("|"))
    if question.predicate:
        facts = facts.filter(predicate__in=question.predicate.split("|"))
    return [names(fact.value, fact.object) for fact in facts]


def edges_at(user_id: UUID, question: Question) -> Current:
    """The other entities of the matching relations at that moment."""
    owner = find_entity(user_id, OWNER)
    if owner is None:
        return []
    found = relations_of(owner, question.at).filter(relation__in=question.relation.split("|"))
    return [names(edge.object.name) for edge in found if edge.subject_id == owner.id]


def wrongly_attributed(user_id: UUID) -> list[str]:
    """Lines about facts and relations attributed to the user although they are about somebody else."""
    strangers = read("questions.toml")["strangers"]
    facts = Fact.objects.filter(user_id=user_id, status__in=("active", "superseded"))
    lines = [
        f"{fact.key}: {fact.value} ({fact.statement})"
        for fact in facts
        if matches(names(fact.value, fact.object), strangers.get(fact.key, ()))
    ]
    places = [*strangers["home_city"], *strangers["employer"]]
    for edge in Relation.objects.filter(user_id=user_id).select_related("subject", "object"):
        ours = edge.subject.type == OWNER and edge.relation in ("lives_in", "works_at")
        if ours and matches(names(edge.object.name), places):
            lines.append(f"{edge.relation}: {edge.object.name}")
    return lines


def wrongly_ended(user_id: UUID, folder: Path = FOLDER) -> list[str]:
    """Lines about facts and relations that ended although nothing in the story ended them."""
    ended = read("questions.toml", folder)["ended"]["values"]
    facts = Fact.objects.filter(user_id=user_id, deleted_at=None)
    edges = Relation.objects.filter(user_id=user_id, deleted_at=None).exclude(valid_to=None)
    retired = facts.exclude(valid_to=None) | facts.filter(status=Fact.Status.SUPERSEDED)
    return [
        f"fact {fact.key}: {fact.value} until {fact.valid_to}"
        for fact in retired
        if not matches(names(fact.value, fact.object), ended) and not _continues(fact)
    ] + [
        f"edge {edge.relation}: {edge.object.name} until {edge.valid_to}"
        for edge in edges.select_related("object")
        if not matches(names(edge.object.name), ended)
    ]


def names(*words: str) -> frozenset[str]:
    """Normalised names for comparison."""
    return frozenset(" ".join(word.split()).casefold() for word in words if word.strip())


def _continues(fact: Fact) -> bool:
    """Whether an identical fact starts when this one ends."""
    same = Fact.objects.filter(user_id=fact.user_id, key=fact.key, deleted_at=None)
    following = same.filter(valid_from=fact.valid_to).exclude(id=fact.id)
    return any(names(fact.value) == names(next_.value) for next_ in following)


def _faults(held: Current, question: Question) -> Iterator[str]:
    for wanted in question.expected:
        if not any(matches(one, [wanted]) for one in held):
            yield f"{wanted} is missing"
    for one in held:
        if matches(one, question.never):
            yield f"{min(one)} must not hold"
        elif not question.others and not matches(one, question.expected):
            yield f"{min(one)} is too much"


def matches(one: frozenset[str], wanted: Iterable[str]) -> bool:
    """Whether any of the wanted values is one of the names; `|` separates alternatives."""
    return any(names(*words.split("|")) & one for words in wanted)


def _frozen(row: dict[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in row.items()}
