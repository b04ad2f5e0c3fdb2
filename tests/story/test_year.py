"""For every dated question, facts and graph say what was true then, and nothing that still was
true has been retired: with the rules alone, and with a model that reads well."""

import random
from contextlib import contextmanager

import pytest

from llm import current
from llm.fake_gateway import FakeEmbedder
from memory.facts import current_facts
from tests.drills.rows import differences, rows_of
from tests.story import year
from tests.story.model import well_read
from tests.story.questions import (
    facts_at,
    lasting,
    meets,
    never_hers,
    questions,
    wrong,
    wrongly_ended,
)

pytestmark = pytest.mark.drill

MODES = ("rules", "model")


@contextmanager
def reading(mode):
    """With the models of this mode in use."""
    chat = well_read() if mode == "model" else None
    with current.using(chat=chat, embedder=FakeEmbedder()):
        yield


@pytest.fixture(params=MODES)
def nora(request, as_alice, tmp_path):
    """A person with the year behind her."""
    with reading(request.param):
        year.live_through(as_alice.id, year.chats(), tmp_path, year.AFTERWARDS)
    return as_alice


def every_question_has_its_answer(nora):
    assert "\n".join(line for asked in questions() for line in wrong(nora.id, asked)) == ""


def nothing_that_was_still_true_is_retired(nora):
    assert wrongly_ended(nora.id) == []
    for told in lasting():
        for asked in questions():
            if asked.at > told.told:
                held = facts_at(nora.id, told, asked.at)
                assert any(meets(one, [told.value]) for one in held), (told, asked.at)
        assert any(meets(one, [told.value]) for one in facts_at(nora.id, told)), told


def other_lives_what_ifs_and_quotations_are_not_hers(nora):
    assert never_hers(nora.id) == []


def test_after_the_year_it_is_known_as_it_was(nora, subtests):
    for holds in (
        every_question_has_its_answer,
        nothing_that_was_still_true_is_retired,
        other_lives_what_ifs_and_quotations_are_not_hers,
    ):
        with subtests.test(holds.__name__):
            holds(nora)


@pytest.mark.parametrize("mode", MODES)
def test_what_can_be_known_by_then_is_known_then(mode, as_alice, tmp_path):
    ahead = list(year.chats())
    with reading(mode):
        for asked in sorted(questions(), key=lambda asked: asked.at):
            told = [chat for chat in ahead if chat.at < asked.at]
            if told:
                del ahead[: len(told)]
                year.live_through(as_alice.id, told, tmp_path, asked.at)
            if not asked.hindsight:
                assert wrong(as_alice.id, asked) == []


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("seed", [1, 2])
def test_the_order_of_arrival_does_not_change_what_was_true(seed, mode, as_alice, tmp_path):
    told = list(year.chats())
    random.Random(seed).shuffle(told)
    with reading(mode):
        for part in (told[:20], told[20:45], told[45:]):
            year.live_through(as_alice.id, part, tmp_path, year.AFTERWARDS)
    assert "\n".join(line for asked in questions() for line in wrong(as_alice.id, asked)) == ""
    assert wrongly_ended(as_alice.id) == []


def test_the_same_year_again_changes_no_row(nora, tmp_path):
    before = rows_of(nora.id)
    year.live_through(nora.id, year.chats(), tmp_path, year.AFTERWARDS)
    year.live_through(nora.id, reversed(year.chats()), tmp_path, year.AFTERWARDS)
    assert differences(before, rows_of(nora.id)) == []
    assert current_facts(nora.id).exists()
