"""Asks the facts and the graph what was true at a moment, and compares."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from memory.facts import current_facts
from memory.graph.resolution import find_entity
from memory.graph.traversal import relations_of
from memory.models import OWNER, Fact, Relation
from tests.story.year import FOLDER, read

Held = list[frozenset[str]]
"""What holds: one set for each fact or edge, of the names it can be called by."""


@dataclass(frozen=True)
class Question:
    """What was true at a moment? Answered by facts and, where it has one, by a relation."""

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
    """Something that was told once and has not ended since."""

    told: datetime
    value: str
    key: str = ""
    predicate: str = ""


def questions(folder: Path = FOLDER) -> tuple[Question, ...]:
    """Every dated question of a story."""
    return tuple(Question(**_frozen(row)) for row in read("questions.toml", folder)["question"])


def lasting(folder: Path = FOLDER) -> tuple[Lasting, ...]:
    """What must never be retired."""
    return tuple(Lasting(**row) for row in read("questions.toml", folder)["lasting"])


def wrong(user_id: UUID, question: Question) -> list[str]:
    """A line for each way in which facts or graph answer a question wrongly."""
    found = {"facts": facts_at(user_id, question)}
    if question.relation:
        found["graph"] = edges_at(user_id, question)
    return [
        f"{question}\n    {place}: {fault}; holds {sorted(map(sorted, held))}"
        for place, held in found.items()
        for fault in _faults(held, question)
    ]


def facts_at(user_id: UUID, asked: Question | Lasting, at: datetime | None = None) -> Held:
    """The values of the facts asked for, as they held then."""
    moment = at or (asked.at if isinstance(asked, Question) else None)
    facts = current_facts(user_id, moment)
    if asked.key:
        facts = facts.filter(key__in=asked.key.split("|"))
    if asked.predicate:
        facts = facts.filter(predicate__in=asked.predicate.split("|"))
    return [names(fact.value, fact.object) for fact in facts]


def edges_at(user_id: UUID, question: Question) -> Held:
    """The other ends of the relations asked for, as they held then."""
    owner = find_entity(user_id, OWNER)
    if owner is None:
        return []
    found = relations_of(owner, question.at).filter(relation__in=question.relation.split("|"))
    return [names(edge.object.name) for edge in found if edge.subject_id == owner.id]


def never_hers(user_id: UUID) -> list[str]:
    """Lines about facts and edges that hold, or held, of her although they are somebody else's."""
    strangers = read("questions.toml")["strangers"]
    facts = Fact.objects.filter(user_id=user_id, status__in=("active", "superseded"))
    lines = [
        f"{fact.key}: {fact.value} ({fact.statement})"
        for fact in facts
        if meets(names(fact.value, fact.object), strangers.get(fact.key, ()))
    ]
    places = [*strangers["home_city"], *strangers["employer"]]
    for edge in Relation.objects.filter(user_id=user_id).select_related("subject", "object"):
        ours = edge.subject.type == OWNER and edge.relation in ("lives_in", "works_at")
        if ours and meets(names(edge.object.name), places):
            lines.append(f"{edge.relation}: {edge.object.name}")
    return lines


def wrongly_ended(user_id: UUID, folder: Path = FOLDER) -> list[str]:
    """Lines about facts and edges that were retired, although nothing in the year has ended them."""
    ended = read("questions.toml", folder)["ended"]["values"]
    facts = Fact.objects.filter(user_id=user_id, deleted_at=None)
    edges = Relation.objects.filter(user_id=user_id, deleted_at=None).exclude(valid_to=None)
    retired = facts.exclude(valid_to=None) | facts.filter(status=Fact.Status.SUPERSEDED)
    return [
        f"fact {fact.key}: {fact.value} until {fact.valid_to}"
        for fact in retired
        if not meets(names(fact.value, fact.object), ended) and not _goes_on(fact)
    ] + [
        f"edge {edge.relation}: {edge.object.name} until {edge.valid_to}"
        for edge in edges.select_related("object")
        if not meets(names(edge.object.name), ended)
    ]


def names(*words: str) -> frozenset[str]:
    """Words as they are compared."""
    return frozenset(" ".join(word.split()).casefold() for word in words if word.strip())


def _goes_on(fact: Fact) -> bool:
    """Whether the same is said to hold from the moment at which this ends."""
    same = Fact.objects.filter(user_id=fact.user_id, key=fact.key, deleted_at=None)
    following = same.filter(valid_from=fact.valid_to).exclude(id=fact.id)
    return any(names(fact.value) == names(next_.value) for next_ in following)


def _faults(held: Held, question: Question) -> Iterator[str]:
    for wanted in question.expected:
        if not any(meets(one, [wanted]) for one in held):
            yield f"{wanted} is missing"
    for one in held:
        if meets(one, question.never):
            yield f"{min(one)} must not hold"
        elif not question.others and not meets(one, question.expected):
            yield f"{min(one)} is too much"


def meets(one: frozenset[str], wanted: Iterable[str]) -> bool:
    """Whether any of these is one of its names; `|` stands between names of the same."""
    return any(names(*words.split("|")) & one for words in wanted)


def _frozen(row: dict[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in row.items()}
