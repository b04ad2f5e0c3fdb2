"""What comes back after it had ended, what was taken back, and what others claim: a shorter story
with the hard cases, with the rules alone and with a model that lets itself be taken in."""

import random
from contextlib import contextmanager

import pytest

from llm import current
from llm.fake_gateway import FakeEmbedder
from tests.story import year
from tests.story.model import well_read
from tests.story.questions import facts_at, lasting, meets, questions, wrong, wrongly_ended

MODES = ("rules", "model")
AFTERWARDS = year.AFTERWARDS.replace(month=9, day=15)


@contextmanager
def reading(mode):
    """With the models of this mode in use."""
    chat = well_read(year.RETURNS) if mode == "model" else None
    with current.using(chat=chat, embedder=FakeEmbedder()):
        yield


@pytest.fixture(params=MODES)
def idris(request, as_alice, tmp_path):
    """A person with all of it behind him."""
    with reading(request.param):
        year.live_through(as_alice.id, year.chats(year.RETURNS), tmp_path, AFTERWARDS)
    return as_alice


def wrong_answers(user) -> str:
    """A line for each question that facts or graph answer wrongly."""
    return "\n".join(line for asked in questions(year.RETURNS) for line in wrong(user.id, asked))


def test_every_question_has_its_answer(idris):
    assert wrong_answers(idris) == ""


@pytest.mark.drill
def test_nothing_that_was_still_true_is_retired(idris):
    assert wrongly_ended(idris.id, year.RETURNS) == []
    for told in lasting(year.RETURNS):
        assert any(meets(one, [told.value]) for one in facts_at(idris.id, told)), told


@pytest.mark.drill
@pytest.mark.parametrize("mode", MODES)
def test_what_can_be_known_by_then_is_known_then(mode, as_alice, tmp_path):
    ahead = list(year.chats(year.RETURNS))
    with reading(mode):
        for asked in sorted(questions(year.RETURNS), key=lambda asked: asked.at):
            told = [chat for chat in ahead if chat.at < asked.at]
            if told:
                del ahead[: len(told)]
                year.live_through(as_alice.id, told, tmp_path, asked.at)
            if not asked.hindsight:
                assert wrong(as_alice.id, asked) == []


@pytest.mark.drill
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_order_of_arrival_does_not_change_what_was_true(seed, mode, as_alice, tmp_path):
    told = list(year.chats(year.RETURNS))
    random.Random(seed).shuffle(told)
    with reading(mode):
        for part in (told[:7], told[7:14], told[14:]):
            year.live_through(as_alice.id, part, tmp_path, AFTERWARDS)
    assert wrong_answers(as_alice) == ""
    assert wrongly_ended(as_alice.id, year.RETURNS) == []
