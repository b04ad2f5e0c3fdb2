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
from chat.models import Conversation
from llm import current
from llm.fake_gateway import FakeEmbedder
from memory.erasure import delete, undo
from memory.facts import Statement, current_facts, file_fact
from memory.models import Drawer, Fact, FactSource
from memory.notes import Note, save_note
from tests.drills.ledger import NOW, add, converse, mine

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


LINES = (
    "I live in Porto.",
    "I work at Roche.",
    "I live in Oslo.",
    "I love chess.",
    "I'm allergic to penicillin.",
    "I love chess.",
    "I live in Porto.",
)


@OFTEN
@given(data=st.data())
def test_a_chat_mined_in_any_pieces_again_and_again_says_the_same(people, data):
    clean, user = people(), people()
    with tenant(clean.id):
        converse(clean.id, *said(LINES))
        mine(clean.id)
        wanted = told(clean)
    with tenant(user.id):
        conversation, number, thrown = None, 0, []
        while number < len(LINES) or data.draw(st.booleans()):
            action = data.draw(st.sampled_from(["append", "mine", "delete", "undo", "again"]))
            if action == "append" and number < len(LINES):
                conversation = append(user, conversation, number)
                number += 1
            elif action == "mine":
                mine(user.id)
            elif action == "again":
                mine_from_the_start(user)
            elif action == "delete":
                thrown += throw_one(user, data)
            elif action == "undo" and thrown:
                undo(user.id, thrown.pop(data.draw(st.integers(0, len(thrown) - 1))), NOW)
            assert_nothing_buried_speaks(user)
        for deletion_id in thrown:
            undo(user.id, deletion_id, NOW)
        mine(user.id)
        mine_from_the_start(user)
        assert told(user) == wanted
        assert_sound(user)


def said(lines: tuple[str, ...]) -> list[str]:
    """The lines of a person, with an assistant that says nothing of note between."""
    return [words for line in lines for words in (line, "I see.")]


def append(user: User, conversation: Conversation | None, number: int) -> Conversation:
    at = NOW - 30 * DAY + number * timedelta(minutes=2)
    words = said(LINES[number : number + 1])
    if conversation is None:
        return converse(user.id, *words, at=at)
    add(conversation, words, at)
    return conversation


def mine_from_the_start(user: User) -> None:
    """Deliver every fact of every standing drawer once more, as a lost pointer would."""
    from memory.mining.rules.extractor import extract
    from memory.mining.understanding import file_understanding
    from memory.transcripts import CONVERSATION, Transcript, Turn

    for drawer in Drawer.objects.live().filter(user_id=user.id, role="user").order_by("-id"):
        turn = Turn(
            message_id=drawer.source_message_id,
            sequence=drawer.source_sequence,
            role="user",
            content=drawer.content,
            said_at=drawer.said_at,
        )
        transcript = Transcript(
            user_id=user.id,
            source_kind=CONVERSATION,
            source_id=drawer.source_id,
            title="A chat",
            started_at=drawer.said_at,
            turns=(turn,),
        )
        file_understanding(transcript, extract(transcript), {turn.message_id: drawer}, 0.5)


def throw_one(user: User, data: st.DataObject) -> list[object]:
    standing = list(Drawer.objects.live().filter(user_id=user.id, role="user").order_by("id"))
    if not standing:
        return []
    chosen = data.draw(st.sampled_from(standing))
    return [delete(user.id, "drawer", chosen.id, NOW).id]


def assert_nothing_buried_speaks(user: User) -> None:
    for fact in Fact.objects.filter(user_id=user.id, deleted_at=None):
        sources = FactSource.objects.filter(user_id=user.id, fact_id=fact.id)
        assert sources.filter(drawer__deleted_at=None).exists()


def told(user: User) -> list[tuple[object, ...]]:
    """Facts as they stand, equal neighbours in time told once."""
    facts = Fact.objects.filter(user_id=user.id, deleted_at=None).order_by("valid_from", "id")
    return sorted(
        (fact.statement, str(fact.valid_from), str(fact.valid_to), fact.status)
        for fact in facts
        if fact.valid_from != fact.valid_to
    )
