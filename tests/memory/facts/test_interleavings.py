"""Whatever the order in which things are said, told again, deleted and restored: what was true when
depends on the words that stand, and on nothing else."""

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from accounts.tenancy import tenant
from memory.erasure import delete, undo
from tests.drills.ledger import NOW
from tests.memory.facts.stories import STORIES, assert_sound, held, tell, words_of

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
