"""Whatever the order in which things are said, told again, deleted and restored: what was true when
depends on the words that stand, and on nothing else."""

from itertools import permutations

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from accounts.tenancy import tenant
from memory.erasure import delete, undo
from tests.drills.ledger import NOW
from tests.memory.facts.stories import STORIES, Told, assert_sound, held, tell, words_of

OFTEN = settings(
    phases=(Phase.generate,), max_examples=8, deadline=None, suppress_health_check=list(HealthCheck)
)


pytestmark = pytest.mark.usefixtures("bag_of_words")


@OFTEN
@given(story=STORIES, data=st.data())
def test_only_the_words_that_stand_count(people, story, data):
    clean, user = people(), people()
    gone = data.draw(st.sets(st.sampled_from(range(len(story)))) if story else st.just(set()))
    with tenant(clean.id):
        drawers = words_of(clean, story)
        for number in sorted(range(len(story)), key=lambda each: story[each].day):
            if number not in gone:
                tell(clean, story[number], drawers[number])
        wanted = held(clean)
    with tenant(user.id):
        drawers = words_of(user, story)
        for number in data.draw(st.permutations(range(len(story)))):
            tell(user, story[number], drawers[number])
            if data.draw(st.booleans()):
                tell(user, story[number], drawers[number])
        full = held(user)
        deletions = [
            delete(user.id, "drawer", drawers[number].id, NOW)
            for number in data.draw(st.permutations(sorted(gone)))
        ]
        assert held(user) == wanted
        assert_sound(user)
        for deletion in data.draw(st.permutations(deletions)):
            undo(user.id, deletion.id, NOW)
        assert held(user) == full
        assert_sound(user)


def test_a_value_that_comes_back_before_another_leaves_that_one_its_time(people):
    """The first A finds A told again later, and B between the two."""
    user = people()
    days = ((1, "B"), (2, "A"), (5, "B"), (0, "B"), (7, "A"))
    story = [Told(day, value, single=True) for day, value in days]
    with tenant(user.id):
        drawers = words_of(user, story)
        for each, drawer in zip(story, drawers, strict=True):
            tell(user, each, drawer)
        full = held(user)
        gone = {
            number: delete(user.id, "drawer", drawers[number].id, NOW) for number in (2, 0, 3, 4, 1)
        }
        for number in (2, 3, 4, 1, 0):
            undo(user.id, gone[number].id, NOW)
        assert held(user) == full
        assert_sound(user)


@pytest.mark.parametrize("back", list(permutations(range(3))))
@pytest.mark.parametrize("away", list(permutations(range(3))))
def test_words_that_end_something_come_back_between_those_that_say_it(people, away, back):
    user = people()
    story = [Told(2, "C", False), Told(4, "C", False, over=True), Told(5, "C", False)]
    with tenant(user.id):
        drawers = words_of(user, story)
        for each, drawer in zip(story, drawers, strict=True):
            tell(user, each, drawer)
        full = held(user)
        gone = {number: delete(user.id, "drawer", drawers[number].id, NOW) for number in away}
        for number in back:
            undo(user.id, gone[number].id, NOW)
        assert held(user) == full
        assert_sound(user)
