"""Knowledge lifts, and never above what is strong by itself."""

from hypothesis import given
from hypothesis import strategies as st

from memory.recall.fusion import fuse
from memory.recall.knowledge import LIFTS, lifts
from memory.recall.types import Query
from tests.memory.recall.test_fusion import REQUEST, found

SIGNALS = [signal for signal, _ in LIFTS.parts.values()]
STRENGTHS = st.dictionaries(st.sampled_from(SIGNALS), st.floats(0, 1))
SCORES = st.floats(-1, 3, allow_nan=False)


@given(SCORES, STRENGTHS)
def test_a_lift_never_ends_above_the_ceiling_nor_takes_anything_away(score, signals):
    lifted = lifts(score, signals)
    assert len(lifted) <= 1
    assert all(added >= 0 for added in lifted.values())
    assert score + sum(lifted.values()) <= max(score, LIFTS.ceiling) + 1e-9


def test_the_strongest_alone_counts():
    assert lifts(0.1, {"fact": 1.0, "relation": 1.0, "way": 0.2}) == {"graph": 0.3}
    assert lifts(0.1, {}) == {}
    assert lifts(LIFTS.ceiling + 0.1, {"relation": 1.0}) == {}


@given(st.lists(STRENGTHS, min_size=20, max_size=20))
def test_five_strong_hits_stay_the_first_five_whatever_is_known_of_others(known):
    strong = [found(step, likeness=LIFTS.ceiling + step / 10) for step in range(1, 6)]
    weak = [found(10 + at, likeness=0.6, **signals) for at, signals in enumerate(known)]
    ranked = fuse(REQUEST, Query("?"), [*weak, *strong])
    assert {each.drawer_id.int for each in ranked[:5]} == {1, 2, 3, 4, 5}
