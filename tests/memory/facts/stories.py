"""Things that are told day by day, and what was true when."""

from dataclasses import dataclass
from datetime import timedelta
from uuid import uuid4

from hypothesis import strategies as st

from accounts.models import User
from memory.facts import Statement, current_facts, file_fact
from memory.models import Drawer, Fact, FactSource
from memory.notes import Note, save_note
from tests.drills.ledger import NOW

DAY = timedelta(days=1)
DAYS = 8


@dataclass(frozen=True)
class Told:
    """On a day somebody says that something holds, or that it is over."""

    day: int
    value: str
    single: bool
    over: bool = False


def tell(user: User, told: Told, drawer: Drawer) -> None:
    key = "home_city" if told.single else "likes"
    file_fact(
        user.id,
        Statement(
            kind="identity",
            key=key if told.single else f"{key}_{told.value}",
            value=told.value,
            statement=f"The user {key} {told.value}.",
            predicate=key,
            object=told.value,
            confidence=0.9,
            authority="user",
            valid_from=NOW + told.day * DAY,
            drawer_id=drawer.id,
            span=(0, 1),
            single_valued=told.single,
            ended=told.over,
        ),
    )


def words_of(user: User, story: list[Told]) -> list[Drawer]:
    """A note for each, whether it is read or not."""
    return [save_note(user.id, Note(f"{uuid4()}"), NOW + each.day * DAY) for each in story]


def held(user: User) -> list[tuple[str, ...]]:
    """What was true at noon of each day, and what is true now."""
    noons = [NOW + day * DAY + DAY / 2 for day in range(-1, DAYS + 1)]
    moments = [*noons, None]
    return [
        tuple(sorted({fact.statement for fact in current_facts(user.id, at)})) for at in moments
    ]


def one_a_day(values: str, *, single: bool) -> st.SearchStrategy[list[Told]]:
    told = st.builds(
        Told,
        day=st.integers(0, DAYS - 1),
        value=st.sampled_from(values),
        single=st.just(single),
        over=st.booleans() if not single else st.just(False),
    )
    return st.lists(told, max_size=5, unique_by=lambda each: each.day)


STORIES = st.tuples(one_a_day("AB", single=True), one_a_day("CD", single=False)).map(
    lambda parts: parts[0] + parts[1]
)


def assert_sound(user: User) -> None:
    """No fact without words, and as often seen as it has sources."""
    for fact in Fact.objects.filter(user_id=user.id, deleted_at=None):
        sources = FactSource.objects.filter(user_id=user.id, fact_id=fact.id)
        assert sources.filter(drawer__deleted_at=None).exists()
        assert fact.valid_to is None or fact.valid_from <= fact.valid_to
        assert (fact.status == "active") == (fact.valid_to is None)
