import pytest

from llm import current
from llm.fake_gateway import FakeEmbedder
from memory.models import Fact
from memory.pages.search.traces import bars, grounds, legend
from tests.memory.palaces import MONDAY, file, learn, relate


@pytest.fixture(autouse=True)
def _embedder():
    with current.using(embedder=FakeEmbedder()):
        yield


def row(reason="It fits.", **given):
    return {"reason": reason, "scores": {}, **given}


def test_bars_stand_in_the_order_of_the_shares_with_what_speaks_against():
    found = bars(row(shares={"meaning": 1.1, "wording": 0.001, "speaker": -0.1}))
    assert [(bar.key, bar.percent, bar.against) for bar in found] == [
        ("meaning", 110, False),
        ("speaker", 10, True),
    ]
    assert [bar.length for bar in found] == [1.0, 0.1]


def test_a_trace_from_before_shares_has_bars_too():
    old = row(scores={"cosine": 0.7, "likeness": 0.6, "meaning": 0.6, "speaker": 0.07, "words": 1})
    assert [(bar.key, bar.percent) for bar in bars(old)] == [("meaning", 90), ("speaker", 10)]
    assert bars(row()) == ()


def test_the_legend_tells_each_signal_once():
    both = [bars(row(shares={"meaning": 1.0})), bars(row(shares={"meaning": 0.5, "odd": 0.5}))]
    assert [str(signal.name) for signal in legend(both)] == ["Meaning", "Odd"]


def test_what_was_understood_is_told_as_it_is_now(as_alice):
    (drawer,) = file(as_alice.id, ["I love rye bread. Anna is my sister."])
    fact = learn(drawer, "rye bread", "Loves rye bread.")
    relation = relate(drawer, "Anna", "sister_of", "Berta")
    hit = row(retrievers={"facts": [str(fact.id)], "graph": [str(relation.subject_id)]})
    (ground,) = grounds(as_alice.id, [hit])
    assert [(each.words, each.is_fact) for each in ground.understood] == [
        ("Loves rye bread.", True),
        ("Anna", False),
    ]
    (told, _) = ground.understood
    assert (told.state, told.until) == ("", None)
    Fact.objects.filter(user_id=as_alice.id, id=fact.id).update(
        status=Fact.Status.SUPERSEDED, valid_to=MONDAY
    )
    (ground,) = grounds(as_alice.id, [hit])
    (told, _) = ground.understood
    assert (told.state, told.until) == ("Superseded", MONDAY)
    fact.delete()
    (ground,) = grounds(as_alice.id, [hit])
    assert [each.words for each in ground.understood] == ["Anna"]


def test_nobody_reads_what_was_understood_about_another(as_alice, bob):
    (drawer,) = file(as_alice.id, ["I love rye bread."])
    fact = learn(drawer, "rye bread", "Loves rye bread.")
    assert grounds(bob.id, [row(retrievers={"facts": [str(fact.id)]})])[0].understood == ()


def test_every_ground_keeps_its_place(as_alice):
    given = [row("One."), row("Two."), row("Three.")]
    assert [ground.reason for ground in grounds(as_alice.id, given)] == ["One.", "Two.", "Three."]
