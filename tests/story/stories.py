"""Mine the chats of a story as the product does, and compare facts and graph with what was true when."""

import json
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Any
from uuid import UUID

from chat.mining.run import mine_user
from llm.gateway import ChatRequest
from memory.facts.queries import current_facts
from memory.graph.resolution import find_entity
from memory.graph.traversal import relations_of
from memory.models import OWNER, Fact, Relation
from tests.exports import as_exported, by_turns
from tests.fake_gateway import FakeChat
from tests.memory.mining.answers import answer, edge, placed, stated
from transfer.imports import import_file, local_run

A_TURN = timedelta(seconds=50)
TIME_LIMIT = timedelta(hours=1)

Current = list[frozenset[str]]
"""The current values: for each fact or relation, a set of its names."""


@dataclass(frozen=True)
class Chat:
    """A chat whose turns alternate between user and assistant."""

    id: str
    at: datetime
    title: str
    turns: list[str]

    def exported(self) -> dict[str, object]:
        """The chat as exported, with the times of its messages."""
        times = ((self.at + number * A_TURN).timestamp() for number in range(len(self.turns)))
        messages = tuple(said | {"at": at} for said, at in zip(by_turns(self.turns), times, strict=True))
        return as_exported(self.title, messages, key=self.id)


@dataclass(frozen=True, kw_only=True)
class Question:
    """What facts with this key or predicate, and relations, must and must not say at a moment, or now."""

    at: datetime | None
    asks: str = ""
    expected: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    key: str = ""
    predicate: str = ""
    relation: str = ""
    others: bool = False
    hindsight: bool = False

    def faults(self, held: Current) -> Iterator[str]:
        """What is wrong with the current values."""
        for wanted in self.expected:
            if not any(matches(one, [wanted]) for one in held):
                yield f"{wanted} is missing"
        for one in held:
            if matches(one, self.never):
                yield f"{min(one)} must not hold"
            elif not self.others and not matches(one, self.expected):
                yield f"{min(one)} is unexpected"


@dataclass(frozen=True)
class Story:
    """The folder of a story, its end, where it is split to arrive in parts, and how many questions the
    built-in reader may leave unanswered."""

    folder: Path
    over: datetime
    cuts: tuple[int, int]
    unanswered: int

    @cached_property
    def chats(self) -> list[Chat]:
        """The chats in order."""
        return [Chat(**row) for row in read(self.folder / "chats.toml")["chat"]]

    @property
    def truth(self) -> dict[str, Any]:
        """The questions, what lasts and what has ended."""
        return read(self.folder / "questions.toml")

    @cached_property
    def questions(self) -> list[Question]:
        """What was true, and when."""
        return [Question(**row) for row in self.truth["question"]]

    def lasting(self) -> Iterator[Question]:
        """Statements that were made once and have not ended since, asked at each later question and now."""
        for row in self.truth["lasting"]:
            expected, told = (row.pop("value"),), row.pop("told")
            for at in (None, *(each.at for each in self.questions if each.at and each.at > told)):
                yield Question(at=at, expected=expected, others=True, **row)

    def mine(self, user_id: UUID, chats: Iterable[Chat], folder: Path, now: datetime | None = None) -> None:
        """Import chats as an export, and mine them."""
        moment, export = now or self.over, [chat.exported() for chat in chats]
        path = folder / f"{export[0]['id']}-{len(export)}.json"
        path.write_text(json.dumps(export), "utf-8")
        with local_run(user_id, path, moment) as run:
            import_file(run, path, lambda: moment)
        done = mine_user(user_id, lambda: moment, TIME_LIMIT)
        assert (done.failures, done.more_due) == (0, False)

    def perfect_model(self) -> FakeChat:
        """A model with a prepared extraction for each chat, found by its title."""
        answers = read(self.folder / "answers.toml")
        replies = {
            json.dumps(chat.title, ensure_ascii=False): _reply(chat, answers.get(chat.id, {}))
            for chat in self.chats
        }

        def answered(request: ChatRequest) -> str:
            title = request.messages[-1].content.partition("\n")[0]
            return replies[title.removeprefix("Title of the chat: ")]

        return FakeChat(answer=answered)

    def wrong_answers(self, user_id: UUID) -> list[str]:
        """A line for each wrong answer to a question."""
        return [line for question in self.questions for line in wrong(user_id, question)]

    def wrongly_ended(self, user_id: UUID) -> list[str]:
        """Facts and relations that ended although nothing in the story ended them."""
        ended = self.truth["ended"]["values"]
        facts = Fact.objects.filter(user_id=user_id, deleted_at=None)
        retired = facts.exclude(valid_to=None) | facts.filter(status=Fact.Status.SUPERSEDED)
        edges = Relation.objects.filter(user_id=user_id, deleted_at=None).exclude(valid_to=None)
        return [
            f"fact {fact.key}: {fact.value} until {fact.valid_to}"
            for fact in retired
            if not matches(names(fact.value, fact.object), ended) and not _continues(fact)
        ] + [
            f"edge {edge.relation}: {edge.object.name} until {edge.valid_to}"
            for edge in edges.select_related("object")
            if not matches(names(edge.object.name), ended)
        ]

    def wrongly_attributed(self, user_id: UUID) -> list[str]:
        """Facts and relations attributed to the user although they are about somebody else."""
        strangers = self.truth.get("strangers", {})
        lines = [
            f"{fact.key}: {fact.value} ({fact.statement})"
            for fact in Fact.objects.filter(user_id=user_id, status__in=("active", "superseded"))
            if matches(names(fact.value, fact.object), strangers.get(fact.key, ()))
        ]
        places = [*strangers.get("home_city", ()), *strangers.get("employer", ())]
        own = Relation.objects.filter(user_id=user_id, subject__type=OWNER)
        return lines + [
            f"{edge.relation}: {edge.object.name}"
            for edge in own.filter(relation__in=("lives_in", "works_at")).select_related("object")
            if matches(names(edge.object.name), places)
        ]


