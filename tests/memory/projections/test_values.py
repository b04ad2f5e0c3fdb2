from datetime import timedelta

from accounts.models import User
from memory.models import Drawer, Fact
from memory.projections.values import digest_of, in_sections, value_digest, values_of
from tests.memory.palaces import MONDAY, file, learn
from tests.memory.projections.conftest import Know

NOW = MONDAY + timedelta(days=30)


def told(user: User) -> set[str]:
    return {fact.value for fact in values_of(user.id, NOW).told}


def test_what_holds_now_is_told_the_only_values_first(as_alice: User, priya: list[Fact]):
    values = [fact.value for fact in values_of(as_alice.id, NOW).told]
    assert set(values[:4]) == {"Priya", "Zürich", "data engineer", "Tom Baker"}
    assert set(values[4:]) == {"jazz", "香菜", "penicillin"}


def test_only_the_newest_value_is_told(as_alice: User, know: Know):
    one = {"single_valued": True, "kind": "identity", "key": "home_city"}
    know("lives_in", "Porto", "The user lives in Porto.", **one)
    later = MONDAY + timedelta(days=3)
    know("lives_in", "Oslo", "The user lives in Oslo.", **one, valid_from=later)
    assert told(as_alice) == {"Oslo"}
    assert [fact.value for fact in values_of(as_alice.id, MONDAY + timedelta(days=1)).told] == ["Porto"]


def test_events_waiting_and_rejected_facts_are_kept_out(as_alice: User, know: Know):
    know("has_event", "dentist", "The user sees a dentist.", kind="event", event_time=MONDAY)
    know("experienced", "a marathon", "The user ran a marathon.", kind="experience")
    know("likes", "rum", "The user likes rum.", review_reason="Unsure.")
    rejected = know("likes", "gin", "The user likes gin.", review_reason="Unsure.")
    Fact.objects.filter(user_id=as_alice.id, id=rejected.id).update(status="rejected")
    assert told(as_alice) == set()


def test_what_only_sensitive_drawers_say_is_never_told(as_alice: User, drawer: Drawer):
    fact = learn(drawer, "jazz", "The user likes jazz.")
    Drawer.objects.filter(user_id=as_alice.id, id=drawer.id).update(sensitive=True)
    assert told(as_alice) == set()

    other = file(as_alice.id, ["Did I say that I love jazz?"])[0]
    fact.sources.create(user_id=as_alice.id, drawer_id=other.id, start=18, end=22)
    assert told(as_alice) == {"jazz"}


def test_what_a_tool_says_is_told_only_after_its_owner_approved(as_alice: User, know: Know):
    fact = know("uses", "Vim", "The user uses Vim.", kind="technical", authority="tool")
    assert told(as_alice) == set()
    Fact.objects.filter(user_id=as_alice.id, id=fact.id).update(review_reason="Said by a tool.")
    assert told(as_alice) == {"Vim"}


def test_nobody_elses_facts_are_told(as_alice: User, bob: User, priya: list[Fact]):
    assert values_of(bob.id, NOW).told == ()


def test_sections_come_in_their_order(priya: list[Fact]):
    names = [(name, {fact.value for fact in facts}) for name, facts in in_sections(priya)]
    assert names == [
        ("self", {"Priya", "Zürich", "data engineer"}),
        ("people", {"Tom Baker"}),
        ("tastes", {"jazz", "香菜"}),
        ("care", {"penicillin"}),
    ]


def test_the_digest_heeds_what_is_said_and_not_the_order(priya: list[Fact]):
    digest = digest_of(priya)
    assert digest_of(priya[::-1]) == digest
    assert digest_of(priya[1:]) != digest
    priya[0].times_seen += 1
    assert digest_of(priya) == digest
    priya[0].statement = "The user's name is Ana."
    assert digest_of(priya) != digest


def test_a_hidden_single_value_stays_hidden_when_it_changes():
    def city(value: str, *, single: bool = True) -> Fact:
        return Fact(key="home_city", value=value, single_valued=single)

    assert value_digest(city("Oslo")) == value_digest(city("Porto"))
    assert value_digest(city("Oslo", single=False)) != value_digest(city("Porto", single=False))
