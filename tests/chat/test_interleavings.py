"""However appending, mining, re-extracting, deleting and restoring are interleaved, the result is that of one
clean run over the same messages."""

import re
from datetime import timedelta
from itertools import pairwise
from typing import Any
from uuid import uuid4

import pytest
from django.db.models import F
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from accounts.models import User
from accounts.tenancy import tenant
from chat.mining.run import reextract_for_user
from chat.models import Conversation
from llm import current
from memory.forgetting import trash
from memory.mining.reextraction import request_all
from memory.models import Drawer, Fact, FactSource, MinedWindow
from tests.drills.ledger import LONG, NOW, Clock, Said, add, converse, mine
from tests.drills.rows import differences, rows_of
from tests.fake_gateway import FakeChat, FakeEmbedder
from tests.memory.mining.answers import answer, placed, stated

pytestmark = pytest.mark.drill

SAID = (
    "I live in Porto.",
    "I live in Oslo.",
    "I live in Lima.",
    "I love chess.",
    "I love tea.",
    "My sister is called Olga.",
    "How are you?",
    "ok",
    "我住在上海。",
)
HELD = (Fact.Status.ACTIVE, Fact.Status.SUPERSEDED)
BEGAN = NOW - timedelta(days=40)
OPERATIONS = st.one_of(
    st.tuples(st.just("say"), st.lists(st.sampled_from(SAID), min_size=1, max_size=6)),
    st.tuples(st.just("mine"), st.none()),
    st.tuples(st.just("reextract"), st.none()),
    st.tuples(st.just("forget"), st.integers(0, 40)),
    st.tuples(st.just("restore"), st.none()),
)
LOVES = {"kind": "preference", "predicate": "loves", "single_valued": False}
_TURN = re.compile(r"\[(t\d+)\] user [^\n]*\n    ([^\n]*)")


def extract(request):
    """A model that finds homes and preferences, and words preferences differently."""
    shown = request.messages[1].content.split("<transcript>")[1]
    facts = []
    for name, words in _TURN.findall(shown):
        if said := re.match(r"I live in (\w+)", words):
            facts.append({"statement": f"The user lives in {said[1]}."})
        elif said := re.match(r"I love (\w+)", words):
            facts.append(LOVES | {"key": f"loves_{said[1]}", "statement": f"The user is fond of {said[1]}."})
        if said:
            facts[-1] |= {"turn": name, "value": said[1], "object": said[1], "quote": said[0]}
    turns = [placed(name) for name in re.findall(r"\[(t\d+)\]", shown)]
    return answer(turns=turns, facts=[stated(**fact) for fact in facts])


class Scenario:
    """A user's chat, and the operations on it."""

    def __init__(self):
        self.user = User.objects.create_user(f"{uuid4()}@example.org")
        self.deletions: list[tuple[Any, int]] = []
        self.words: list[str] = []
        with tenant(self.user.id):
            self.chat = converse(self.user.id, at=BEGAN, last_message_at=BEGAN)

    def do(self, operation, given):
        with tenant(self.user.id):
            getattr(self, operation)(given)
            self.check()

    def say(self, words):
        at = BEGAN + timedelta(minutes=len(self.words))
        add(self.chat, [Said(each, role="user") for each in words], at)
        self.words += words

    def mine(self, given=None):
        mine(self.user.id, Clock())

    def reextract(self, given=None):
        request_all(self.user.id, NOW)
        with current.using(chat=FakeChat(answer=extract)):
            assert reextract_for_user(self.user.id, Clock(), LONG).failures == 0

    def forget(self, place):
        if kept := list(Drawer.objects.live().order_by("source_sequence")):
            drawer = kept[place % len(kept)]
            deletion = trash.delete(self.user.id, "drawer", drawer.id, NOW)
            self.deletions.append((deletion.id, drawer.source_sequence))

    def restore(self, given=None):
        if self.deletions:
            trash.undo(self.user.id, self.deletions.pop()[0], NOW)

    def finish(self):
        """Mine and re-extract everything that remains, twice; the second time changes nothing."""
        with tenant(self.user.id):
            found = []
            for _ in range(2):
                self.mine()
                self.reextract()
                found.append(rows_of(self.user.id))
            assert differences(*found) == []
            self.check()

    def check(self):
        """Check the invariants."""
        drawers = list(Drawer.objects.values_list("source_sequence", "pointer_drawer", "content"))
        assert len({sequence for sequence, _, _ in drawers}) == len(drawers)
        assert sorted(pointer for _, pointer, _ in drawers) == list(range(1, len(drawers) + 1))
        assert [
            (sequence, content) for sequence, _, content in drawers if self.words[sequence - 1] != content
        ] == []
        windows = MinedWindow.objects.order_by("first_sequence")
        spans = list(windows.values_list("first_sequence", "last_sequence"))
        assert [(one, other) for one, other in pairwise(spans) if one[1] + 1 != other[0]] == []
        active = Fact.objects.filter(status=Fact.Status.ACTIVE, deleted_at=None)
        homes = active.filter(single_valued=True).values_list("key", flat=True)
        assert len(homes) == len(set(homes))
        founded = FactSource.objects.filter(drawer__deleted_at=None).values("fact_id")
        assert not active.exclude(id__in=founded).exists()

    def result(self):
        """Facts with their validity, where adjacent intervals of the same fact are joined."""
        with tenant(self.user.id):
            facts = Fact.objects.filter(deleted_at=None, merged_into_id=None)
            held = facts.filter(status__in=HELD).exclude(valid_to=F("valid_from"))
            times: list[list[Any]] = []
            for fact in held.order_by("statement", "valid_from"):
                if times and times[-1][::2] == [fact.statement, fact.valid_from]:
                    times[-1][2] = fact.valid_to
                else:
                    times.append([fact.statement, fact.valid_from, fact.valid_to])
            waiting = facts.exclude(status__in=HELD).values_list("statement", "status")
            return [*times, *sorted(waiting)]


@pytest.mark.django_db
@settings(
    max_examples=20,
    deadline=None,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.lists(OPERATIONS, min_size=2, max_size=10))
def test_any_interleaving_gives_the_result_of_a_clean_run(operations):
    with current.using(embedder=FakeEmbedder()):
        mixed, clean = Scenario(), Scenario()
        for operation, what in operations:
            mixed.do(operation, what)
        mixed.finish()
        if mixed.words:
            clean.do("say", mixed.words)
        clean.finish()
        with tenant(clean.user.id):
            gone = [sequence for _, sequence in mixed.deletions]
            for drawer in Drawer.objects.filter(source_sequence__in=gone):
                trash.delete(clean.user.id, "drawer", drawer.id, NOW)
        assert mixed.result() == clean.result()
        assert Conversation.objects.count() == 0, "without a tenant nothing is seen"