FOLDER = Path(__file__).parent
YEAR = Story(FOLDER, datetime(2025, 1, 6, 8, 0, tzinfo=UTC), (20, 45), unanswered=39)
RETURNS = Story(FOLDER / "returns", datetime(2025, 9, 15, 8, 0, tzinfo=UTC), (7, 14), unanswered=14)


def wrong(user_id: UUID, question: Question) -> list[str]:
    """A line for each wrong answer of facts or graph to a question."""
    found = {"facts": _facts_at(user_id, question)}
    if question.relation:
        found["graph"] = _edges_at(user_id, question)
    return [
        f"{str(question.at)[:10]} {question.asks}\n    {place}: {fault}; holds {sorted(map(sorted, held))}"
        for place, held in found.items()
        for fault in question.faults(held)
    ]


def _facts_at(user_id: UUID, question: Question) -> Current:
    """The values of the matching facts."""
    facts = current_facts(user_id, question.at)
    if question.key:
        facts = facts.filter(key__in=question.key.split("|"))
    if question.predicate:
        facts = facts.filter(predicate__in=question.predicate.split("|"))
    return [names(fact.value, fact.object) for fact in facts]


def _edges_at(user_id: UUID, question: Question) -> Current:
    """The other entities of the matching relations."""
    owner = find_entity(user_id, OWNER)
    if owner is None:
        return []
    found = relations_of(owner, question.at).filter(relation__in=question.relation.split("|"))
    return [names(edge.object.name) for edge in found if edge.subject_id == owner.id]


def _continues(fact: Fact) -> bool:
    """Whether an identical fact starts when this one ends."""
    same = Fact.objects.filter(user_id=fact.user_id, key=fact.key, deleted_at=None)
    following = same.filter(valid_from=fact.valid_to).exclude(id=fact.id)
    return any(names(fact.value) == names(next_.value) for next_ in following)


def names(*words: str) -> frozenset[str]:
    """Normalised names for comparison."""
    return frozenset(" ".join(word.split()).casefold() for word in words if word.strip())


def matches(one: frozenset[str], wanted: Iterable[str]) -> bool:
    """Whether any of the wanted values is one of the names; `|` separates alternatives."""
    return any(names(*words.split("|")) & one for words in wanted)


def read(path: Path) -> dict[str, Any]:
    """One of the files of a story."""
    return tomllib.loads(path.read_text("utf-8"))


def _reply(chat: Chat, given: dict[str, Any]) -> str:
    return answer(
        wing={"kind": "topic", "name": chat.title},
        turns=[placed(f"t{number}", topic=chat.title) for number in range(1, len(chat.turns) + 1)],
        facts=[stated(**{"object": row["value"], **_held(row)}) for row in given.get("facts", [])],
        entities=[{"name": name, "type": kind, "aliases": []} for name, kind in given.get("entities", [])],
        relations=[edge(**_held(row)) for row in given.get("relations", [])],
    )


def _held(row: dict[str, Any]) -> dict[str, Any]:
    given = {name: value for name, value in row.items() if name != "one"}
    return {"confidence": 0.9, "single_valued": row.get("one", False), **given}
