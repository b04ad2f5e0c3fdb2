"""Filing, mining in any spans, repeated deliveries, deleting and restoring, in any order: the resulting facts
depend only on the drawers that are left.

`pytest --hypothesis-profile=drill` tries fifteen times as many stories as the suite does.
"""

from dataclasses import dataclass, field
from datetime import timedelta
from itertools import permutations
from uuid import UUID

import pytest
from django.db import transaction
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
from tests.memory.facts.stories import DAY, STORES, Replay, Said, assert_consistent, expected, rows, story
from tests.memory.mining.reading import extract

pytestmark = pytest.mark.usefixtures("embedder")

A_FIFTH = settings(
    max_examples=settings().max_examples // 5,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
A_TENTH = settings(A_FIFTH, max_examples=settings().max_examples // 10)
STEPS = st.lists(
    st.tuples(st.sampled_from(("file", "file", "delete", "restore")), st.integers(0, 99)), max_size=30
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
STORIES = {
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


def one_a_day(values, *, single):
    said = st.builds(
        Said, day=st.integers(0, 7), value=st.sampled_from(values), single=st.just(single), over=st.booleans()
    )
    return st.lists(said, max_size=5, unique_by=lambda each: each.day)


STATEMENTS = st.tuples(one_a_day("AB", single=True), one_a_day("CD", single=False)).map(
    lambda parts: parts[0] + parts[1]
)


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("text", STORIES)
def test_validity_does_not_depend_on_the_order_of_filing(new_user, text, store):
    statements = story(text)
    assert expected(statements) == STORIES[text].split()
    user = new_user()
    with tenant(user.id):
        replay = Replay(user, statements, store(user))
        for order in permutations(range(len(statements))):
            with transaction.atomic():
                for number in order:
                    replay.file(number)
                assert replay.store.intervals() == STORIES[text].split()
                if list(order) == sorted(order, reverse=True):
                    _delete_each(replay)
                transaction.set_rollback(True)


def _delete_each(replay):
    """Deleting a drawer is like never having filed it, and restoring it restores every row."""
    before = rows(replay.user)
    for number in range(len(replay.statements)):
        replay.delete(number)
        assert replay.store.intervals() == replay.expected()
        replay.restore(number)
        assert rows(replay.user) == before


@pytest.mark.parametrize("store", STORES)
@A_FIFTH
@given(statements=STATEMENTS, steps=STEPS)
def test_validity_depends_only_on_filed_statements_that_are_not_deleted(new_user, store, statements, steps):
    user = new_user()
    with tenant(user.id):
        replay = Replay(user, statements, store(user))
        for action, chance in steps:
            live = [number for number in range(len(statements)) if number not in replay.deletions]
            among = list(replay.deletions) if action == "restore" else live
            if among:
                getattr(replay, action)(among[chance % len(among)])
                assert_consistent(user)
        assert replay.store.intervals() == replay.expected()


@pytest.mark.parametrize(
    ("text", "deleted", "restored"),
    [
        ("B1 A2 B5 B0 A7", (2, 0, 3, 4, 1), (2, 3, 4, 1, 0)),
        *(
            ("c2 !c4 c5", deleted, restored)
            for deleted in permutations(range(3))
            for restored in ((0, 1, 2), (2, 1, 0))
        ),
    ],
)
def test_validity_after_deleting_and_restoring_drawers_in_different_orders(new_user, text, deleted, restored):
    user = new_user()
    with tenant(user.id):
        replay = Replay(user, story(text), STORES[0](user))
        for number in range(len(replay.statements)):
            replay.file(number)
        for number in deleted:
            replay.delete(number)
        for number in restored:
            replay.restore(number)
            assert replay.store.intervals() == replay.expected()
            assert_consistent(user)


@A_TENTH
@given(data=st.data())
def test_mining_a_chat_in_any_spans_and_repeatedly_gives_the_same_facts(new_user, data):
    clean, user = new_user(), new_user()
    with tenant(clean.id):
        remember(clean.id, *_with_answers(LINES))
        expected_facts = known(clean)
    with tenant(user.id):
        chat = Chat(user)
        while chat.number < len(LINES) or data.draw(st.booleans()):
            action = data.draw(st.sampled_from(("append", "mine", "delete", "undo", "again")))
            chat.step(action, data.draw(st.integers(0, 99)))
            assert_consistent(user)
        while chat.deletions:
            chat.step("undo", data.draw(st.integers(0, 99)))
        mine(user.id)
        deliver_again(user)
        assert known(user) == expected_facts
        assert_consistent(user)


@dataclass
class Chat:
    """A chat that continues while it is mined, and whose drawers are deleted and restored."""

    user: User
    conversation: Conversation | None = None
    number: int = 0
    deletions: list[UUID] = field(default_factory=list)

    def step(self, action, chance):
        if action == "append" and self.number < len(LINES):
            self._append()
        elif action == "mine":
            mine(self.user.id)
        elif action == "again":
            deliver_again(self.user)
        elif action == "delete":
            self._delete(chance)
        elif action == "undo" and self.deletions:
            undo(self.user.id, self.deletions.pop(chance % len(self.deletions)), NOW)

    def _append(self):
        at = NOW - 30 * DAY + self.number * timedelta(minutes=2)
        words = _with_answers(LINES[self.number : self.number + 1])
        self.number += 1
        if self.conversation is None:
            self.conversation = converse(self.user.id, *words, at=at)
        else:
            add(self.conversation, words, at)

    def _delete(self, chance):
        live = list(_live_drawers(self.user))
        if live:
            drawer = live[chance % len(live)]
            self.deletions.append(delete(self.user.id, "drawer", drawer.id, NOW).id)


def deliver_again(user):
    """File the facts of every live drawer again, the last drawer first."""
    for drawer in reversed(_live_drawers(user)):
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


def _live_drawers(user):
    return list(Drawer.objects.live().filter(user_id=user.id, role="user").order_by("id"))


def _with_answers(lines):
    """The lines of a user, each with an insignificant reply."""
    return [words for line in lines for words in (line, "I see.")]


def known(user):
    """Facts and relations that are not deleted, with their validity."""
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
