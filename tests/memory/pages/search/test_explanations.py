import pytest

from memory.models import Fact
from memory.pages.search.traces import bars, grounds, legend, match_of
from tests.memory.palaces import MONDAY, file, learn, relate

pytestmark = pytest.mark.usefixtures("embedder")


def row(reason="It fits.", **given):
    return {"reason": reason, "scores": {}, **given}


def test_bars_stand_in_the_order_of_the_shares_and_the_legend_names_each_once():
    found = bars(row(shares={"meaning": 0.999, "wording": 0.001, "speaker": -0.09}))
    shown = [(bar.key, bar.percent, bar.against, bar.length) for bar in found]
    assert shown == [("meaning", 100, False, 1.0), ("speaker", 9, True, 0.09)]
    thirds = bars(row(shares={"meaning": 1 / 3, "wording": 1 / 3, "time": 1 / 3}))
    assert sorted(bar.percent for bar in thirds) == [33, 33, 34]
    assert bars(row()) == ()
    both = [bars(row(shares={"meaning": 1.0})), bars(row(shares={"meaning": 0.5, "odd": 0.5}))]
    assert [str(signal.name) for signal in legend(both)] == ["Meaning", "Odd"]


def test_what_was_understood_is_shown_as_it_is_now_to_its_owner(as_alice, bob):
    (drawer,) = file(as_alice.id, ["I love rye bread. Anna is my sister."])
    fact = learn(drawer, "rye bread", "Loves rye bread.")
    relation = relate(drawer, "Anna", "sister_of", "Berta")
    hit = row(retrievers={"facts": [str(fact.id)], "graph": [str(relation.subject_id)]})

    def understood(user=as_alice):
        plain, ground = grounds(user.id, [row("One."), hit])
        assert plain.reason == "One."
        return [(each.words, each.is_fact, each.state, each.until) for each in ground.understood]

    anna = ("Anna", False, "", None)
    assert understood() == [("Loves rye bread.", True, "", None), anna]
    assert understood(bob) == []
    Fact.objects.filter(id=fact.id).update(status=Fact.Status.SUPERSEDED, valid_to=MONDAY)
    assert understood() == [("Loves rye bread.", True, "Superseded", MONDAY), anna]
    fact.delete()
    assert understood() == [anna]


@pytest.mark.parametrize(
    ("scores", "match"),
    [
        ({"similarity": 0.75, "coverage": 0.4}, "strong"),
        ({"pointer": 1.0}, "strong"),
        ({"similarity": 0.3, "known": 0.95}, "good"),
        ({"similarity": 0.45, "coverage": 0.1}, "weak"),
        ({}, "weak"),
    ],
)
def test_a_match_is_strong_good_or_weak(scores, match):
    assert match_of(scores) == match
