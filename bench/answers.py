"""The stages with a language model: it answers from what recall brought, and a judge says whether
the answers are right. Both go on where they were stopped."""

import json
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from statistics import fmean
from typing import Any

from bench.cases import BenchQuestion, Case
from bench.errors import BenchmarkImpossible
from bench.journal import Journal
from bench.plan import Plan, cases_of
from bench.progress import Progress, Report
from bench.prompts import ANSWERING, judging
from llm import current
from llm.errors import ModelError, NoEndpoint
from llm.gateway import ChatGateway, ChatRequest
from llm.types import ChatMessage

PAUSES_S = (2.0, 10.0, 30.0)
ANSWER_TOKENS = 400
VERDICT_TOKENS = 10

Sleep = Callable[[float], None]


def answer(plan: Plan, report: Report, sleep: Sleep = time.sleep) -> dict[str, Any]:
    """Have each question answered from its block of memories; returns how many are answered.

    Raises BenchmarkImpossible without an endpoint, and when it stays away.
    """
    chat = _chat(sleep)
    contexts = Journal(plan.out / "contexts.jsonl").rows()
    answers = Journal(plan.out / "answers.jsonl")
    done = answers.rows()
    questions = [each for each in _questions(plan) if each.id in contexts]
    if not questions:
        raise BenchmarkImpossible("Nothing was retrieved yet in this folder: run that stage first.")
    left = [each for each in questions if each.id not in done]
    progress = Progress(report, "answer", len(questions), len(questions) - len(left))
    for question in left:
        prompt = _prompt(question, contexts[question.id]["block"])
        text, model = chat.ask(prompt, ANSWER_TOKENS)
        answers.add({"question_id": question.id, "hypothesis": text, "model": model})
        progress.step()
    return {"answered": len(questions)}


def judge(plan: Plan, report: Report, sleep: Sleep = time.sleep) -> dict[str, Any]:
    """Have every answer judged; returns the scores, also written to `qa_scores.json`.

    Raises BenchmarkImpossible as `answer` does.
    """
    chat = _chat(sleep, plan.judge)
    answers = Journal(plan.out / "answers.jsonl").rows()
    verdicts = Journal(plan.out / "verdicts.jsonl")
    questions = [each for each in _questions(plan) if each.id in answers]
    if not questions:
        raise BenchmarkImpossible("Nothing was answered yet in this folder: run that stage first.")
    done = verdicts.rows()
    left = [each for each in questions if each.id not in done]
    progress = Progress(report, "verdict", len(questions), len(questions) - len(left))
    for question in left:
        response = answers[question.id]["hypothesis"]
        replies = [
            chat.ask((ChatMessage("user", words),), VERDICT_TOKENS)
            for words in judging(plan.benchmark, question, response)
        ]
        verdicts.add(_verdict(question, replies))
        progress.step()
    rows = verdicts.rows()
    return _written(plan.out, [rows[each.id] for each in questions])


def _questions(plan: Plan) -> list[BenchQuestion]:
    cases: Iterable[Case] = cases_of(plan)()
    return [question for case in cases for question in case.questions]


def _prompt(question: BenchQuestion, block: str) -> tuple[ChatMessage, ...]:
    asked = f"{block}\n\nToday is {question.asked_at:%A, %d %B %Y}.\n\n{question.question}"
    return (ChatMessage("system", ANSWERING), ChatMessage("user", asked.strip()))


def _verdict(question: BenchQuestion, replies: list[tuple[str, str]]) -> dict[str, Any]:
    said = [text for text, _ in replies]
    return {
        "question_id": question.id,
        "type": question.type,
        "unanswerable": question.unanswerable,
        "score": fmean("yes" in text.lower() for text in said),
        "judge": replies[0][1],
        "said": said,
    }


def _written(out: Path, verdicts: list[dict[str, Any]]) -> dict[str, Any]:
    by_type: dict[str, list[float]] = defaultdict(list)
    for verdict in verdicts:
        by_type[verdict["type"]].append(verdict["score"])
    scores = {
        "questions": len(verdicts),
        "qa_accuracy": _mean(verdict["score"] for verdict in verdicts),
        "qa_accuracy_answerable": _mean(
            verdict["score"] for verdict in verdicts if not verdict["unanswerable"]
        ),
        "judge": sorted({verdict["judge"] for verdict in verdicts}),
        "by_type": {
            name: {"questions": len(values), "qa_accuracy": _mean(values)}
            for name, values in sorted(by_type.items())
        },
    }
    (out / "qa_scores.json").write_text(json.dumps(scores, indent=2) + "\n")
    return scores


def _mean(values: Iterable[float]) -> float:
    several = list(values)
    return round(fmean(several), 4) if several else 0.0


def _chat(sleep: Sleep, model: str = "") -> "_Patient":
    try:
        return _Patient(current.chat(), model, sleep)
    except NoEndpoint as error:
        raise BenchmarkImpossible(str(error)) from error


class _Patient:
    """A chat model that is asked again a few times when it is away for a moment."""

    def __init__(self, chat: ChatGateway, model: str, sleep: Sleep) -> None:
        self._chat = chat
        self._model = model
        self._sleep = sleep

    def ask(self, messages: tuple[ChatMessage, ...], most: int) -> tuple[str, str]:
        """The reply and the model that gave it. Raises BenchmarkImpossible."""
        request = ChatRequest(messages, self._model, max_tokens=most, temperature=0.0)
        for pause in PAUSES_S:
            try:
                return self._complete(request)
            except ModelError as error:
                if error.permanent:
                    raise _stopped(error) from error
                self._sleep(pause)
        try:
            return self._complete(request)
        except ModelError as error:
            raise _stopped(error) from error

    def _complete(self, request: ChatRequest) -> tuple[str, str]:
        completion = self._chat.complete(request)
        return completion.text.strip(), completion.usage.model


def _stopped(error: ModelError) -> BenchmarkImpossible:
    return BenchmarkImpossible(f"{error} What was done is kept; start again to go on.")
