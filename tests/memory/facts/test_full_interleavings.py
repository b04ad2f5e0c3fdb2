"""Telling, mining in any pieces, deliveries that come twice, forgetting and restoring, in whatever
order: what is known in the end is what one clean run would know.

`pytest --hypothesis-profile=at-length` tries fifteen times as many stories as the suite does.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accounts.models import User
from accounts.tenancy import tenant
from chat.models import Conversation
from memory.erasure import delete, undo
from memory.mining.rules.extractor import extract
from memory.mining.understanding import file_understanding
from memory.models import Drawer, Fact, Relation
from memory.transcripts import CONVERSATION, Transcript, Turn
from tests.drills.ledger import NOW, add, converse, mine
from tests.memory.facts.stories import DAY, STORIES, Told, assert_sound, held, tell, words_of

pytestmark = pytest.mark.usefixtures("bag_of_words")

A_FIFTH = settings(
    max_examples=settings().max_examples // 5,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
A_TENTH = settings(A_FIFTH, max_examples=settings().max_examples // 10)
STEPS = st.lists(
    st.tuples(st.sampled_from(("tell", "tell", "delete", "undo")), st.integers(0, 99)), max_size=30
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


@dataclass
class Teller:
    """Tells a story in any order, again and again, and forgets and restores its words."""

    user: User
    story: list[Told]
    drawers: list[Drawer]
    told: set[int] = field(default_factory=set)
    thrown: dict[int, UUID] = field(default_factory=dict)

    def step(self, action: str, chance: int) -> None:
        standing = [number for number in range(len(self.story)) if number not in self.thrown]
        among = list(self.thrown) if action == "undo" else standing
        if not among:
            return
        number = among[chance % len(among)]
        if action == "tell":
            self.told.add(number)
            tell(self.user, self.story[number], self.drawers[number])
        elif action == "delete":
            self.thrown[number] = delete(self.user.id, "drawer", self.drawers[number].id, NOW).id
        else:
            undo(self.user.id, self.thrown.pop(number), NOW)


@A_FIFTH
@given(story=STORIES, steps=STEPS)
def test_only_what_was_told_and_still_stands_counts(
    people: Callable[[], User], story: list[Told], steps: list[tuple[str, int]]
):
    clean, user = people(), people()
    with tenant(user.id):
        teller = Teller(user, story, words_of(user, story))
        for action, chance in steps:
            teller.step(action, chance)
            assert_sound(user)
        found = held(user)
    with tenant(clean.id):
        drawers = words_of(clean, story)
        for number in sorted(teller.told - set(teller.thrown), key=lambda each: story[each].day):
            tell(clean, story[number], drawers[number])
        assert found == held(clean)


@A_TENTH
@given(data=st.data())
def test_a_chat_mined_in_any_pieces_again_and_again_says_the_same(
    people: Callable[[], User], data: st.DataObject
):
    clean, user = people(), people()
    with tenant(clean.id):
        converse(clean.id, *_with_answers(LINES))
        mine(clean.id)
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
        file_understanding(transcript, extract(transcript), {turn.message_id: drawer}, 0.5)


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
