from datetime import timedelta

import pytest

from accounts.models import User
from accounts.tenancy import tenant
from llm import current
from llm.fake_gateway import FakeEmbedder
from memory.models import Drawer, Fact
from memory.review import NoSuchFact, approve, reconsider, reject
from tests.memory.palaces import MONDAY, file, learn

SINGLE = {"key": "identity:city", "single_valued": True, "kind": "identity"}


@pytest.fixture
def drawer(as_alice: User) -> Drawer:
    with current.using(embedder=FakeEmbedder()):
        return file(as_alice.id, ["I live in Porto. No, in Lisbon."])[0]


@pytest.fixture
def porto(drawer: Drawer) -> Fact:
    return learn(drawer, "Porto", "Lives in Porto.", **SINGLE)


@pytest.fixture
def lisbon(drawer: Drawer, porto: Fact) -> Fact:
    later = MONDAY + timedelta(days=1)
    return learn(
        drawer, "Lisbon", "Lives in Lisbon.", valid_from=later, review_reason="Unsure.", **SINGLE
    )


def test_an_approved_value_ends_the_one_before(porto: Fact, lisbon: Fact):
    approve(lisbon.user_id, lisbon.id)

    porto.refresh_from_db()
    lisbon.refresh_from_db()
    assert lisbon.status == "active"
    assert (porto.status, porto.valid_to) == ("superseded", lisbon.valid_from)


@pytest.mark.parametrize("decide", [approve, reject])
def test_taking_a_decision_back_leaves_everything_as_before(
    porto: Fact, lisbon: Fact, decide: object
):
    decide(lisbon.user_id, lisbon.id)  # type: ignore[operator]
    reconsider(lisbon.user_id, lisbon.id)

    porto.refresh_from_db()
    lisbon.refresh_from_db()
    assert (porto.status, porto.valid_to) == ("active", None)
    assert (lisbon.status, lisbon.valid_to) == ("pending_review", None)


def test_an_approved_value_of_the_past_is_closed_at_once(porto: Fact, drawer: Drawer):
    earlier = MONDAY - timedelta(days=9)
    old = learn(
        drawer, "in", "Lives in Braga.", valid_from=earlier, review_reason="Unsure.", **SINGLE
    )

    approve(old.user_id, old.id)

    old.refresh_from_db()
    porto.refresh_from_db()
    assert (old.status, old.valid_to) == ("superseded", porto.valid_from)
    assert porto.status == "active"


def test_what_never_waited_is_not_put_into_review(porto: Fact):
    with pytest.raises(NoSuchFact):
        reconsider(porto.user_id, porto.id)


def test_nobody_decides_about_another(lisbon: Fact, bob: User):
    with tenant(bob.id):
        for decide in (approve, reject, reconsider):
            with pytest.raises(NoSuchFact):
                decide(bob.id, lisbon.id)
