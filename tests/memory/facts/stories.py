"""Statements on different days, filed as facts or as relations, and the validity they result in."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from uuid import UUID, uuid4

from accounts.models import User
from memory.facts.filing import file_fact
from memory.forgetting.trash import delete, undo
from memory.graph.intervals import Claim, windows
from memory.graph.relations import add_source, relation_source
from memory.models import Drawer, Fact, FactSource, Relation
from memory.organize.notes import Note, save_note
from tests.drills.ledger import NOW
from tests.memory.facts.statements import statement_in

DAY = timedelta(days=1)


@dataclass(frozen=True)
class Said:
    """A statement on a day that a value holds, or that it is over. A `single` value replaces others."""

    day: int
    value: str
    single: bool = True
    over: bool = False


def story(text: str) -> list[Said]:
    """`A0 !A5 b2`: A holds from day 0 to day 5; lower-case values can hold at the same time."""
    statements = [(word.removeprefix("!"), word.startswith("!")) for word in text.split()]
    return [Said(int(word[1:]), word[0].upper(), word[0].isupper(), over) for word, over in statements]


def expected(said: Iterable[Said]) -> list[str]:
    """The validity that the engine alone computes for a story."""
    ordered = sorted(said, key=lambda each: (each.day, each.over))
    claims = [
        Claim(
            (each.single, each.value),
            NOW + each.day * DAY,
            evidence=None,
            ends=each.over,
            exclusive=each.single and not each.over,
            track=each.single,
            name=each.value,
        )
        for each in ordered
    ]
    found = [(each.value[1], each.start, each.end) for each in windows(claims) if not each.is_empty]
    return _as_text(found)


class AsFacts:
    """Files a story as facts, which the graph shows too."""

    def __init__(self, user: User) -> None:
        self._user = user

    def file(self, said: Said, drawer: Drawer) -> None:
        key = "home_city" if said.single else f"likes_{said.value}"
        statement = statement_in(
            drawer,
            (0, 1),
            kind="identity",
            key=key,
            value=said.value,
            statement=f"The user {key} {said.value}.",
            predicate="lives_in" if said.single else "likes",
            object=said.value,
            confidence=0.9,
            authority="user",
            valid_from=NOW + said.day * DAY,
            single_valued=said.single,
            ended=said.over,
        )
        file_fact(statement)

    def intervals(self) -> list[str]:
        facts = Fact.objects.filter(user_id=self._user.id, deleted_at=None)
        found = _as_text((each.value, each.valid_from, each.valid_to) for each in facts)
        shown = Relation.objects.filter(user_id=self._user.id, deleted_at=None, subject__type="user")
        assert _as_text((row.object.name, row.valid_from, row.valid_to) for row in shown) == found
        return found


class AsRelations:
    """Files a story as relations of another person."""

    def __init__(self, user: User) -> None:
        self._user = user

    def file(self, said: Said, drawer: Drawer) -> None:
        source = relation_source(
            drawer,
            ("Ana", "person"),
            "lives_in" if said.single else "likes",
            (said.value, "place"),
            at=NOW + said.day * DAY,
            ends=said.over,
            single_valued=said.single,
            confidence=0.9,
        )
        add_source(source)

    def intervals(self) -> list[str]:
        rows = Relation.objects.filter(user_id=self._user.id, deleted_at=None, subject__name="Ana")
        return _as_text((row.object.name, row.valid_from, row.valid_to) for row in rows)


STORES = (AsFacts, AsRelations)


@dataclass
class Replay:
    """Files the statements of a story in any order and repeatedly, and deletes and restores their drawers."""

    user: User
    statements: Sequence[Said]
    store: AsFacts | AsRelations
    filed: set[int] = field(default_factory=set)
    deletions: dict[int, UUID] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._drawers = [
            save_note(self.user.id, Note(f"{uuid4()}"), NOW + each.day * DAY) for each in self.statements
        ]

    def file(self, number: int) -> None:
        self.filed.add(number)
        self.store.file(self.statements[number], self._drawers[number])

    def delete(self, number: int) -> None:
        self.deletions[number] = delete(self.user.id, "drawer", self._drawers[number].id, NOW).id

    def restore(self, number: int) -> None:
        undo(self.user.id, self.deletions.pop(number), NOW)

    def expected(self) -> list[str]:
        return expected(self.statements[number] for number in self.filed - set(self.deletions))


def rows(user: User) -> list[list[object]]:
    """Every fact, source and relation that is not deleted, with all columns."""
    return [
        list(table.objects.filter(user_id=user.id, **live).order_by("id").values())
        for table, live in (
            (Fact, {"deleted_at": None}),
            (FactSource, {"drawer__deleted_at": None}),
            (Relation, {"deleted_at": None}),
        )
    ]


def assert_consistent(user: User) -> None:
    """Every fact has a source, counts each of its sources, and is active exactly while it is open."""
    for fact in Fact.objects.filter(user_id=user.id, deleted_at=None):
        sources = FactSource.objects.filter(user_id=user.id, fact_id=fact.id)
        assert sources.filter(drawer__deleted_at=None).exists()
        assert fact.times_seen == sources.count()
        assert fact.valid_to is None or fact.valid_from <= fact.valid_to
        assert (fact.status == "active") == (fact.valid_to is None)


def _as_text(found: Iterable[tuple]) -> list[str]:
    """`A0-5 A9-`: adjacent intervals of a value are joined, and empty ones are left out."""
    merged: list[tuple] = []
    for value, start, end in sorted(found, key=lambda each: (each[0], each[1], each[2] is None)):
        if end == start:
            continue
        if merged and merged[-1][0] == value and merged[-1][2] == start:
            merged[-1] = (value, merged[-1][1], end)
        else:
            merged.append((value, start, end))
    return [f"{value}{(start - NOW).days}-{(end - NOW).days if end else ''}" for value, start, end in merged]
