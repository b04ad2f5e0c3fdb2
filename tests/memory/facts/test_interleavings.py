"""Filing, repeating, deleting and restoring, in any order: what is valid depends only on the drawers that are
left. `tests/chat/test_interleavings.py` tests the same for mining with a model and for re-extraction.

`pytest --hypothesis-profile=drill` tries fifteen times as many sequences as the suite does.
"""

from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import permutations
from uuid import uuid4

import pytest
from django.db import transaction
from django.db.models import F
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accounts.models import User
from accounts.tenancy import tenant
from memory.facts.filing import file_fact
from memory.forgetting.trash import delete, undo
from memory.graph.intervals import Claim, windows
from memory.graph.relations import add_source, relation_source
from memory.mining.fact_filing import file_facts
from memory.mining.transcripts import CONVERSATION, Transcript, Turn
from memory.models import Drawer, Fact, FactSource, Relation
from memory.organize.notes import Note, save_note
from tests.drills.ledger import NOW, add, converse, mine, remember
from tests.memory.mining.chats import extract
from tests.memory.palaces import statement_in

pytestmark = pytest.mark.usefixtures("embedder")

DAY = timedelta(days=1)
A_FIFTH = settings(
    max_examples=settings().max_examples // 5, deadline=None, suppress_health_check=list(HealthCheck)
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


@dataclass(frozen=True)
class Said:
    """A statement on a day that a value holds, or that it is over. A `single` value replaces others, unless
    it is not `sure` and they are."""

    day: int
    value: str
    single: bool = True
    over: bool = False
    sure: bool = True

    @property
    def certainty(self):
        return 0.9 if self.sure else 0.6

    @property
    def at(self):
        return NOW + self.day * DAY


def story(text):
    """`A0 !A5 b2`: A holds from day 0 to day 5; lower-case values can hold at the same time."""
    statements = [(word.removeprefix("!"), word.startswith("!")) for word in text.split()]
    return [Said(int(word[1:]), word[0].upper(), word[0].isupper(), over) for word, over in statements]


def expected_of(said):
    """The validity that the engine alone computes for a story."""
    claims = []
    for each in sorted(said, key=lambda each: (each.day, each.over)):
        kinds = {"ends": each.over, "exclusive": each.single and not each.over, "track": each.single}
        identity = (each.single, each.value)
        kinds["certainty"] = each.certainty
        claims.append(Claim(identity, each.at, evidence=None, name=each.value, **kinds))
    return as_text((each.value[1], each.start, each.end) for each in windows(claims) if not each.is_empty)


class AsFacts:
    """Files a story as facts, which the graph shows too."""

    @staticmethod
    def file(said, drawer):
        key, predicate = ("home_city", "lives_in") if said.single else (f"likes_{said.value}", "likes")
        fields = {"kind": "identity", "key": key, "predicate": predicate, "single_valued": said.single}
        fields |= dict.fromkeys(("value", "object"), said.value) | {"authority": "user"}
        fields["confidence"] = said.certainty
        statement = f"The user {key} {said.value}."
        span = (0, 1)
        file_fact(
            statement_in(drawer, span, ended=said.over, statement=statement, valid_from=said.at, **fields)
        )

    @staticmethod
    def intervals(user):
        facts = Fact.objects.filter(user_id=user.id, deleted_at=None).exclude(status="pending_review")
        found = as_text(facts.values_list("value", "valid_from", "valid_to"))
        assert AsRelations.intervals(user, subject__type="user") == found
        return found


class AsRelations:
    """Files a story as relations of another person."""

    @staticmethod
    def file(said, drawer):
        ends = ("Ana", "person"), "lives_in" if said.single else "likes", (said.value, "place")
        kinds = {"ends": said.over, "single_valued": said.single}
        add_source(relation_source(drawer, *ends, at=said.at, confidence=0.9, **kinds))

    @staticmethod
    def intervals(user, **shown):
        edges = Relation.objects.filter(user_id=user.id, deleted_at=None, **shown or {"subject__name": "Ana"})
        return as_text(edges.values_list("object__name", "valid_from", "valid_to"))


def as_text(found):
    """`A0-5 A9-`: adjacent intervals of a value are joined, and empty ones are left out."""
    merged = []
    for value, start, end in sorted(found, key=lambda each: (each[0], each[1], each[2] is None)):
        if end == start:
            continue
        if merged and merged[-1][0] == value and merged[-1][2] == start:
            merged[-1] = (value, merged[-1][1], end)
        else:
            merged.append((value, start, end))
    return [f"{value}{(start - NOW).days}-{(end - NOW).days if end else ''}" for value, start, end in merged]


class Replay:
    """Files the statements of a story in any order and repeatedly, and deletes and restores their drawers."""

    def __init__(self, user, statements, store):
        self.user, self.statements, self.store = user, statements, store
        self.filed, self.deletions = set(), {}
        self._drawers = [save_note(user.id, Note(f"{uuid4()}"), each.at) for each in statements]

    def file(self, number):
        self.filed.add(number)
        self.store.file(self.statements[number], self._drawers[number])

    def delete(self, number):
        self.deletions[number] = delete(self.user.id, "drawer", self._drawers[number].id, NOW).id

    def restore(self, number):
        undo(self.user.id, self.deletions.pop(number), NOW)

    def check(self):
        left = self.filed - set(self.deletions)
        assert self.store.intervals(self.user) == expected_of(self.statements[number] for number in left)


def rows(user):
    """Every fact, source and relation that is not deleted, with all columns."""
    return [
        list(table.objects.filter(user_id=user.id, **{live: None}).order_by("id").values())
        for table, live in (
            (Fact, "deleted_at"),
            (FactSource, "drawer__deleted_at"),
            (Relation, "deleted_at"),
        )
    ]


def assert_consistent(user):
    """Every fact has a source, counts each of its sources, and is superseded exactly if it has ended."""
    for fact in Fact.objects.filter(user_id=user.id, deleted_at=None):
        sources = FactSource.objects.filter(user_id=user.id, fact_id=fact.id)
        assert sources.filter(drawer__deleted_at=None).exists()
        assert fact.times_seen == sources.count()
        assert fact.valid_to is None or fact.valid_from <= fact.valid_to
        assert (fact.status == "superseded") == (fact.valid_to is not None)


@pytest.fixture
def new_user(db):
    """Creates as many users as a test needs."""
    return lambda: User.objects.create_user(f"{uuid4()}@example.org")


@pytest.mark.parametrize("store", [AsFacts, AsRelations])
@pytest.mark.parametrize("text", STORIES)
def test_validity_does_not_depend_on_the_order_of_filing(new_user, text, store):
    statements = story(text)
    assert expected_of(statements) == STORIES[text].split()
    user = new_user()
    with tenant(user.id):
        replay = Replay(user, statements, store)
        for order in permutations(range(len(statements))):
            with transaction.atomic():
                for number in order:
                    replay.file(number)
                replay.check()
                if list(order) == sorted(order, reverse=True):
                    _delete_each(replay)
                transaction.set_rollback(True)


def _delete_each(replay):
    """Deleting a drawer is like never having filed it, and restoring it restores every row."""
    before = rows(replay.user)
    for number in range(len(replay.statements)):
        replay.delete(number)
        replay.check()
        replay.restore(number)
        assert rows(replay.user) == before


def one_a_day(values, *, single):
    said = st.builds(
        Said,
        day=st.integers(0, 7),
        value=st.sampled_from(values),
        single=st.just(single),
        over=st.booleans(),
        sure=st.booleans() if single else st.just(True),
    )
    return st.lists(said, max_size=5, unique_by=lambda each: each.day)


ACTIONS = st.sampled_from(("file", "file", "delete", "restore"))


@pytest.mark.parametrize("store", [AsFacts, AsRelations])
@A_FIFTH
@given(
    values=one_a_day("AB", single=True),
    more=one_a_day("CD", single=False),
    steps=st.lists(st.tuples(ACTIONS, st.integers(0, 99)), max_size=30),
)
def test_validity_depends_only_on_filed_statements_that_are_not_deleted(new_user, store, values, more, steps):
    user = new_user()
    with tenant(user.id):
        said = [replace(each, sure=each.sure or store is AsRelations) for each in values + more]
        replay = Replay(user, said, store)
        for action, chance in steps:
            live = [number for number in range(len(replay.statements)) if number not in replay.deletions]
            among = list(replay.deletions) if action == "restore" else live
            if among:
                getattr(replay, action)(among[chance % len(among)])
                assert_consistent(user)
        replay.check()


ORDERS = [("c2 !c4 c5", gone, back) for gone in ((0, 2, 1), (2, 1, 0)) for back in ((0, 1, 2), (2, 1, 0))]


@pytest.mark.parametrize(
    ("text", "deleted", "restored"), [*ORDERS, ("B1 A2 B5 B0 A7", (2, 0, 3, 4, 1), (2, 3, 4, 1, 0))]
)
def test_validity_after_deleting_and_restoring_drawers_in_different_orders(new_user, text, deleted, restored):
    user = new_user()
    with tenant(user.id):
        replay = Replay(user, story(text), AsFacts)
        for number in range(len(replay.statements)):
            replay.file(number)
        for number in deleted:
            replay.delete(number)
        for number in restored:
            replay.restore(number)
            replay.check()
            assert_consistent(user)


LINES = (
    "I live in Porto.",
    "I work at Roche.",
    "I live in Oslo.",
    "I love chess.",
    "I'm allergic to penicillin.",
    "I love chess.",
    "I live in Porto.",
)


def with_answers(lines):
    return [words for line in lines for words in (line, "I see.")]


class Chat:
    """A chat that continues while it is mined, and whose drawers are deleted and restored."""

    def __init__(self, user):
        self.user, self.number, self.deletions = user, 0, []
        self.conversation = converse(user.id)

    def append(self, choice):
        at = NOW - 30 * DAY + self.number * timedelta(minutes=2)
        add(self.conversation, with_answers(LINES[self.number : self.number + 1]), at)
        self.number += 1

    def mine(self, choice):
        mine(self.user.id)

    def delete(self, choice):
        if live := user_drawers():
            drawer = live[choice % len(live)]
            self.deletions.append(delete(self.user.id, "drawer", drawer.id, NOW).id)

    def undo(self, choice):
        if self.deletions:
            undo(self.user.id, self.deletions.pop(choice % len(self.deletions)), NOW)

    def deliver_again(self, choice=0):
        """File the facts of every live drawer again, the last drawer first."""
        for drawer in reversed(user_drawers()):
            turn = Turn(
                drawer.source_message_id, drawer.source_sequence, "user", drawer.content, drawer.said_at
            )
            source = (self.user.id, CONVERSATION, drawer.source_id)
            transcript = Transcript(*source, "A chat", drawer.said_at, (turn,))
            file_facts(transcript, extract(transcript), {turn.message_id: drawer}, 0.5)


def user_drawers():
    return list(Drawer.objects.live().filter(role="user").order_by("id"))


def known():
    """Facts and relations that are not deleted, with their validity."""
    facts = Fact.objects.filter(deleted_at=None).exclude(valid_to=F("valid_from"))
    edges = Relation.objects.filter(deleted_at=None)
    return (
        sorted(map(str, facts.values_list("statement", "valid_from", "valid_to", "status"))),
        sorted(map(str, edges.values_list("relation", "object__name", "valid_from", "valid_to"))),
    )


@settings(A_FIFTH, max_examples=settings().max_examples // 10)
@given(data=st.data())
def test_mining_a_chat_in_any_spans_and_repeatedly_gives_the_same_facts(new_user, data):
    clean, user = new_user(), new_user()
    with tenant(clean.id):
        remember(clean.id, *with_answers(LINES))
        expected = known()
        assert len(expected[0]) > 4
    with tenant(user.id):
        chat = Chat(user)
        while chat.number < len(LINES) or data.draw(st.booleans()):
            actions = ("append", "mine", "delete", "undo", "deliver_again")
            action = data.draw(st.sampled_from(actions[chat.number == len(LINES) :]))
            getattr(chat, action)(data.draw(st.integers(0, 99)))
            assert_consistent(user)
        while chat.deletions:
            chat.undo(data.draw(st.integers(0, 99)))
        chat.mine(0)
        chat.deliver_again()
        assert known() == expected
        assert_consistent(user)
