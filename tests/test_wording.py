"""Pages, messages, docstrings, comments and docs avoid turns of phrase that read like a translation.

`docs/wording.md` says what to write instead.
"""

import re
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PLACES = (
    *("accounts", "api", "bench", "chat", "docs", "jobs", "llm"),
    *("memory", "palace", "templates", "transfer"),
)
KINDS = {".py", ".md", ".html", ".txt"}

TO_DO = ()
"""Files that still have to be reworded; remove each when it is done."""

SKIPPED = ("docs/wording.md", "*/migrations/*", "memory/text/*", "bench/data/*")
"""They quote what not to say, are history, or hold words of many languages."""

BANNED = (
    "(?:is|are|be|was|were) told(?! apart)",
    "what (?:holds|held|is known) of",
    "things? known of",
    "by themselves",
    "by whoever",
    "(?:went|goes?|going) along",
    "hangs? together",
    "as (?:it is )?at the beginning",
    "looks? into the file",
    "worked around",
    "without a word",
    "in the making",
    "signs? of life",
    "calls of tools",
    "least likeness",
    "cannot be had",
    "(?:take|takes|took|taken|taking)(?: it| that| them| this)? back",
    "(?:bring|brings|bringing) in",
    "puts? before (?:a|the) model",
    "stands? in the place of",
    "words (?:it rests|they rest) on",
    "to be remembered",
    "understood from",
    "is at work (?:for|on)",
    "lets? go of",
    "has an account already",
    "goes? by that name",
    "is away",
    "nobody and nothing",
    "by (?:its|their) words alone",
    "the words in their drawer",
    "stands? now",
    "(?:bring|brings|bringing|brought) back",
    "what became of",
    "(?:was|were) decided about",
    "could not be looked",
    "(?:known|waiting|restored) already",
    "as you got it",
    "c[ao]me in whole",
    "takes everything along",
    "put badly",
    "invented person",
)
GAP = r"""(?:[\s"#]|f(?="))+"""
"""What may lie between two words: a line break, the marks of a comment or of adjacent strings."""

PATTERN = re.compile(rf"\b(?:{'|'.join(BANNED)})\b".replace(" ", GAP), re.IGNORECASE)


def files() -> Iterator[Path]:
    """Every file with words for people, apart from TO_DO and SKIPPED."""
    for path in (*ROOT.glob("*.md"), *(path for place in PLACES for path in (ROOT / place).rglob("*.*"))):
        if path.suffix in KINDS and not _matches(path, (*TO_DO, *SKIPPED)):
            yield path


def _matches(path: Path, patterns: tuple[str, ...]) -> bool:
    return any(fnmatch(path.relative_to(ROOT).as_posix(), pattern) for pattern in patterns)


def banned(text: str) -> list[str]:
    """The banned turns in a text with their line numbers, across line breaks and adjacent strings."""
    return [f"{text.count(chr(10), 0, found.start()) + 1}: {found[0]}" for found in PATTERN.finditer(text)]


def test_no_text_uses_a_banned_turn() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{turn}"
        for path in files()
        for turn in banned(path.read_text(encoding="utf-8"))
    ]
    assert not found, "See docs/wording.md for what to write instead.\n" + "\n".join(found)


def test_a_turn_is_found_across_lines_and_adjacent_strings() -> None:
    assert banned('x = (\n    "No address Is "\n    f"told anything"\n)') == ['2: Is "\n    f"told']
    assert banned("Both are told apart.") == []
