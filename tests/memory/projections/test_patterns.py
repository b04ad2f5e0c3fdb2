from datetime import UTC, date, datetime, timedelta
from hashlib import sha256

from hypothesis import given
from hypothesis import strategies as st
from uuid_utils.compat import uuid7

from memory.models import Fact
from memory.projections.insights import Evidence, patterns

START = datetime(2024, 5, 6, 9, tzinfo=UTC)
DAY = timedelta(days=1)


def fact(predicate: str, thing: str, kind: str = "preference", **given: object) -> Fact:
    fields = {
        "id": uuid7(),
        "key": f"{predicate}_{thing}",
        "value": thing,
        "statement": f"The user {predicate} {thing}.",
        "valid_from": START,
        "status": "active",
        "content_hash": sha256(f"{predicate}{thing}".encode()).digest(),
    }
    return Fact(kind=kind, predicate=predicate, object=thing, **(fields | given))


def found(*facts: Fact) -> list[tuple[str, str]]:
    return [(p.rule, p.sentence) for p in patterns([Evidence(fact) for fact in facts])]


def city(value: str, day: int, **given: object) -> Fact:
    fields = {"key": "home_city", "single_valued": True, "valid_from": START + day * DAY}
    return fact("lives_in", value, "identity", **(fields | given))


def test_pattern_of_a_fact_said_on_several_days():
    days = tuple(date(2024, 5, day) for day in (6, 9, 30))
    likes = fact("likes", "rye bread")
    (pattern,) = patterns([Evidence(likes, days), Evidence(fact("likes", "tea"), days[:2])])
    assert pattern.sentence == "Said on 3 days, from 2024-05-06 to 2024-05-30: The user likes rye bread."
    assert pattern.facts == (likes,)
    assert patterns(()) == ()


def test_pattern_of_a_value_that_changed():
    facts = [
        city("Oslo", 20),
        city("Porto", 0, status="superseded", valid_to=START + 20 * DAY),
        city("Rome", 5, status="superseded", valid_to=START + 5 * DAY),
    ]
    (pattern,) = patterns([Evidence(each) for each in facts])
    assert pattern.sentence == "Your home city changed once: Porto → Oslo."
    assert [each.value for each in pattern.facts] == ["Porto", "Oslo"]
    assert found(city("Oslo", 0, status="superseded"), city("oslo", 9)) == []
    many = [city(value, day) for day, value in enumerate(("Oslo", "Porto", "Oslo"))]
    assert found(*many) == [("changed", "Your home city changed 2 times: Oslo → Porto → Oslo.")]


def test_pattern_of_something_both_liked_and_disliked():
    assert found(fact("likes", "香菜"), fact("dislikes", "香菜")) == [
        ("both", "You said that you like “香菜”, and that you don’t.")
    ]
    assert found(fact("likes", "tea"), fact("dislikes", "tea", status="superseded")) == []


def test_an_insight_noted_by_a_model_counts_only_while_active():
    noted = fact("tends", "to plan ahead", "insight")
    assert found(noted) == [("noted", noted.statement)]
    for status in ("rejected", "pending_review", "superseded"):
        assert found(fact("tends", "to plan ahead", "insight", status=status)) == []


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["likes", "dislikes", "lives_in"]),
            st.sampled_from(["rye bread", "bread", "Ines", "", "面包"]),
            st.booleans(),
            st.integers(0, 3),
        ),
        max_size=12,
    )
)
def test_each_pattern_follows_from_its_evidence_alone(rows):
    facts = [
        fact(predicate, thing, single_valued=single, key=predicate, valid_from=START + day * DAY)
        for predicate, thing, single, day in rows
    ]
    for pattern in patterns([Evidence(each) for each in facts]):
        alone = patterns([Evidence(each) for each in pattern.facts])
        again = {each.digest: each.sentence for each in alone}
        assert again[pattern.digest] == pattern.sentence
