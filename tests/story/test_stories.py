"""For every dated question of a story, facts and graph say what was true then.

The year is told by one person in sixty chats. The returns are harder: what ended comes back, is taken
back, or is claimed by others. Both are read by a model that reads well; the built-in reader
answers fewer questions, but must retire nothing that is true.
"""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import pytest

from accounts.models import User
from llm import current
from tests.drills.rows import differences, rows_of
from tests.fake_gateway import FakeEmbedder
from tests.story import year
from tests.story.questions import facts_at, lasting, meets, never_hers, questions, wrong, wrongly_ended
from tests.story.year import well_read


@dataclass(frozen=True)
class Story:
    """The folder of a story, when it is over, where it is cut when it arrives in parts, and how many of its
    questions the built-in reader leaves unanswered at most."""

    folder: Path
    over: datetime
    cuts: tuple[int, int]
    unanswered: int

    def wrong_answers(self, user: User) -> list[str]:
        return [line for asked in questions(self.folder) for line in wrong(user.id, asked)]


YEAR = Story(year.FOLDER, year.AFTERWARDS, (20, 45), unanswered=39)
RETURNS = Story(year.RETURNS, year.AFTERWARDS.replace(month=9, day=15), (7, 14), unanswered=14)

drill = pytest.mark.drill
modes = pytest.mark.parametrize("mode", ["reader", "model"])
stories = pytest.mark.parametrize("story", [YEAR, RETURNS], ids=["year", "returns"])


@contextmanager
def reading(mode: str, story: Story) -> Iterator[None]:
    """With the models of this mode in use."""
    chat = well_read(story.folder) if mode == "model" else None
    with current.using(chat=chat, embedder=FakeEmbedder()):
        yield


@drill
def test_the_built_in_reader_retires_nothing_that_is_true(as_alice: User, tmp_path: Path) -> None:
    with reading("reader", RETURNS):
        year.live_through(as_alice.id, year.chats(RETURNS.folder), tmp_path, RETURNS.over)
    assert wrongly_ended(as_alice.id, RETURNS.folder) == []


@pytest.mark.parametrize(
    "story", [pytest.param(YEAR, marks=drill, id="year"), pytest.param(RETURNS, id="returns")]
)
def test_every_question_has_its_answer_and_nothing_true_is_retired(
    story: Story, as_alice: User, tmp_path: Path
) -> None:
    with reading("model", story):
        year.live_through(as_alice.id, year.chats(story.folder), tmp_path, story.over)
    assert story.wrong_answers(as_alice) == []
    assert wrongly_ended(as_alice.id, story.folder) == []
    for told in lasting(story.folder):
        assert any(meets(one, [told.value]) for one in facts_at(as_alice.id, told)), told
        for asked in questions(story.folder):
            if asked.at > told.told:
                held = facts_at(as_alice.id, told, asked.at)
                assert any(meets(one, [told.value]) for one in held), (told, asked.at)
    if story is YEAR:
        assert never_hers(as_alice.id) == []


@drill
@stories
def test_what_can_be_known_by_then_is_known_then(story: Story, as_alice: User, tmp_path: Path) -> None:
    ahead = list(year.chats(story.folder))
    with reading("model", story):
        for asked in sorted(questions(story.folder), key=lambda asked: asked.at):
            told = [chat for chat in ahead if chat.at < asked.at]
            if told:
                del ahead[: len(told)]
                year.live_through(as_alice.id, told, tmp_path, asked.at)
            if not asked.hindsight:
                assert wrong(as_alice.id, asked) == []


@drill
@modes
@stories
@pytest.mark.parametrize("seed", [1, 2])
def test_the_order_of_arrival_changes_nothing(
    seed: int, story: Story, mode: str, as_alice: User, tmp_path: Path
) -> None:
    told = list(year.chats(story.folder))
    random.Random(seed).shuffle(told)
    first, second = story.cuts
    with reading(mode, story):
        for part in (told[:first], told[first:second], told[second:]):
            year.live_through(as_alice.id, part, tmp_path, story.over)
    if mode == "model":
        assert story.wrong_answers(as_alice) == []
        assert wrongly_ended(as_alice.id, story.folder) == []
    else:
        assert len({line.splitlines()[0] for line in story.wrong_answers(as_alice)}) <= story.unanswered


@drill
@modes
def test_importing_the_same_year_again_changes_no_row(mode: str, as_alice: User, tmp_path: Path) -> None:
    with reading(mode, YEAR):
        year.live_through(as_alice.id, year.chats(), tmp_path, YEAR.over)
        before = rows_of(as_alice.id)
    assert before["facts"]
    year.live_through(as_alice.id, year.chats(), tmp_path, YEAR.over)
    year.live_through(as_alice.id, reversed(year.chats()), tmp_path, YEAR.over)
    assert differences(before, rows_of(as_alice.id)) == []
