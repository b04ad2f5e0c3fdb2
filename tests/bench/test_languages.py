import json
from contextlib import nullcontext

import pytest

from bench import languages
from bench.languages import LANGUAGES, Plan, run, score, stories
from bench.rankings import Ranking
from llm import current
from memory.text.languages import language_of
from tests.fake_gateway import FakeEmbedder


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_the_same_stories(language):
    found = stories(language)
    facts = [story for story in found if story.id]
    assert [story.id for story in facts] == [story.id for story in stories("en") if story.id]
    assert all(story.said and story.asked for story in facts)
    remarks = {story.said for story in found if story.said}
    assert (len(facts), len(remarks), len(found)) == (60, 150, 162)
    spoken = [language_of(story.said or story.asked) for story in found]
    assert spoken.count(language) > 150


def ranking(*, gold: bool = True, ranked: int = 0, given: int = 0) -> Ranking:
    """A question whose drawer was ranked and injected at these places, from 1; 0 means not at all."""

    def row(place: int) -> tuple[tuple[str, str], ...]:
        return tuple(("stories", "gold" if n == place else f"other {n}") for n in range(1, place + 1))

    found = (("stories", "gold"),) if gold else ()
    return Ranking("?", "language", (), row(ranked), (), found, 1.0, 0, True, injected=row(given))


def test_hits_and_silence_are_counted_separately():
    several = [
        ranking(ranked=1, given=1),
        ranking(ranked=5, given=5),
        ranking(ranked=2, given=6),
        ranking(ranked=1),
        ranking(gold=False),
        ranking(gold=False, given=1),
    ]
    assert score(several) == {
        "top_5": 0.5,
        "top_1": 0.25,
        "ranked_top_5": 1.0,
        "ranked_top_1": 0.5,
        "wrongly_silent": 0.25,
        "rightly_silent": 0.5,
    }


@pytest.mark.django_db(transaction=True)
def test_each_language_is_measured_and_misses_are_listed(tmp_path, monkeypatch):
    few = tuple(story for story in stories("en") if story.asked)
    monkeypatch.setattr(languages, "stories", lambda language: (*few[:6], *few[-1:]))
    monkeypatch.setattr(languages, "own_database", nullcontext)
    shown: list[str] = []
    with current.using(embedder=FakeEmbedder()):
        scores = run(Plan(("en",), tmp_path, show_misses=True), lambda words: None, shown.append)
    found = scores["by_language"]["en"]
    assert (scores["questions"], found["ranked_top_5"]) == (7, 1.0)
    assert len(shown) == round(6 * (1 - found["top_5"]))
    assert json.loads((tmp_path / "scores.json").read_text()) == scores
