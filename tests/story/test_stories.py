"""For every question of a story, facts and graph give what was true at its date.

The year consists of sixty chats of one user. The returns are harder: what ended starts again, is
corrected, or is claimed by others. Both are mined with a perfect model; the built-in reader answers
fewer questions, but must not end facts that are true.
"""

import random
from contextlib import contextmanager

import pytest

from llm import current
from tests.drills.rows import differences, rows_of
from tests.fake_gateway import FakeEmbedder
from tests.story.stories import RETURNS, YEAR, wrong

drill = pytest.mark.drill
modes = pytest.mark.parametrize("mode", ["reader", "model"])
stories = pytest.mark.parametrize("story", [YEAR, RETURNS], ids=["year", "returns"])


@contextmanager
def reading(mode, story):
    """Use the models of this mode."""
    chat = story.perfect_model() if mode == "model" else None
    with current.using(chat=chat, embedder=FakeEmbedder()):
        yield


@drill
def test_built_in_reader_ends_no_true_facts(as_alice, tmp_path):
    with reading("reader", RETURNS):
        RETURNS.mine(as_alice.id, RETURNS.chats, tmp_path)
    assert RETURNS.wrongly_ended(as_alice.id) == []


@pytest.mark.parametrize(
    "story", [pytest.param(YEAR, marks=drill, id="year"), pytest.param(RETURNS, id="returns")]
)
def test_questions_are_answered_and_no_true_facts_ended(story, as_alice, tmp_path):
    with reading("model", story):
        story.mine(as_alice.id, story.chats, tmp_path)
    assert story.wrong_answers(as_alice.id) == []
    assert story.wrongly_ended(as_alice.id) == []
    assert [line for each in story.lasting() for line in wrong(as_alice.id, each)] == []
    assert story.wrongly_attributed(as_alice.id) == []


@drill
@stories
def test_questions_are_answered_as_soon_as_possible(story, as_alice, tmp_path):
    ahead = list(story.chats)
    with reading("model", story):
        for question in sorted(story.questions, key=lambda question: question.at):
            due = [chat for chat in ahead if chat.at < question.at]
            if due:
                del ahead[: len(due)]
                story.mine(as_alice.id, due, tmp_path, question.at)
            if not question.hindsight:
                assert wrong(as_alice.id, question) == []


@drill
@modes
@stories
@pytest.mark.parametrize("seed", [1, 2])
def test_order_of_imports_does_not_matter(seed, story, mode, as_alice, tmp_path):
    shuffled = random.Random(seed).sample(story.chats, len(story.chats))
    first, second = story.cuts
    with reading(mode, story):
        for part in (shuffled[:first], shuffled[first:second], shuffled[second:]):
            story.mine(as_alice.id, part, tmp_path)
    if mode == "model":
        assert story.wrong_answers(as_alice.id) == []
        assert story.wrongly_ended(as_alice.id) == []
    else:
        assert len({line.splitlines()[0] for line in story.wrong_answers(as_alice.id)}) <= story.unanswered


@drill
@modes
def test_importing_the_same_year_again_changes_no_rows(mode, as_alice, tmp_path):
    with reading(mode, YEAR):
        YEAR.mine(as_alice.id, YEAR.chats, tmp_path)
        before = rows_of(as_alice.id)
    assert before["facts"]
    YEAR.mine(as_alice.id, YEAR.chats, tmp_path)
    YEAR.mine(as_alice.id, YEAR.chats[::-1], tmp_path)
    assert differences(before, rows_of(as_alice.id)) == []
