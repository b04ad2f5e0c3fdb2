"""Things said day by day, told as facts or as relations, and when they held."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from uuid import UUID, uuid4

from accounts.models import User
from memory.facts import Statement, file_fact
from memory.forgetting.trash import delete, undo
from memory.graph.intervals import Claim, windows
from memory.graph.relations import Assertion, assert_relation, end_relation
from memory.models import Drawer, Fact, FactSource, Relation
from memory.organize.notes import Note, save_note
from tests.drills.ledger import NOW

DAY = timedelta(days=1)


@dataclass(frozen=True)
class Told:
    """On a day somebody says that something holds, or that it is over. A `single` value displaces others."""

    day: int
    value: str
    single: bool = True
    over: bool = False


def story(text: str) -> list[Told]:
    """`A0 !A5 b2`: A holds on day 0 and is over on day 5; small letters can hold beside each other."""
    said = [(word.removeprefix("!"), word.startswith("!")) for word in text.split()]
    return [Told(int(word[1:]), word[0].upper(), word[0].isupper(), over) for word, over in said]


def expected(told: Iterable[Told]) -> list[str]:
    """What the engine alone makes of a story."""
    ordered = sorted(told, key=lambda each: (each.day, each.over))
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
    """Tells a story as facts."""

    def __init__(self, user: User) -> None:
        self._user = user

    def tell(self, told: Told, drawer: Drawer) -> None:
        key = "home_city" if told.single else f"likes_{told.value}"
        statement = Statement(
            kind="identity",
            key=key,
            value=told.value,
            statement=f"The user {key} {told.value}.",
            predicate="lives_in" if told.single else "likes",
            object=told.value,
            confidence=0.9,
            authority="user",
            valid_from=NOW + told.day * DAY,
            drawer_id=drawer.id,
            span=(0, 1),
            single_valued=told.single,
            ended=told.over,
        )
        file_fact(self._user.id, statement)

    def held(self) -> list[str]:
        facts = Fact.objects.filter(user_id=self._user.id, deleted_at=None)
        return _as_text((each.value, each.valid_from, each.valid_to) for each in facts)


class AsRelations:
    """Tells a story as relations of somebody else."""

    def __init__(self, user: User) -> None:
        self._user = user

    def tell(self, told: Told, drawer: Drawer) -> None:
        write = end_relation if told.over else assert_relation
        write(
            self._user.id,
            Assertion(
                subject=("Ana", "person"),
                relation="lives_in" if told.single else "likes",
                object=(told.value, "place"),
                valid_from=NOW + told.day * DAY,
                valid_to=None,
                single_valued=told.single,
                confidence=0.9,
                drawer_id=drawer.id,
            ),
        )

    def held(self) -> list[str]:
        rows = Relation.objects.filter(user_id=self._user.id, deleted_at=None, subject__name="Ana")
        return _as_text((row.object.name, row.valid_from, row.valid_to) for row in rows)


class AsProjection(AsFacts):
    """Tells a story as facts and reads it from the graph."""

    def held(self) -> list[str]:
        rows = Relation.objects.filter(user_id=self._user.id, deleted_at=None, subject__type="user")
        return _as_text((row.object.name, row.valid_from, row.valid_to) for row in rows)


STORES = (AsFacts, AsRelations, AsProjection)


@dataclass
class Teller:
    """Tells a story in any order, again and again, and forgets and restores its words."""

    user: User
    said: Sequence[Told]
    store: AsFacts | AsRelations
    sentence: set[int] = field(default_factory=set)
    thrown: dict[int, UUID] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._drawers = [
            save_note(self.user.id, Note(f"{uuid4()}"), NOW + each.day * DAY) for each in self.said
        ]

    def tell(self, number: int) -> None:
        self.sentence.add(number)
        self.store.tell(self.said[number], self._drawers[number])

    def forget(self, number: int) -> None:
        self.thrown[number] = delete(self.user.id, "drawer", self._drawers[number].id, NOW).id

    def restore(self, number: int) -> None:
        undo(self.user.id, self.thrown.pop(number), NOW)

    def expected(self) -> list[str]:
        return expected(self.said[number] for number in self.sentence - set(self.thrown))


def rows(user: User) -> list[list[object]]:
    """Every fact, source and relation that stands, with every value."""
    return [
        list(table.objects.filter(user_id=user.id, **standing).order_by("id").values())
        for table, standing in (
            (Fact, {"deleted_at": None}),
            (FactSource, {"drawer__deleted_at": None}),
            (Relation, {"deleted_at": None}),
        )
    ]


def assert_sound(user: User) -> None:
    """No fact without words, each as often seen as it has sources, and active while it holds."""
    for fact in Fact.objects.filter(user_id=user.id, deleted_at=None):
        sources = FactSource.objects.filter(user_id=user.id, fact_id=fact.id)
        assert sources.filter(drawer__deleted_at=None).exists()
        assert fact.times_seen == sources.count()
        assert fact.valid_to is None or fact.valid_from <= fact.valid_to
        assert (fact.status == "active") == (fact.valid_to is None)


def _as_text(found: Iterable[tuple]) -> list[str]:
    """`A0-5 A9-`: windows of one value that meet are one, and empty ones are left out."""
    merged: list[tuple] = []
    for value, start, end in sorted(found, key=lambda each: (each[0], each[1], each[2] is None)):
        if end == start:
            continue
        if merged and merged[-1][0] == value and merged[-1][2] == start:
            merged[-1] = (value, merged[-1][1], end)
        else:
            merged.append((value, start, end))
    return [f"{value}{(start - NOW).days}-{(end - NOW).days if end else ''}" for value, start, end in merged]
