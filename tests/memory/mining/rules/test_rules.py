"""Every rule keeps the promises written beside it, and every language reads what people tell in it."""

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from memory.mining.rules.endings import standing
from memory.mining.rules.extractor import LANGUAGES
from memory.mining.rules.matching import facts_of
from memory.mining.rules.table import Language, Rule
from memory.mining.types import FACT_KINDS
from tests.memory.mining.chats import turn

TOLD = Path(__file__).parent / "told"
NAMES = ("english", "german", "spanish", "french", "chinese", "russian")
COMMON = {"named", "lives_in", "likes", "dislikes", "works_at", "works_as", "asked_to_remember", ""}

# Reading all of it takes a few seconds; a rule that tries every way to part a text takes hours.
DEADLINE_S = 300
READING = """
from tests.memory.mining.chats import turn
from memory.mining.rules.extractor import LANGUAGES
from memory.mining.rules.matching import facts_of

MARKS = [" ", ",", "a ", "a, ", '"', "'", "\\u201c", "1 ", "A", "a-", "\\u2026", "\\n", "- ", "A: ", "12:30\\n"]
ONES = [example.split() for language in LANGUAGES for rule in language.rules for example, _ in rule.yes[:1]]
for repeated in MARKS:
    facts_of(turn((repeated * 20_000)[:20_000]), LANGUAGES)
for repeated in sorted({" ".join(words[:3]) + " " for words in ONES}):
    facts_of(turn((repeated * 600)[:600]), LANGUAGES)
"""


@pytest.mark.parametrize("language", LANGUAGES, ids=NAMES)
def test_every_rule_keeps_its_promises(language: Language) -> None:
    assert [failure for rule in language.rules for failure in broken_promises(language, rule)] == []
    assert {rule.predicate for rule in language.rules} >= COMMON


def broken_promises(language: Language, rule: Rule) -> Iterator[str]:
    if not (rule.yes and rule.no and rule.kind in FACT_KINDS and 0.5 <= rule.confidence <= 0.9):
        yield f"{rule.predicate or rule.kind} lacks examples, or its kind or confidence is unknown"
    alone = replace(language, rules=(rule,))
    for sentence, expected in (*rule.yes, *((sentence, "") for sentence in rule.no)):
        found = "|".join(item.fact.object for item in facts_of(turn(sentence), [alone]))
        if found != expected:
            yield f"{sentence!r} gives {found!r}, not {expected!r}"


@pytest.mark.parametrize("name", NAMES)
def test_a_message_gives_what_it_tells_and_nothing_else(name: str) -> None:
    lines = (TOLD / f"{name}.tsv").read_text(encoding="utf-8").splitlines()
    failures = []
    for said, expected in (line.split("\t") for line in lines):
        found = standing(facts_of(turn(said), LANGUAGES))
        given = "; ".join(f"{item.fact.kind}: {item.fact.object}" for item in found) or "-"
        if given != expected:
            failures.append(f"{said!r} gives {given!r}, not {expected!r}")
    assert failures == []


@pytest.mark.drill
def test_repeated_words_and_marks_are_read_before_the_deadline() -> None:
    command = [sys.executable, "-c", READING]
    done = subprocess.run(command, timeout=DEADLINE_S, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
