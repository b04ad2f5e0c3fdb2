"""The reader's network: its windows, the confidence that its trees give, and plain statements."""

from types import SimpleNamespace

import numpy as np
import pytest

from memory.mining.reader.network import DEPTH, TRAINED, Calibration, windows
from memory.mining.screening import screen
from memory.text.owner_sentences import for_owner
from tests.memory.mining.chats import chat, extract, turn

INNER, LEAVES = 2**DEPTH - 1, 2**DEPTH


@pytest.fixture
def trees():
    """Two trees: the first asks twice whether a feature exceeds its threshold, the second never."""
    features, thresholds = np.zeros((2, INNER), np.uint8), np.full((2, INNER), np.inf, np.float32)
    features[0, :3], thresholds[0, :3] = (0, 0, 1), (1.0, np.inf, -2.0)
    leaves = np.zeros((2, LEAVES), np.float32)
    leaves[0, [0, LEAVES // 2, 3 * LEAVES // 4]] = -3, 1, 2
    leaves[1, 0] = 0.5
    return Calibration(np.array(-0.5, np.float32), features, thresholds, leaves)


def test_the_leaves_that_a_finding_reaches_add_up(trees):
    given = [(1.0, 9.0), (1.5, -2.0), (1.5, -1.0)]
    assert trees.agreements(given) == pytest.approx(1 / (1 + np.exp([3, -1, -2])))
    assert trees.agreements([]) == []


def test_trees_are_stored_and_loaded(trees, tmp_path):
    np.savez_compressed(tmp_path / "trees.npz", **trees.stored())
    with np.load(tmp_path / "trees.npz") as stored:
        assert Calibration.load(stored).agreements([(1.5, 0.0)]) == trees.agreements([(1.5, 0.0)])


def test_the_shipped_trees_grow_more_confident_with_the_network():
    with np.load(TRAINED, allow_pickle=False) as stored:
        shipped = Calibration.load(stored)
    low, high = ([value] * 45 for value in (-3.0, 3.0))
    assert shipped.agreements([low])[0] < 0.3 < 0.7 < shipped.agreements([high])[0]


def test_windows_contain_whole_sentences():
    assert list(windows([10, 10, 10], 20)) == [(0, 2), (2, 3)]
    assert list(windows([50, 5], 20)) == [(0, 1), (1, 2)]
    assert list(windows([], 20)) == []


PLAIN = """
I live in New york. / You live in New york.
I'm on metformin. / You take metformin.
I love tea. / You like tea.
I want to run a marathon. / You said: “I want to run a marathon”
My budget is 500 euros. / You said: “My budget is 500 euros”
My budget for the bike is 400 euros. / Your budget for the bike is 400 euros.
I have a garden shed. / You have a garden shed.
I visited Rome in June, 2018. / You have visited Rome (about June 2018).
I can't eat gluten. / You avoid gluten.
Please don't use bullet points in your replies.
  / You asked the assistant: “Please don't use bullet points in your replies”
Ich bin allergisch gegen Nüsse. / You are allergic to “Nüsse”.
Mein Budget ist 500 Euro. / You said: “Mein Budget ist 500 Euro”
Ma femme s'appelle Claire. / Claire is your wife.
Trabajo en Indra. / You work at Indra.
Я живу в Казани. / You live in Казань.
我对花生过敏。 / You are allergic to “花生”.
"""


@pytest.mark.parametrize("case", PLAIN.strip().replace("\n  /", " /").splitlines())
def test_plain_statements_are_filed(case):
    said, expected = case.split(" / ")
    [fact, *_] = [fact for fact in extract(chat(turn(said))).facts if not screen(fact).review_reason]
    shown = SimpleNamespace(
        predicate=fact.predicate,
        value=fact.value,
        object=fact.object,
        statement=fact.statement,
        mined_by="reader",
        authority="user",
    )
    assert for_owner(shown, lambda: fact.quote, over=fact.ended) == expected


@pytest.mark.parametrize("said", ["I'm not vegan any more.", "I no longer have a dog.", "我不在华为工作了。"])
def test_an_ending_is_never_dropped(said):
    assert any(fact.ended for fact in extract(chat(turn(said))).facts)
