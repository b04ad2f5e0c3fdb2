"""Tell a writer's own words in a message from code, quotations and text pasted from elsewhere.

This looks only at the form of a text; the network judges its content.
"""

from collections.abc import Iterator, Sequence

from llm.multilingual.tokens import Span
from memory.mining.windows import memory_blocks
from memory.text.patterns import compile_pattern, compile_table, table_of
from memory.text.sanitizing import replace_spans

_FENCE = compile_pattern(r"(?:^|\n) {0,3}(?:```|~~~)")
# A cell of a table with commas. Longer stretches of Chinese or Japanese without spaces are clauses.
_CELL = r"(?:[^\s,;\p{Han}\p{Hiragana}\p{Katakana}]*|[^\s,;]{0,6})"
_PASTED_LINE = compile_pattern(
    r"\s*(?:>|\$ |>>> |#!/|[A-Z]:\\|</?[a-zA-Z!]|\||@@ |[-+]{3} [ab]/|Traceback \(|File \"|at [\w.$]+\("
    r"|\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?\d\d:\d\d:\d\d"
    r"|\[?(?:INFO|WARN|WARNING|ERROR|DEBUG|TRACE|FATAL|CRITICAL)[\]:\s]"
    r"|(?:import|from|def|class|return|const|let|var|function|public|private|SELECT) [^\n]*[;{(:=]\s*$"
    r"|[\w\"'-]{1,40}\s*[:=]\s*[\"'\[{][^\n]*[,;\]}\"']\s*$"
    r"|\d\d?:\d\d:\d\d[,.]\d{3} -->"
    rf"|(?:{_CELL}[,;]){{4,}}{_CELL}$|(?:[^\t\n]*\t){{3,}})"
)
_TABLE = table_of(__file__)
_EXACT = compile_table(_TABLE.pop("exact"), ignore_case=False)
_PATTERNS = compile_table(_TABLE)
# "Translate this:", "my boss wrote:" and the like, at the end of a line: another text follows.
_INTRODUCED = compile_pattern(r"[:：][ \t]*\n")
_EMPTY_LINES = compile_pattern(r"\n[ \t]*(?:\n[ \t]*)+")
SUPPOSED = _PATTERNS["supposed"]
MIN_TURNS = 2
MANY_LINES, SHORT_LINE = 6, 45
_SENTENCE_ENDS = (".", "!", "?", "…", "。", "！", "？", ",", ";", "，", "；", ":")
LONG_PARAGRAPH = 200


def pasted_spans(content: str) -> list[Span]:
    """Half-open ranges of `content` that are not the writer's own words, in order and without overlaps."""
    lines = [span for span in _lines(content) if content[slice(*span)].strip()]
    found = [*memory_blocks(content), *_fenced(content), *_pasted_lines(content, lines)]
    found += [(match.start(), match.end()) for match in _EXACT["quoted"].finditer(content)]
    found += [*_dialogue(content, lines), *_letter(content, lines), *_introduced_text(content)]
    return merge_spans(found)


def maybe_pasted_spans(content: str) -> list[Span]:
    """The body of a message that looks like a page, form or profile, which has many lines, a third of them
    short and unpunctuated. Its first and last paragraphs are the writer's own if they are one short line."""
    lines = [content[slice(*span)].strip() for span in _lines(content)]
    filled = [line for line in lines if line]
    titles = [line for line in filled if len(line) <= SHORT_LINE and not line.endswith(_SENTENCE_ENDS)]
    if len(filled) < MANY_LINES or len(titles) * 3 < len(filled):
        return []
    paragraphs = _paragraphs(content)
    start = paragraphs[0][1] if _is_short(content[slice(*paragraphs[0])]) else 0
    end = paragraphs[-1][0] if _is_short(content[slice(*paragraphs[-1])]) else len(content)
    return [(start, end)] if start < end else []


def role_play_spans(content: str) -> list[Span]:
    """The whole of a message that begins by asking the assistant to play a role or write a story, or the rest
    of one from where its writer begins to play a role."""
    found = _PATTERNS["persona"].match(content) or _PATTERNS["own_role"].search(content)
    return [(found.start(), len(content))] if found else []


