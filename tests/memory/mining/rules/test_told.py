"""What people tell in many ways, and what sounds like it: every sentence with all that it gives."""

from pathlib import Path

import pytest

from memory.mining.rules.endings import standing
from memory.mining.rules.extractor import LANGUAGES
from memory.mining.rules.matching import facts_of
from tests.memory.mining.chats import turn

LINES = [
    tuple(line.split("\t"))
    for path in sorted((Path(__file__).parent / "told").glob("*.tsv"))
    for line in path.read_text(encoding="utf-8").splitlines()
]
LEAST_NEGATIVES = 0.35


@pytest.mark.parametrize(("said", "expected"), LINES, ids=[line[0] for line in LINES])
def test_a_message_gives_what_it_tells_and_nothing_else(said, expected):
    found = standing(facts_of(turn(said), LANGUAGES))
    given = "; ".join(f"{item.fact.kind}: {item.fact.object}" for item in found)
    assert (given or "-") == expected


def test_a_good_part_of_the_messages_gives_nothing():
    silent = [said for said, expected in LINES if expected == "-"]
    assert len(silent) > LEAST_NEGATIVES * len(LINES)
