"""Recall finds a question in whatever is pasted around it."""

import tomllib
from datetime import timedelta
from itertools import cycle, islice
from pathlib import Path

import pytest

from llm import current
from memory.recall.pipeline import ranking
from memory.recall.types import RecallRequest, RecallSettings
from tests.drills.ledger import NOW
from tests.fake_gateway import FakeEmbedder
from tests.memory.palaces import Spot, file

LENGTH = 5_000
PASTES = {
    paste["name"]: paste["text"].strip("\n").split("\n")
    for paste in tomllib.loads(Path(__file__).with_name("pastes.toml").read_text())["paste"]
}
SAID = (
    "My dog Bruno is a greyhound and hates thunder.",
    "The tax office wants form 17 from me.",
    "We are painting the kitchen sage green.",
    "My dentist Dr Osei has moved to Mill Lane.",
)
ASKED = ("What breed is my dog Bruno?", "Which form does the tax office want from me?")


def pasted(question: str, paste: list[str], place: str) -> str:
    """The question before, after or within a paste that is repeated to 5,000 characters."""
    times = -(-LENGTH // len("\n".join(paste)))
    lines = list(islice(cycle(paste), times * len(paste)))
    at = {"before": 0, "after": len(lines), "within": len(lines) // 2}[place]
    return "\n".join([*lines[:at], "", question, "", *lines[at:]]).strip("\n")


@pytest.mark.parametrize("place", ["before", "after", "within"])
def test_no_paste_changes_the_best_drawer(as_alice, place):
    def best(message: str) -> object:
        settings = RecallSettings(time_limit_ms=5_000)
        return ranking(RecallRequest(as_alice.id, message, NOW, settings=settings))[0].drawer_id

    with current.using(embedder=FakeEmbedder()):
        for day, words in enumerate(SAID, start=1):
            file(as_alice.id, [words], Spot(room=f"Chat {day}", start=NOW - timedelta(days=day)))
        for question in ASKED:
            alone = best(question)
            lost = [name for name, text in PASTES.items() if best(pasted(question, text, place)) != alone]
            assert lost == []