def begins_own_role(content: str) -> bool:
    """Whether the writer of a message begins to speak as somebody else."""
    return _PATTERNS["own_role"].search(content) is not None


def own_words(content: str) -> str:
    """`content` with pasted spans replaced by line breaks, so offsets do not change."""
    return replace_spans(content, pasted_spans(content), lambda pasted: "\n" * len(pasted))


def _lines(content: str) -> Iterator[Span]:
    start = 0
    while start < len(content):
        end = content.find("\n", start)
        end = len(content) if end < 0 else end + 1
        yield start, end
        start = end


def _paragraphs(content: str) -> list[Span]:
    """Ranges of the text between empty lines; at least one."""
    found: list[Span] = []
    start = 0
    for match in _EMPTY_LINES.finditer(content):
        if match.start() > start:
            found.append((start, match.start()))
        start = match.end()
    if content[start:].strip() or not found:
        found.append((start, len(content)))
    return found


def _is_short(paragraph: str) -> bool:
    return "\n" not in paragraph.strip() and len(paragraph) <= LONG_PARAGRAPH


def _fenced(content: str) -> Iterator[Span]:
    marks = [match.start() for match in _FENCE.finditer(content)]
    for start, end in zip(marks[::2], [*marks[1::2], len(content)], strict=False):
        stop = content.find("\n", end + 1)
        yield start, len(content) if stop < 0 else stop


def _pasted_lines(content: str, lines: Sequence[Span]) -> Iterator[Span]:
    for start, end in lines:
        if _PASTED_LINE.match(content[start : min(end, start + 400)].rstrip("\n")):
            yield start, end


def _dialogue(content: str, lines: Sequence[Span]) -> Iterator[Span]:
    """The lines of a dialogue, from the first to the last with a named speaker."""
    turns = [
        span
        for span in lines
        if _EXACT["turn"].match(line := content[span[0] : span[0] + 120].rstrip("\n"))
        and not _PATTERNS["label"].match(line)
    ]
    if len(turns) > MIN_TURNS:
        yield turns[0][0], turns[-1][1]
    elif len(turns) == MIN_TURNS:
        yield from turns


def _letter(content: str, lines: Sequence[Span]) -> Iterator[Span]:
    """An email or letter, from its headers or greeting to its closing or the end, unless the greeting begins
    a message without a closing."""
    headers = [span for span in lines if _EXACT["mail_head"].match(content[slice(*span)][:80])]
    greetings = [
        span for span in lines if _PATTERNS["greeting"].match(content[slice(*span)][:80].rstrip("\n"))
    ]
    closings = [span for span in lines if _PATTERNS["closing"].match(content[slice(*span)][:60].rstrip("\n"))]
    if closings:
        formal = (span for span in lines if _PATTERNS["salutation"].match(content[slice(*span)][:80]))
        greetings = sorted({*greetings, *formal})
    starts = headers[:1] if len(headers) > 1 else [span for span in greetings if span[0] > 0 or closings]
    if starts:
        ends = [span[1] for span in closings if span[0] > starts[0][0]]
        last = _paragraphs(content)[-1]
        is_own = bool(ends) and last[0] >= ends[-1] and _is_short(content[slice(*last)])
        yield starts[0][0], last[0] if is_own else len(content)


def _introduced_text(content: str) -> Iterator[Span]:
    """The text from a line that ends in a colon to the next empty line, if that line asks for work on a text
    or the text is long."""
    done = 0
    for match in _INTRODUCED.finditer(content):
        start = match.end()
        if start < done:
            continue
        line = content[content.rfind("\n", 0, match.start()) + 1 : start]
        least = 0 if _PATTERNS["text_work"].match(line[-LONG_PARAGRAPH:]) else LONG_PARAGRAPH
        end = content.find("\n\n", start + least)
        if len(content) - start >= least:
            done = end if end > 0 else len(content)
            yield start, done


def merge_spans(ranges: Sequence[Span]) -> list[Span]:
    """The ranges in order, with those that overlap merged."""
    merged: list[Span] = []
    for start, end in sorted(ranges):
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(merged[-1][1], end)
        else:
            merged.append((start, end))
    return merged
