"""Telling, mining in any pieces, deliveries that come twice, forgetting and restoring, in whatever order:
what is known in the end depends on the words that stand, and on nothing else.

`pytest --hypothesis-profile=at-length` tries fifteen times as many stories as the suite does.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import permutations
from typing import Any
from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accounts.models import User
from accounts.tenancy import tenant
from chat.models import Conversation
from memory.forgetting.trash import delete, undo
from memory.mining.fact_filing import file_facts
from memory.mining.transcripts import CONVERSATION, Transcript, Turn
from memory.models import Drawer, Fact, Relation
from tests.drills.ledger import NOW, add, converse, mine, remember
from tests.memory.facts.stories import DAY, STORES, Teller, Told, assert_sound, expected, rows, story
from tests.memory.mining.reading import extract

pytestmark = pytest.mark.usefixtures("embedder")

A_FIFTH = settings(
    max_examples=settings().max_examples // 5,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
A_TENTH = settings(A_FIFTH, max_examples=settings().max_examples // 10)
STEPS = st.lists(
    st.tuples(st.sampled_from(("tell", "tell", "forget", "restore")), st.integers(0, 99)), max_size=30
)
LINES = (
    "I live in Porto.",
    "I work at Roche.",
    "I live in Oslo.",
    "I love chess.",
    "I'm allergic to penicillin.",
    "I love chess.",
    "I live in Porto.",
)
TOLD = {
    "A0 B5": "A0-5 B5-",
    "A0 A3": "A0-",
    "A0 B5 A9": "A0-5 A9- B5-9",
    "A0 B9 B5": "A0-5 B5-",
    "A0 A2 B5": "A0-5 B5-",
    "A0 !A5": "A0-5",
    "A0 !A5 A9": "A0-5 A9-",
    "A0 !A5 B9": "A0-5 B9-",
    "A0 !B5": "A0-",
    "a0 b5": "A0- B5-",
    "a0 !a5 a9": "A0-5 A9-",
    "a0 B3 C6": "A0- B3-6 C6-",
}


def one_a_day(values: str, *, single: bool) -> st.SearchStrategy[list[Told]]:
    told = st.builds(
        Told, day=st.integers(0, 7), value=st.sampled_from(values), single=st.just(single), over=st.booleans()
    )
    return st.lists(told, max_size=5, unique_by=lambda each: each.day)


SAID = st.tuples(one_a_day("AB", single=True), one_a_day("CD", single=False)).map(
    lambda parts: parts[0] + parts[1]
)


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("text", TOLD)
def test_the_order_of_arrival_makes_no_difference(people: Callable[[], User], text: str, store: Any):
    said = story(text)
    assert expected(said) == TOLD[text].split()
    for order in permutations(range(len(said))):
        user = people()
        with tenant(user.id):
            teller = Teller(user, said, store(user))
            for number in order:
                teller.tell(number)
            assert teller.store.held() == TOLD[text].split()
    with tenant(user.id):
        _forget_each(teller)


def _forget_each(teller: Teller) -> None:
    """Without any of its words it is as if they had never been said, and with them as it was."""
    before = rows(teller.user)
    for number in range(len(teller.said)):
        teller.forget(number)
        assert teller.store.held() == teller.expected()
        teller.restore(number)
        assert rows(teller.user) == before


@pytest.mark.parametrize("store", STORES)
@A_FIFTH
@given(said=SAID, steps=STEPS)
def test_only_what_was_told_and_still_stands_counts(
    people: Callable[[], User], store: Any, said: list[Told], steps: list[tuple[str, int]]
):
    user = people()
    with tenant(user.id):
        teller = Teller(user, said, store(user))
        for action, chance in steps:
            standing = [number for number in range(len(said)) if number not in teller.thrown]
            among = list(teller.thrown) if action == "restore" else standing
            if among:
                getattr(teller, action)(among[chance % len(among)])
                assert_sound(user)
        assert teller.store.held() == teller.expected()


@pytest.mark.parametrize(
    ("text", "away", "back"),
    [
        ("B1 A2 B5 B0 A7", (2, 0, 3, 4, 1), (2, 3, 4, 1, 0)),
        *(("c2 !c4 c5", away, back) for away in permutations(range(3)) for back in ((0, 1, 2), (2, 1, 0))),
    ],
)
def test_words_that_went_and_came_back_in_another_order(people: Callable[[], User], text: str, away, back):
    user = people()
    with tenant(user.id):
        teller = Teller(user, story(text), STORES[0](user))
        for number in range(len(teller.said)):
            teller.tell(number)
        for number in away:
            teller.forget(number)
        for number in back:
            teller.restore(number)
            assert teller.store.held() == teller.expected()
            assert_sound(user)


@A_TENTH
@given(data=st.data())
def test_a_chat_mined_in_any_pieces_again_and_again_says_the_same(
    people: Callable[[], User], data: st.DataObject
):
    clean, user = people(), people()
    with tenant(clean.id):
        remember(clean.id, *_with_answers(LINES))
        wanted = known(clean)
    with tenant(user.id):
        chat = Chat(user)
        while chat.number < len(LINES) or data.draw(st.booleans()):
            action = data.draw(st.sampled_from(("append", "mine", "delete", "undo", "again")))
            chat.step(action, data.draw(st.integers(0, 99)))
            assert_sound(user)
        while chat.thrown:
            chat.step("undo", data.draw(st.integers(0, 99)))
        mine(user.id)
        deliver_again(user)
        assert known(user) == wanted
        assert_sound(user)


@dataclass
class Chat:
    """A chat that goes on while it is mined, and of which words are forgotten and restored."""

    user: User
    conversation: Conversation | None = None
    number: int = 0
    thrown: list[UUID] = field(default_factory=list)

    def step(self, action: str, chance: int) -> None:
        if action == "append" and self.number < len(LINES):
            self._append()
        elif action == "mine":
            mine(self.user.id)
        elif action == "again":
            deliver_again(self.user)
        elif action == "delete":
            self._delete(chance)
        elif action == "undo" and self.thrown:
            undo(self.user.id, self.thrown.pop(chance % len(self.thrown)), NOW)

    def _append(self) -> None:
        at = NOW - 30 * DAY + self.number * timedelta(minutes=2)
        words = _with_answers(LINES[self.number : self.number + 1])
        self.number += 1
        if self.conversation is None:
            self.conversation = converse(self.user.id, *words, at=at)
        else:
            add(self.conversation, words, at)

    def _delete(self, chance: int) -> None:
        standing = list(_standing(self.user))
        if standing:
            drawer = standing[chance % len(standing)]
            self.thrown.append(delete(self.user.id, "drawer", drawer.id, NOW).id)


def deliver_again(user: User) -> None:
    """Deliver what every standing drawer says once more, the last one first, as a lost pointer
    would."""
    for drawer in reversed(_standing(user)):
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
        file_facts(transcript, extract(transcript), {turn.message_id: drawer}, 0.5)


def _standing(user: User) -> list[Drawer]:
    return list(Drawer.objects.live().filter(user_id=user.id, role="user").order_by("id"))


def _with_answers(lines: tuple[str, ...]) -> list[str]:
    """The lines of a person, with an assistant that says nothing of note between."""
    return [words for line in lines for words in (line, "I see.")]


def known(user: User) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
    """Facts and relations that stand, with their times."""
    facts = Fact.objects.filter(user_id=user.id, deleted_at=None)
    edges = Relation.objects.filter(user_id=user.id, deleted_at=None)
    return (
        sorted(
            (fact.statement, str(fact.valid_from), str(fact.valid_to), fact.status)
            for fact in facts
            if fact.valid_from != fact.valid_to
        ),
        sorted(
            (edge.relation, edge.object.name, str(edge.valid_from), str(edge.valid_to))
            for edge in edges.select_related("object")
        ),
    )
