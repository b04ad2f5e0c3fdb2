"""No text takes long to read, whatever words it repeats."""

import subprocess
import sys

# Reading all of it takes a few seconds; a rule that tries every way to part a text takes hours.
DEADLINE = 300
LENGTH = 20_000

READING = f"""
from tests.memory.mining.chats import turn
from memory.mining.rules.extractor import LANGUAGES
from memory.mining.rules.matching import facts_of

MARKS = [" ", ",", "a ", "a, ", '"', "'", "\\u201c", "\\u00ab", "1 ", "A", "a-", "\\u2026", "\\n", "- ", "A: ", "12:30\\n"]
ONES = [example.split() for language in LANGUAGES for rule in language.rules for example, _ in rule.yes[:1]]
HEADS = sorted({{" ".join(words[:3]) + " " for words in ONES}})

for repeated in MARKS:
    facts_of(turn((repeated * {LENGTH})[:{LENGTH}]), LANGUAGES)
for repeated in HEADS:
    facts_of(turn((repeated * 600)[:600]), LANGUAGES)
"""


def test_repeated_words_and_marks_are_read_before_the_deadline():
    done = subprocess.run(
        [sys.executable, "-c", READING],
        timeout=DEADLINE,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
