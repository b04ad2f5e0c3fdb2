"""One person who owns every chat of a data set."""

from collections.abc import Iterable

from bench.cases import BenchQuestion, BenchSession, Case
from bench.errors import BenchmarkImpossible


def pooled(cases: Iterable[Case]) -> Case:
    """All chats and all questions as one case. A chat that several haystacks share is there once,
    in the words it has where it is evidence. Raises BenchmarkImpossible for questions that must
    be asked between the chats."""
    sessions: dict[str, BenchSession] = {}
    questions: list[BenchQuestion] = []
    unresolved = 0
    for case in cases:
        if case.in_order_of_time:
            raise BenchmarkImpossible(
                "Questions of this data set are asked between the chats, so it cannot be pooled."
            )
        questions += case.questions
        unresolved += case.unresolved
        sessions = {**{each.key: each for each in case.sessions}, **sessions, **_evidence(case)}
    ordered = sorted(sessions.values(), key=lambda session: session.said_at)
    return Case("pooled", tuple(ordered), tuple(questions), unresolved)


def _evidence(case: Case) -> dict[str, BenchSession]:
    gold = {name for question in case.questions for name in question.gold}
    return {each.key: each for each in case.sessions if each.name in gold}
