"""Whatever the order in which things are said, told again, deleted and restored: what was true when
depends on the words that stand, and on nothing else."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from accounts.models import User
from accounts.tenancy import tenant
from llm import current
from llm.fake_gateway import FakeEmbedder
from memory.erasure import delete, undo
from memory.facts import Statement, current_facts, file_fact
from memory.models import Drawer, Fact, FactSource
from memory.notes import Note, save_note
from tests.drills.ledger import NOW

DAY = timedelta(days=1)
DAYS = 8
OFTEN = settings(
    phases=(Phase.generate,), max_examples=8, deadline=None, suppress_health_check=list(HealthCheck)
)


@dataclass(frozen=True)
class Told:
    """On a day somebody says that something holds, or that it is over."""

    day: int
    value: str
    single: bool
    over: bool = False


@pytest.fixture
def people(db):
    return lambda: User.objects.create_user(f"{uuid4()}@example.org")


@pytest.fixture(autouse=True)
def embedder() -> Iterator[None]:
    with current.using(embedder=FakeEmbedder()):
        yield


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


@OFTEN
@given(story=STORIES, data=st.data())
def test_only_the_words_that_stand_count(people, story, data):
    clean, user = people(), people()
    gone = data.draw(st.sets(st.sampled_from(range(len(story)))) if story else st.just(set()))
    with tenant(clean.id):
        drawers = words_of(clean, story)
        for number in sorted(range(len(story)), key=lambda each: story[each].day):
            if number not in gone:
                tell(clean, story[number], drawers[number])
        wanted = held(clean)
    with tenant(user.id):
        drawers = words_of(user, story)
        for number in data.draw(st.permutations(range(len(story)))):
            tell(user, story[number], drawers[number])
            if data.draw(st.booleans()):
                tell(user, story[number], drawers[number])
        full = held(user)
        deletions = [
            delete(user.id, "drawer", drawers[number].id, NOW)
            for number in data.draw(st.permutations(sorted(gone)))
        ]
        assert held(user) == wanted
        assert_sound(user)
        for deletion in data.draw(st.permutations(deletions)):
            undo(user.id, deletion.id, NOW)
        assert held(user) == full
        assert_sound(user)


def assert_sound(user: User) -> None:
    """No fact without words, and as often seen as it has sources."""
    for fact in Fact.objects.filter(user_id=user.id, deleted_at=None):
        sources = FactSource.objects.filter(user_id=user.id, fact_id=fact.id)
        assert sources.filter(drawer__deleted_at=None).exists()
        assert fact.valid_to is None or fact.valid_from <= fact.valid_to
        assert (fact.status == "active") == (fact.valid_to is None)
