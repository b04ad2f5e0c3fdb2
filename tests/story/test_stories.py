"""For every question of a story, facts and graph give what was true at its date.

The year consists of sixty chats of one user. The returns are harder: what ended starts again, is
corrected, or is claimed by others. Both are mined with a perfect model; the built-in reader answers
fewer questions, but must not end facts that are true.
"""

import random
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import pytest

from llm import current
from tests.drills.rows import differences, rows_of
from tests.fake_gateway import FakeEmbedder
from tests.story import year
from tests.story.questions import (
    facts_at,
    lasting,
    matches,
    questions,
    wrong,
    wrongly_attributed,
    wrongly_ended,
)
from tests.story.year import perfect_model


@dataclass(frozen=True)
class Story:
    """The folder of a story, its end, where it is cut to arrive in parts, and the most questions that the
    built-in reader may leave unanswered."""

    folder: Path
    over: datetime
    cuts: tuple[int, int]
    unanswered: int

    def wrong_answers(self, user):
        return [line for question in questions(self.folder) for line in wrong(user.id, question)]


YEAR = Story(year.FOLDER, year.AFTERWARDS, (20, 45), unanswered=39)
RETURNS = Story(year.RETURNS, year.AFTERWARDS.replace(month=9, day=15), (7, 14), unanswered=14)

drill = pytest.mark.drill
modes = pytest.mark.parametrize("mode", ["reader", "model"])
stories = pytest.mark.parametrize("story", [YEAR, RETURNS], ids=["year", "returns"])


@contextmanager
def reading(mode, story):
    """Use the models of this mode."""
    chat = perfect_model(story.folder) if mode == "model" else None
    with current.using(chat=chat, embedder=FakeEmbedder()):
        yield


@drill
def test_built_in_reader_ends_no_true_facts(as_alice, tmp_path):
    with reading("reader", RETURNS):
        year.import_and_mine(as_alice.id, year.chats(RETURNS.folder), tmp_path, RETURNS.over)
    assert wrongly_ended(as_alice.id, RETURNS.folder) == []


@pytest.mark.parametrize(
    "story", [pytest.param(YEAR, marks=drill, id="year"), pytest.param(RETURNS, id="returns")]
)
def test_questions_are_answered_and_no_true_facts_ended(story, as_alice, tmp_path):
    with reading("model", story):
        year.import_and_mine(as_alice.id, year.chats(story.folder), tmp_path, story.over)
    assert story.wrong_answers(as_alice) == []
    assert wrongly_ended(as_alice.id, story.folder) == []
    for statement in lasting(story.folder):
        assert any(matches(one, [statement.value]) for one in facts_at(as_alice.id, statement)), statement
        for question in questions(story.folder):
            if question.at > statement.told:
                held = facts_at(as_alice.id, statement, question.at)
                assert any(matches(one, [statement.value]) for one in held), (statement, question.at)
    if story is YEAR:
        assert wrongly_attributed(as_alice.id) == []


@drill
@stories
def test_questions_are_answered_as_soon_as_possible(story, as_alice, tmp_path):
    ahead = list(year.chats(story.folder))
    with reading("model", story):
        for question in sorted(questions(story.folder), key=lambda question: question.at):
            due = [chat for chat in ahead if chat.at < question.at]
            if due:
                del ahead[: len(due)]
                year.import_and_mine(as_alice.id, due, tmp_path, question.at)
            if not question.hindsight:
                assert wrong(as_alice.id, question) == []


@drill
@modes
@stories
@pytest.mark.parametrize("seed", [1, 2])
def test_order_of_imports_does_not_matter(seed, story, mode, as_alice, tmp_path):
    story_chats = list(year.chats(story.folder))
    random.Random(seed).shuffle(story_chats)
    first, second = story.cuts
    with reading(mode, story):
        for part in (story_chats[:first], story_chats[first:second], story_chats[second:]):
            year.import_and_mine(as_alice.id, part, tmp_path, story.over)
    if mode == "model":
        assert story.wrong_answers(as_alice) == []
        assert wrongly_ended(as_alice.id, story.folder) == []
    else:
        assert len({line.splitlines()[0] for line in story.wrong_answers(as_alice)}) <= story.unanswered


@drill
@modes
def test_importing_the_same_year_again_changes_no_rows(mode, as_alice, tmp_path):
    with reading(mode, YEAR):
        year.import_and_mine(as_alice.id, year.chats(), tmp_path, YEAR.over)
        before = rows_of(as_alice.id)
    assert before["facts"]
    year.import_and_mine(as_alice.id, year.chats(), tmp_path, YEAR.over)
    year.import_and_mine(as_alice.id, reversed(year.chats()), tmp_path, YEAR.over)
    assert differences(before, rows_of(as_alice.id)) == []
