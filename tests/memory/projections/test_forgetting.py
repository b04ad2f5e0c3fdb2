"""After any sequence of steps, profile, insights and skills contain nothing that was forgotten."""

import json
from datetime import timedelta
from uuid import UUID, uuid4

from django.db import transaction
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from accounts.models import User
from accounts.tenancy import tenant
from llm import current
from memory.facts.queries import current_facts
from memory.forgetting.trash import delete, purge, undo
from memory.models import Drawer, Fact, Profile
from memory.projections.insights import insights
from memory.projections.profile import profile_of
from memory.projections.skills import skills_by_status
from memory.projections.upkeep import refresh_due
from tests.fake_gateway import FakeChat
from tests.memory.palaces import MONDAY, file, learn

CITIES = ("Porto", "Oslo", "Rome")
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["say", "say", "refresh", "refresh", "forget", "undo", "reject", "purge"]),
        st.integers(0, 5),
    ),
    min_size=4,
    max_size=10,
)


def _echo(request):
    """A model that repeats every fact it is given."""
    lines = request.messages[1].content.splitlines()[1:-1]
    facts = [json.loads(line)["fact"] for line in lines]
    return json.dumps({"paragraphs": [" ".join(facts)]})


class _Scenario:
    """A palace with its own clock."""

    def __init__(self, user):
        self.user = user
        self.now = MONDAY
        self.deletions: list[UUID] = []

    def do(self, step, choice):
        self.now += timedelta(hours=1)
        steps = {
            "say": self._say,
            "forget": self._forget,
            "undo": self._undo,
            "reject": self._reject,
            "refresh": lambda _: refresh_due(self.user.id, self.now),
            "purge": lambda _: purge(self.user.id, self.now + timedelta(days=1)),
        }
        steps[step](choice)

    def _say(self, choice):
        city = CITIES[choice % 3]
        (drawer,) = file(self.user.id, [f"I live in {city}. ({uuid4()})"])
        kind = "identity" if choice < 3 else "successful_path"
        with transaction.atomic():
            known = Fact.objects.filter(statement=_statement(kind, city), deleted_at=None)
            if not known.exists():
                learn(
                    drawer,
                    city,
                    _statement(kind, city),
                    kind=kind,
                    key="home_city" if choice < 3 else f"path_{city}",
                    single_valued=choice < 3,
                    predicate="lives_in",
                    valid_from=self.now,
                )

    def _forget(self, choice):
        drawers = list(Drawer.objects.live().filter(user_id=self.user.id).order_by("-id"))
        if drawers:
            drawer = drawers[choice % len(drawers)]
            self.deletions.append(delete(self.user.id, "drawer", drawer.id, self.now).id)

    def _undo(self, choice):
        last = self.deletions.pop() if self.deletions else None
        if last and Drawer.objects.filter(user_id=self.user.id, deletion_id=last).exists():
            undo(self.user.id, last, self.now)

    def _reject(self, choice):
        facts = list(current_facts(self.user.id).order_by("-id"))
        if facts:
            Fact.objects.filter(id=facts[choice % len(facts)].id).update(status="rejected")

    def check(self):
        live = Fact.objects.filter(user_id=self.user.id, deleted_at=None)
        accepted = {fact.value for fact in live.filter(status__in=("active", "superseded"))}
        now = {f.value for f in current_facts(self.user.id, self.now).filter(kind="identity")}
        stored = " ".join(p for row in Profile.objects.all() for p in row.paragraphs)
        known = {fact.value for fact in live}
        paths = {f.value for f in current_facts(self.user.id).filter(kind="successful_path")}
        insight_text = " ".join(each.sentence for each in insights(self.user.id).items)
        skills = " ".join(each.text.worked for each in skills_by_status(self.user.id, "proposed").items)
        for city in CITIES:
            assert (city in profile_of(self.user.id, self.now).prose.text) == (city in now)
            assert city in known or city not in stored
            assert city in accepted or city not in insight_text
            assert city in paths or city not in skills


def _statement(kind, city):
    return f"The user lives in {city}." if kind == "identity" else f"Going by train to {city} works."


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
@example(steps=[("say", 0), ("refresh", 0), ("forget", 0), ("undo", 0)])
@example(steps=[("say", 0), ("say", 1), ("refresh", 0), ("forget", 1), ("refresh", 0)])
@example(steps=[("say", 3), ("refresh", 0), ("reject", 0), ("forget", 0), ("purge", 0)])
def test_projections_never_contain_forgotten_values(db, steps):
    user = User.objects.create_user(f"{uuid4()}@example.org")
    with tenant(user.id), current.using(chat=FakeChat(answer=_echo)):
        scenario = _Scenario(user)
        for step, choice in steps:
            scenario.do(step, choice)
            scenario.check()
