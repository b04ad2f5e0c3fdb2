import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.recall.signals import OTHER, SIGNALS, shares, signal


def _gained(parts):
    return sum(part for part in parts.values() if part > 0.001)


PARTS = st.dictionaries(
    st.sampled_from([*SIGNALS, "sentence", "facts"]), st.floats(-2, 2), max_size=6
)


@given(PARTS.filter(lambda parts: sum(parts.values()) > 0.6 * _gained(parts) > 0))
def test_shares_add_up_to_one(parts):
    assert sum(shares(parts, sum(parts.values())).values()) == pytest.approx(1, abs=0.01)


@given(PARTS, st.floats(-5, 5))
def test_shares_are_bounded_and_keep_their_sign(parts, score):
    found = shares(parts, score)
    assert all(abs(share) <= 2.01 for share in found.values())
    for key, share in found.items():
        if key != OTHER and key in parts:
            assert (share > 0) == (parts[key] > 0)


def test_the_largest_comes_first_and_what_speaks_against_last():
    found = shares({"speaker": -0.07, "meaning": 0.57, "wording": 0.1}, 0.6)
    assert [*found] == ["meaning", "wording", "speaker"]
    assert found["speaker"] == pytest.approx(-0.1167, abs=0.001)
    assert sum(found.values()) == pytest.approx(1)


def test_what_no_signal_accounts_for_is_told_as_other():
    assert shares({"meaning": 0.5}, 0.75) == {
        "meaning": pytest.approx(2 / 3),
        "other": pytest.approx(1 / 3),
    }


def test_where_much_speaks_against_it_the_shares_are_of_both_together():
    found = shares({"meaning": 0.1, "speaker": -0.3}, -0.2)
    assert found == {"meaning": pytest.approx(0.25), "speaker": pytest.approx(-0.75)}


def test_nothing_has_no_shares():
    assert shares({}, 0.0) == {}
    assert shares({"meaning": 0.0}, 0.0) == {}


def test_a_signal_without_a_description_goes_by_its_key():
    assert signal("late_interaction").name == "Late interaction"
    assert str(signal("late_interaction").meaning).endswith(".")
