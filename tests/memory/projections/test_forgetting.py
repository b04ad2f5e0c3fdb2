"""After any sequence of steps, profile, insights and skills contain nothing that was forgotten."""

import json
from datetime import timedelta
from uuid import uuid4

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
ACTIONS = st.sampled_from(("say", "say", "refresh", "refresh", "forget", "undo", "reject", "purge"))
MANY = [("say", 3), ("refresh", 0), ("say", 0), ("say", 4), ("say", 1), ("refresh", 0)]


def repeats(request):
    """A model that repeats every fact it is given."""
    lines = request.messages[1].content.splitlines()[1:-1]
    return json.dumps({"paragraphs": [" ".join(json.loads(line)["fact"] for line in lines)]})


class Scenario:
    """A palace with its own clock."""

    def __init__(self, user_id):
        self.user_id, self.now, self.deletions = user_id, MONDAY, []

    def say(self, choice):
        city = CITIES[choice % 3]
        (drawer,) = file(self.user_id, [f"I live in {city}. ({uuid4()})"])
        home = {"kind": "identity", "key": "home_city", "single_valued": True}
        path = {"kind": "successful_path", "key": f"path_{city}"}
        statement = f"The user lives in {city}." if choice < 3 else f"Going by train to {city} works."
        if not Fact.objects.filter(statement=statement, deleted_at=None).exists():
            given = home if choice < 3 else path
            learn(drawer, city, statement, predicate="lives_in", valid_from=self.now, **given)

    def refresh(self, choice):
        refresh_due(self.user_id, self.now)

    def forget(self, choice):
        if drawers := list(Drawer.objects.live().order_by("-id")):
            drawer = drawers[choice % len(drawers)]
            self.deletions.append(delete(self.user_id, "drawer", drawer.id, self.now).id)

    def undo(self, choice):
        last = self.deletions.pop() if self.deletions else None
        if last and Drawer.objects.filter(deletion_id=last).exists():
            undo(self.user_id, last, self.now)

    def reject(self, choice):
        if facts := list(current_facts(self.user_id).order_by("-id")):
            Fact.objects.filter(id=facts[choice % len(facts)].id).update(status="rejected")

    def purge(self, choice):
        purge(self.user_id, self.now + timedelta(days=1))

    def check(self):
        live = Fact.objects.filter(deleted_at=None)
        known = {fact.value for fact in live}
        accepted = {fact.value for fact in live.filter(status__in=("active", "superseded"))}
        homes = {fact.value for fact in current_facts(self.user_id, self.now).filter(kind="identity")}
        paths = {fact.value for fact in current_facts(self.user_id).filter(kind="successful_path")}
        stored = str(list(Profile.objects.values_list("paragraphs", flat=True)))
        found = " ".join(each.sentence for each in insights(self.user_id).items)
        skills = " ".join(each.text.worked for each in skills_by_status(self.user_id, "proposed").items)
        for city in CITIES:
            assert (city in profile_of(self.user_id, self.now).prose.text) == (city in homes)
            assert city in known or city not in stored
            assert city in accepted or city not in found
            assert city in paths or city not in skills


@settings(
    max_examples=settings().max_examples // 4, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(steps=st.lists(st.tuples(ACTIONS, st.integers(0, 5)), min_size=4, max_size=10))
@example(steps=[(each, 0) for each in ("say", "refresh", "forget", "undo")])
@example(steps=[*MANY, ("reject", 0), ("refresh", 0), *[("forget", 0)] * 3, ("undo", 0), ("purge", 0)])
@example(steps=[("say", 0), ("say", 1), ("refresh", 0), ("forget", 1), ("refresh", 0)])
@example(steps=[("say", 3), ("refresh", 0), ("reject", 0), ("forget", 0), ("purge", 0)])
def test_projections_never_contain_forgotten_values(db, steps):
    user = User.objects.create_user(f"{uuid4()}@example.org")
    with tenant(user.id), current.using(chat=FakeChat(answer=repeats)):
        scenario = Scenario(user.id)
        for action, choice in steps:
            scenario.now += timedelta(hours=1)
            getattr(scenario, action)(choice)
            scenario.check()
