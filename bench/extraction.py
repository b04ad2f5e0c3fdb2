"""Compare the facts that the built-in reader extracts with hand-labelled ones."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Annotated, Any, Literal, Self
from uuid import UUID, uuid5

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    StringConstraints,
    ValidationError,
    model_validator,
)

from bench.cases import BenchmarkImpossible, Report
from bench.retrieval import write_json
from llm import current
from llm.weights import WeightsUnusable
from memory.facts.vocabulary import FORMER
from memory.mining.extraction import extract
from memory.mining.reader.network import Network, network
from memory.mining.reader.predicates import PREDICATES
from memory.mining.reader.training.matching import contains
from memory.mining.screening import screen
from memory.mining.transcripts import CONVERSATION, Transcript, Turn
from memory.mining.types import FACT_KINDS, ExtractedFact

Match = tuple["GoldFact", ExtractedFact]
Counted = tuple[str, str, str]
"""A `hit`, `missed` or `wrong` fact with its language and kind."""

HELD = "held"
REPORT_EVERY = 100
NOBODY = UUID(int=0)
SAID_AT = datetime(2026, 1, 15, 12, tzinfo=UTC)


def _known(kind: str) -> str:
    if kind not in FACT_KINDS:
        raise ValueError(f"{kind!r} is not one of {', '.join(FACT_KINDS)}")
    return kind


def _alternatives(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


Text = Annotated[str, StringConstraints(pattern=r"\S")]
Kind = Annotated[str, AfterValidator(_known)]


class GoldFact(BaseModel):
    """A fact that a reader finds.

    `kind` and `accept_kinds` are the acceptable kinds; they may also follow from `predicate` and `also`. An
    extracted fact must contain every word of one of the alternatives in `object`; the predicate `opposite`
    would reverse it. An `optional` fact may be found but need not be.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Kind
    object: Annotated[tuple[Text, ...], BeforeValidator(_alternatives)]
    accept_kinds: tuple[Kind, ...] = ()
    predicate: str = ""
    also: tuple[str, ...] = ()
    when: str = ""
    ended: bool = False
    single_valued: bool = False
    event_date: date | None = None
    opposite: str = ""
    optional: bool = False

    @model_validator(mode="before")
    @classmethod
    def _kind_of_predicate(cls, data: Any) -> Any:
        if not isinstance(data, dict) or data.get("predicate") not in PREDICATES:
            return data
        others = [PREDICATES[name].kind for name in data.get("also", ()) if name in PREDICATES]
        own = data.get("kind", PREDICATES[data["predicate"]].kind)
        return data | {"kind": own, "accept_kinds": (*data.get("accept_kinds", ()), *others)}


class Sentence(BaseModel):
    """One labelled message. Without facts it is a negative, and `why` gives the reason."""

    model_config = ConfigDict(frozen=True)

    id: Text
    language: Text
    text: Text
    role: Literal["user", "assistant", "tool"] = "user"
    said_at: AwareDatetime = SAID_AT
    facts: tuple[GoldFact, ...]
    why: str = ""

    @model_validator(mode="after")
    def _facts_or_reason(self) -> Self:
        if bool(self.facts) == bool(self.why):
            raise ValueError("a sentence has either facts or a reason for having none")
        return self


