"""Have a model answer from what recall found, and a judge score the answers.

LongMemEval is judged by the prompts that its authors published, so that its figures can be compared;
the other prompts are our own. Both stages continue where they were stopped.
"""

import time
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from bench.cases import DATA, BenchmarkImpossible, BenchQuestion, Report
from bench.retrieval import Journal, Plan, Progress, Row, cases_of, write_json
from bench.scoring import mean
from llm import current
from llm.errors import ModelError, NoEndpoint
from llm.gateway import ChatGateway, ChatRequest
from llm.types import ChatMessage

RETRY_AFTER_S = (2.0, 10.0, 30.0)
ANSWER_TOKENS = 400
VERDICT_TOKENS = 10

PROMPTS: dict[str, Any] = tomllib.loads((DATA / "prompts.toml").read_text(encoding="utf-8"))


def answer(plan: Plan, report: Report) -> dict[str, Any]:
    """Have each question answered from its block of memories; returns how many are answered.

    Raises BenchmarkImpossible without an endpoint, or when it stays unavailable.
    """
    chat = _Chat("")
    contexts = Journal(plan.out / "contexts.jsonl").rows()
    answers = Journal(plan.out / "answers.jsonl")
    questions = _questions(plan, contexts, "retrieved")
    for question in _left(questions, answers, Progress(report, "answer", len(questions))):
        asked = f"{contexts[question.id]['block']}\n\nToday is {question.asked_at:%A, %d %B %Y}."
        prompt = f"{asked}\n\n{question.question}".strip()
        text, model = chat.ask(
            ANSWER_TOKENS, ChatMessage("system", PROMPTS["answering"]), ChatMessage("user", prompt)
        )
        answers.add({"question_id": question.id, "hypothesis": text, "model": model})
    return {"answered": len(questions)}


def judge(plan: Plan, report: Report) -> dict[str, Any]:
    """Have every answer judged; returns the scores, also written to `qa_scores.json`.

    Raises BenchmarkImpossible as `answer` does.
    """
    chat = _Chat(plan.judge)
    answers = Journal(plan.out / "answers.jsonl").rows()
    verdicts = Journal(plan.out / "verdicts.jsonl")
    questions = _questions(plan, answers, "answered")
    for question in _left(questions, verdicts, Progress(report, "verdict", len(questions))):
        prompts = _judging(plan.benchmark, question, answers[question.id]["hypothesis"])
        replies = [chat.ask(VERDICT_TOKENS, ChatMessage("user", prompt)) for prompt in prompts]
        said = [text for text, _ in replies]
        verdicts.add(
            {
                "question_id": question.id,
                "type": question.type,
                "unanswerable": question.unanswerable,
                "score": sum("yes" in text.lower() for text in said) / len(said),
                "judge": replies[0][1],
                "said": said,
            }
        )
    rows = verdicts.rows()
    scores = _scores([rows[question.id] for question in questions])
    write_json(plan.out / "qa_scores.json", scores)
    return scores


def _questions(plan: Plan, rows: dict[str, Row], done: str) -> list[BenchQuestion]:
    found = [each for case in cases_of(plan)() for each in case.questions if each.id in rows]
    if not found:
        raise BenchmarkImpossible(f"Nothing was {done} in this folder yet; run that stage first.")
    return found


def _left(questions: list[BenchQuestion], journal: Journal, progress: Progress) -> Iterator[BenchQuestion]:
    """The questions that are not in the journal, counting each as done afterwards."""
    done = journal.rows()
    progress.done = sum(question.id in done for question in questions)
    for question in questions:
        if question.id not in done:
            yield question
            progress.step()


def _judging(benchmark: str, question: BenchQuestion, response: str) -> list[str]:
    """Yes-or-no prompts about one reply; its score is the share of yes."""
    parts = {"question": question.question, "answer": question.answer, "response": response}
    published = PROMPTS["longmemeval"]
    if benchmark == "longmemeval" and question.unanswerable:
        prompts = [published["unanswerable"]]
    elif benchmark == "longmemeval" and question.type == "single-session-preference":
        prompts = [published["preference"]]
    elif benchmark == "longmemeval":
        prompts = [published["answerable"]]
        parts["note"] = published["notes"].get(question.type, published["notes"]["default"])
    elif question.rubric:
        return [PROMPTS["rubric"].format(point=point, **parts) for point in question.rubric]
    else:
        prompts = [PROMPTS["unanswerable" if question.unanswerable else "same"]]
    return [prompt.format(**parts) for prompt in prompts]


def _scores(verdicts: list[Row]) -> dict[str, Any]:
    by_type: dict[str, list[float]] = defaultdict(list)
    for verdict in verdicts:
        by_type[verdict["type"]].append(verdict["score"])
    answerable = (verdict["score"] for verdict in verdicts if not verdict["unanswerable"])
    return {
        "questions": len(verdicts),
        "qa_accuracy": mean(verdict["score"] for verdict in verdicts),
        "qa_accuracy_answerable": mean(answerable),
        "judge": sorted({verdict["judge"] for verdict in verdicts}),
        "by_type": {
            name: {"questions": len(values), "qa_accuracy": mean(values)}
            for name, values in sorted(by_type.items())
        },
    }


class _Chat:
    """The chat model, asked again a few times while it is unavailable."""

    def __init__(self, model: str) -> None:
        try:
            self._chat: ChatGateway = current.chat()
        except NoEndpoint as error:
            raise BenchmarkImpossible(str(error)) from error
        self._model = model

    def ask(self, max_tokens: int, *messages: ChatMessage) -> tuple[str, str]:
        """The reply and the model that gave it. Raises BenchmarkImpossible."""
        request = ChatRequest(messages, self._model, max_tokens=max_tokens, temperature=0.0)
        pauses = iter(RETRY_AFTER_S)
        while True:
            try:
                completion = self._chat.complete(request)
            except ModelError as error:
                pause = None if error.permanent else next(pauses, None)
                if pause is None:
                    raise BenchmarkImpossible(
                        f"{error} Finished questions are kept; start again to continue."
                    ) from error
                time.sleep(pause)
            else:
                return completion.text.strip(), completion.usage.model
