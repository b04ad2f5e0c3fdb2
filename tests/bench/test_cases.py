from datetime import UTC, datetime

import pytest

from bench.cases import BenchQuestion, Case, limited

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def case(name: str, *counted: bool) -> Case:
    questions = tuple(
        BenchQuestion(f"{name}{number}", "any", "?", NOW, counted=each)
        for number, each in enumerate(counted)
    )
    return Case(name, (), questions)


@pytest.mark.parametrize(
    ("limit", "kept"),
    [
        (None, ["a0", "a1", "b0", "b1"]),
        (1, ["a0"]),
        (2, ["a0", "a1", "b0"]),
        (9, ["a0", "a1", "b0", "b1"]),
    ],
)
def test_a_limit_counts_the_questions_that_count(limit, kept):
    several = [case("a", True, False), case("b", True, True)]
    found = [question.id for each in limited(several, limit) for question in each.questions]
    assert found == kept
