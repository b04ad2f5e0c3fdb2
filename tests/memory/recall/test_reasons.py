"""Tests."""

from datetime import date, timedelta
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.aaak import Pointer
from memory.recall.reasons import OTHER, SIGNALS, explained, shared_words, shares, signal
from memory.recall.types import Hit, Query
from memory.text.dates import DateSpan
from tests.drills.ledger import NOW

UTC = ZoneInfo("UTC")
QUESTION = "When do I feed my rye starter?"
TEXT = "I fed the rye starters at seven."


def hit(text=TEXT, role="user", scores=None, said_at=NOW, **parts):
    return Hit(
        drawer_id=UUID(int=1),
        pointer=Pointer(1, 1, 1),
        wing="W",
        wing_kind="topic",
        room="R",
        closet="C",
        room_id=UUID(int=9),
        role=role,
        said_at=said_at,
        text=text,
        reason="",
        score=sum(parts.values()),
        scores=scores or {},
        parts=parts,
    )


def why(found, query=None, zone=UTC):
    return explained(found, query or Query(QUESTION), zone).reason


@pytest.mark.parametrize(
    ("similarity", "words"),
    [
        (0.9, "It is very close in meaning to your message."),
        (0.6, "It is close in meaning to your message."),
        (0.2, "It is among the nearest in meaning that were found."),
    ],
)
def test_meaning_is_told_as_near_as_it_is(similarity, words):
    assert why(hit(scores={"similarity": similarity}, meaning=0.5)) == words


def test_shared_words_are_named():
    assert why(hit(wording=0.2)) == "It shares the words “rye” and “starter” with your message."
    assert why(hit("Rye is a grain.", wording=0.2)) == "It shares the word “rye” with your message."


def test_of_many_shared_words_some_are_counted():
    words = "red green blue brown black white"
    found = why(hit(words, wording=0.2), Query(words))
    assert found == "It shares the words “red”, “green”, “blue”, “brown” and 2 more with your message."


def test_words_that_only_its_tags_share_are_not_made_up():
    assert why(hit("Nothing of it.", wording=0.2)) == "It shares words with your message."


def test_what_counted_most_comes_first():
    found = hit(scores={"similarity": 0.8}, meaning=0.3, wording=0.5)
    assert why(found) == (
        "It shares the words “rye” and “starter” with your message and is very close in meaning to it."
    )


@pytest.mark.parametrize(("days", "how"), [(0, "within"), (4, "near")])
def test_the_date_is_told_by_the_persons_own_calendar(days, how):
    late = NOW.replace(hour=23) + timedelta(days=days)
    zone = ZoneInfo("Asia/Tokyo")
    said_on = late.astimezone(zone).date()
    start = NOW.date()
    query = Query(QUESTION, span=DateSpan(start, start + timedelta(days=2), "then", 9))
    expected = f"It was said on {said_on.day} {said_on:%B %Y}, {how} the time that your message names."
    assert why(hit(said_at=late, time=0.1), query, zone) == expected


def test_a_span_ends_before_its_end():
    start = date(2024, 5, 1)
    query = Query(QUESTION, span=DateSpan(start, NOW.date(), "then", 9))
    assert "near the time" in why(hit(time=0.1), query)


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ({"pinned": 0.15}, "It is pinned by you."),
        ({"pointer": 100.0}, "It is the drawer whose pointer your message names."),
        ({"speaker": 0.07}, "It is among the nearest in meaning that were found."),
        ({"recency": 0.02}, "It is among the nearest in meaning that were found."),
        ({"secret_sauce": 0.3}, "It fits by one more sign (secret sauce)."),
        ({}, "It is among the nearest in meaning that were found."),
    ],
)
def test_every_signal_has_words_or_keeps_quiet(parts, words):
    assert why(hit(**parts)) == words


def test_the_assistant_is_named_when_it_was_asked_about():
    found = hit(role="assistant", speaker=0.12)
    assert "what the assistant said" in why(found, Query(QUESTION, about_assistant=True))
    assert "assistant" not in why(found)


def test_what_speaks_against_it_is_no_reason():
    found = hit(role="tool", scores={"similarity": 0.8}, meaning=0.8, speaker=-0.07)
    assert why(found) == "It is very close in meaning to your message."


def test_a_model_that_chose_it_comes_first():
    found = hit(scores={"reader": 1.0, "similarity": 0.8}, meaning=0.8)
    assert why(found).startswith("It was chosen by the model")


def test_at_most_three_things_are_told():
    parts = {"meaning": 0.3, "wording": 0.2, "pinned": 0.15, "extra": 0.14, "another": 0.13}
    found = why(hit(scores={"similarity": 0.9}, **parts))
    assert found.count(" and ") == 2
    assert "sign" not in found


def test_a_reason_that_is_there_is_kept():
    beside = explained(hit(), Query(QUESTION), UTC)
    assert explained(beside, Query("another"), UTC) is beside


def _gained(parts):
    return sum(part for part in parts.values() if part > 0.001)


PARTS = st.dictionaries(st.sampled_from([*SIGNALS, "sentence", "facts"]), st.floats(-2, 2), max_size=6)


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


@pytest.mark.parametrize(
    ("question", "text", "shared"),
    [
        (
            "When do I feed my rye starter?",
            "I was feeding the starters of RYE.",
            ("feed", "rye", "starter"),
        ),
        ("我的妻子叫什么名字？", "我住在上海，我的妻子叫王敏。", ("妻子叫",)),
        ("Где живёт моя сестра?", "Моя сестра жила в Новосибирске", ("сестра",)),
        ("What did I say about 🦦?", "My lucky sign is 🦦🎷", ("🦦",)),
        ("東京のホテルはどこ", "東京でホテルを予約した", ("東京", "ホテル")),
        ("Is C++ in my node.js project?", "c++ and node.js", ("C++", "node.js")),
        ("Rye, rye and RYE?", "rye", ("Rye",)),
        ("What did I do?", "What did I do?", ()),
        ("bread", "", ()),
        ("", "bread", ()),
        ("?!…", "?!…", ()),
    ],
)
def test_words_are_given_as_they_stand_in_the_question(question, text, shared):
    assert shared_words(question, text) == shared


def test_nothing_is_given_that_the_question_does_not_hold():
    question = "Wo wohnt Anna-Lena O’Neil (32)?"
    found = shared_words(question, "Anna-Lena O'Neil wohnt in der Burgstraße 32.")
    assert found
    assert all(word in question for word in found)