@dataclass(frozen=True, slots=True)
class Judged:
    """The verdict on one sentence. `hits` and `missed` are required facts, `wrong` ones that no
    reader finds. `reviewed` facts wait for their owner and, like unmarked ends of facts, count
    neither way."""

    sentence: Sentence
    hits: tuple[Match, ...]
    missed: tuple[GoldFact, ...]
    wrong: tuple[ExtractedFact, ...]
    reviewed: tuple[ExtractedFact, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """The files of labelled messages and where scores go. `show_errors` lists misses and wrong facts, never
    those of files called `held…`."""

    data: tuple[Path, ...]
    out: Path
    show_errors: bool = False


def run(plan: Plan, report: Report, show: Report) -> dict[str, Any]:
    """Scores over all files and by file, also written to `scores.json`.

    Raises BenchmarkImpossible.
    """
    if plan.show_errors and all(path.stem.startswith(HELD) for path in plan.data):
        raise BenchmarkImpossible("The errors of held-out sets are not shown.")
    judged = {path.stem: list(_judged(path, report)) for path in plan.data}
    for name in judged if plan.show_errors else ():
        if not name.startswith(HELD):
            _show(judged[name], show)
    every = [each for several in judged.values() for each in several]
    scores = {"benchmark": "extraction", "extractor": "reader", **score(every)}
    scores |= {name: score(several) for name, several in judged.items()}
    write_json(plan.out / "scores.json", scores)
    return scores


def read_sentences(path: Path) -> tuple[Sentence, ...]:
    """The labelled messages of a JSON Lines file. Raises BenchmarkImpossible with the number of the
    first wrong line."""
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except OSError as error:
        raise BenchmarkImpossible(f"The labelled messages in {path} cannot be read.") from error
    return tuple(_line(line, number, path) for number, line in enumerate(lines, 1) if line)


def read(sentences: Iterable[Sentence]) -> Iterator[tuple[Sentence, tuple[ExtractedFact, ...]]]:
    """Sentences with what the built-in reader finds. Raises BenchmarkImpossible when it is not installed."""
    tagger = _installed()
    for sentence in sentences:
        yield sentence, extract(_chat(sentence), chat=None, tagger=tagger).facts


def judge(sentence: Sentence, facts: Sequence[ExtractedFact]) -> Judged:
    """Pair each labelled fact with at most one extracted fact, required ones first."""
    reviewed = tuple(fact for fact in facts if screen(fact).review_reason)
    left = [fact for fact in facts if fact not in reviewed]
    gold = sorted(sentence.facts, key=lambda fact: fact.optional)
    named = _pair(gold, left, lambda fact: (fact.value, fact.object))
    stated = _pair(gold, left, lambda fact: (fact.value, fact.object, fact.statement))
    return Judged(
        sentence=sentence,
        hits=tuple(match for match in named + stated if not match[0].optional),
        missed=tuple(fact for fact in gold if not fact.optional),
        wrong=tuple(fact for fact in left if not fact.ended),
        reviewed=reviewed,
    )


def score(judged: Sequence[Judged]) -> dict[str, Any]:
    """Precision and recall with the counts behind them, in all and by language and kind; None where
    there is nothing to divide by.

    A hit counts under the labelled kind, a wrong fact under its own. No words of a sentence appear.
    """
    counted = [each for verdict in judged for each in _counted(verdict)]
    hits = [match for verdict in judged for match in verdict.hits]
    dated = [
        fact.event_time is not None and fact.event_time.date() == gold.event_date
        for gold, fact in hits
        if gold.event_date
    ]
    single = [fact.single_valued for gold, fact in hits if gold.single_valued]
    negatives = [verdict for verdict in judged if verdict.sentence.why]
    fooled = Counter(verdict.sentence.why for verdict in negatives if verdict.wrong)
    return {
        "sentences": len(judged),
        **_shares(counted),
        "by_language": _grouped(counted, lambda each: each[1]),
        "by_kind": _grouped(counted, lambda each: each[2]),
        "by_kind_english": _grouped([each for each in counted if each[1] == "en"], lambda each: each[2]),
        "negatives": {
            "sentences": len(negatives),
            "with_facts": sum(fooled.values()),
            "with_facts_by_reason": dict(sorted(fooled.items())),
        },
        "waiting_for_review": sum(len(verdict.reviewed) for verdict in judged),
        "right_event_date": _share(sum(dated), len(dated)),
        "known_as_single_valued": _share(sum(single), len(single)),
    }


def as_table(scores: dict[str, Any]) -> str:
    """Precision, recall and counts over all files, by language and by kind, as aligned text."""
    rows = [("all", scores), *scores["by_language"].items(), *scores["by_kind"].items()]
    return "\n".join(
        [
            f"{'':14}precision  recall    hit missed  wrong",
            *(
                f"{name:14}{_digits(each['precision']):>9}{_digits(each['recall']):>8}"
                f"{each['hit']:>7}{each['missed']:>7}{each['wrong']:>7}"
                for name, each in rows
            ),
        ]
    )


def _judged(path: Path, report: Report) -> Iterator[Judged]:
    sentences = read_sentences(path)
    for number, (sentence, facts) in enumerate(read(sentences), 1):
        yield judge(sentence, facts)
        if number % REPORT_EVERY == 0:
            report(f"{path.stem}: {number} of {len(sentences)} sentences")


def _installed() -> Network:
    try:
        return network(current.configuration().models_home)
    except WeightsUnusable as missing:
        raise BenchmarkImpossible(str(missing)) from missing


def _line(line: str, number: int, path: Path) -> Sentence:
    try:
        usual = {"id": f"{path.stem}-{number}", "language": path.stem.rpartition("-")[2]}
        return Sentence.model_validate(usual | json.loads(line), strict=False)
    except json.JSONDecodeError as error:
        raise BenchmarkImpossible(f"Line {number} of {path.name} is not JSON.") from error
    except ValidationError as error:
        first = error.errors()[0]
        what = f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
        raise BenchmarkImpossible(f"Line {number} of {path.name} is invalid: {what}") from error


def _chat(sentence: Sentence) -> Transcript:
    """The sentence as a chat of one message."""
    source = uuid5(NOBODY, sentence.id)
    turn = Turn(
        message_id=uuid5(source, "turn"),
        sequence=1,
        role=sentence.role,
        content=sentence.text,
        said_at=sentence.said_at,
        tool_name="lookup" if sentence.role == "tool" else "",
    )
    return Transcript(
        user_id=NOBODY,
        source_kind=CONVERSATION,
        source_id=source,
        title="",
        started_at=sentence.said_at,
        turns=(turn,),
    )


def _pair(
    gold: list[GoldFact], left: list[ExtractedFact], texts: Callable[[ExtractedFact], Iterable[str]]
) -> tuple[Match, ...]:
    """Matches by these texts of a fact, taking both sides out of their lists."""
    matches: list[Match] = []
    for wanted in tuple(gold):
        found = next((fact for fact in left if _agrees(wanted, fact, " ".join(texts(fact)))), None)
        if found is not None:
            matches.append((wanted, found))
            gold.remove(wanted)
            left.remove(found)
    return tuple(matches)


def _agrees(wanted: GoldFact, found: ExtractedFact, text: str) -> bool:
    turned = bool(wanted.opposite) and found.predicate == wanted.opposite
    agrees_on_end = found.ended == (turned or wanted.ended) or found.predicate in FORMER.values()
    if found.kind not in (wanted.kind, *wanted.accept_kinds) or not agrees_on_end:
        return False
    return any(contains(text, option) for option in wanted.object)


def _counted(verdict: Judged) -> Iterator[Counted]:
    language = verdict.sentence.language
    yield from (("hit", language, gold.kind) for gold, _ in verdict.hits)
    yield from (("missed", language, gold.kind) for gold in verdict.missed)
    yield from (("wrong", language, fact.kind) for fact in verdict.wrong)


def _grouped(counted: Iterable[Counted], key: Callable[[Counted], str]) -> dict[str, dict[str, Any]]:
    groups: dict[str, list[Counted]] = {}
    for each in counted:
        groups.setdefault(key(each), []).append(each)
    return {name: _shares(group) for name, group in sorted(groups.items())}


def _shares(counted: Iterable[Counted]) -> dict[str, Any]:
    counts = Counter(verdict for verdict, _, _ in counted)
    return {
        "precision": _share(counts["hit"], counts["hit"] + counts["wrong"]),
        "recall": _share(counts["hit"], counts["hit"] + counts["missed"]),
        **{name: counts[name] for name in ("hit", "missed", "wrong")},
    }


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


def _digits(share: float | None) -> str:
    return "–" if share is None else f"{share:.3f}"


def _show(judged: Iterable[Judged], show: Report) -> None:
    for verdict in judged:
        if verdict.missed or verdict.wrong:
            why = f" {verdict.sentence.why}".rstrip()
            lines = [f"{verdict.sentence.id}{why}: {verdict.sentence.text}"]
            for gold in verdict.missed:
                kinds = " | ".join((gold.kind, *gold.accept_kinds))
                lines.append(f"    missed  {kinds}: {' | '.join(gold.object)}")
            for label, facts in (("wrong", verdict.wrong), ("waits", verdict.reviewed)):
                lines += (f"    {label}   {each.kind} {each.predicate}: {each.statement}" for each in facts)
            show("\n".join(lines))
