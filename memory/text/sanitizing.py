"""Clean text from elsewhere before it is stored, and detect characters that hide something."""

import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from memory.text.patterns import UNSPACED, compile_pattern

REPLACEMENT = "\ufffd"

_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_FEW_MARKS = re.compile(r".*?\W{30}|.+", re.DOTALL)

# The flags of England, Scotland and Wales; Unicode recommends no others that are written with tags.
_FLAG = re.compile(
    "\U0001f3f4\U000e0067\U000e0062"
    "(?:\U000e0065\U000e006e\U000e0067|\U000e0073\U000e0063\U000e0074|\U000e0077\U000e006c\U000e0073)"
    "\U000e007f"
)
_RTL_LETTER = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
# Scripts whose letters join: here a joiner or non-joiner is spelling. Arabic to Myanmar, Mongolian.
_JOINING = "\u0600-\u08ff\u0900-\u109f\u1780-\u18af\ufb50-\ufdff\ufe70-\ufefc"
# Scripts written without spaces, where a zero-width space marks a place to break the line.
_MARKUP = re.compile(r"[<>`#*_\[\]{}|]|https?://|www\.", re.IGNORECASE)
_IDEOGRAPH = "\u3400-\u9fff\U00020000-\U0003ffff"
# What may have a standard variant: Myanmar and Phags-pa letters, mathematical and East Asian characters.
_VARIED = f"\u1000-\u109f\u2200-\u2aff\u3001-\u33ff\ua840-\ua877\uff01-\uff5e{_IDEOGRAPH}"
_PICTURE = "\u00a9\u00ae\u203c-\u3299\ufe0f\U0001f000-\U0001faff"
_HIDDEN = re.compile(
    "|".join(
        (
            "[\U000e0000-\U000e007f]",
            "[\u202d\u202e]",
            "[\u2060-\u2064\u206a-\u206f\u180e\u034f\u115f\u1160\u3164\uffa0]",
            "(?<!^)\ufeff",
            "[\ufe00-\ufe0f\U000e0100-\U000e01ef]{2,}",
            f"(?<![{_VARIED}])[\ufe00-\ufe02]|[\ufe03-\ufe0d]|(?<![{_IDEOGRAPH}])[\U000e0100-\U000e01ef]",
            "[\u200b-\u200d\u00ad]{2,}",
            f"(?<=[^\\W{UNSPACED}])\u200b(?=[^\\W{UNSPACED}])",
            f"(?<![{_JOINING}])\u200c",
            f"(?<![{_JOINING}{_PICTURE}])\u200d",
            f"(?<=[{_PICTURE}])\u200d(?![{_PICTURE}])",
        )
    )
)
# Runs of characters that may hide or reorder text; `_ORDINARY` matches those that are ordinary writing.
_SUSPECT = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u034f\u061c\u115f\u1160\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e01ef]+"
)
_ORDINARY = re.compile(
    f"(?<=[{_JOINING}])[\u200c\u200d]|(?<=[{_PICTURE}])\u200d(?=[{_PICTURE}])|\r(?=\n)"
    f"|(?<=[{UNSPACED}])\u200b(?=[{UNSPACED}])|(?<=[^\\s\ufe00-\ufe0f])[\ufe0e\ufe0f]"
    f"|(?<=[{_VARIED}])[\ufe00-\ufe02]|(?<=[{_IDEOGRAPH}])[\U000e0100-\U000e01ef]"
)
# Runs that are ordinary writing: a variation selector before the joiner of an emoji, and line breaks.
_ORDINARY_RUN = re.compile("\ufe0f\u200d|\r+")
_CITATION = compile_pattern(
    "\ue200(?:file)?cite(?:\ue202(?:turn[0-9]{1,4}[a-z]{1,10}[0-9]{1,4}|L[0-9]{1,6}(?:-L[0-9]{1,6})?))+\ue201"
)
_OPENING, _CLOSING = "\u202a\u202b\u2066\u2067\u2068", "\u202c\u2069"
_RIGHT_TO_LEFT = re.compile("[\u202b\u2067]")


# Letters of other scripts that look like Latin ones, in the same order.
LOOKALIKES = (
    "авеіјкмнорѕстухԁԛԝһӏαβεηικνορτυχγıɑɡ",
    "abeijkmhopsctyxdqwhlabenikvoptuxyiag",
)
_TO_LATIN = str.maketrans(
    f"{LOOKALIKES[0]}АВЕІЈКМНОРЅСТУХΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", f"{LOOKALIKES[1]}ABEIJKMHOPSCTYXABEZHIKMNOPTYX"
)
_TO_CYRILLIC = str.maketrans("abekmhopctyxABEKMHOPCTYX", "авекмнорстухАВЕКМНОРСТУХ")
_FOREIGN = re.compile("[\u0370-\u052f]")
_MIXED = re.compile("[a-zA-Z\u00c0-\u02af][\u0370-\u052f]|[\u0370-\u052f][a-zA-Z\u00c0-\u02af]")
_WORD = re.compile("[a-zA-Z\u00c0-\u02af\u0370-\u052f]+")
_WIDE = re.compile("[\uff0d\uff10-\uff19\uff1d\uff20-\uff3a\uff3f\uff41-\uff5a\U0001d400-\U0001d7ff]")
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e01ef]+"
)
_ODD = compile_pattern("|".join(each.pattern for each in (_INVISIBLE, _WIDE, _MIXED)))


@dataclass(frozen=True, slots=True)
class Storable:
    """Text the database can store, and the number of replaced characters."""

    text: str
    replaced: int


def storable(text: str) -> Storable:
    """`text` with U+FFFD for every NUL and lone surrogate; split surrogate pairs are rejoined."""
    joined = _PAIR.sub(_rejoined, text)
    clean, replaced = _UNSTORABLE.subn(REPLACEMENT, joined)
    return Storable(text=clean, replaced=replaced)


def normalise(form: Literal["NFC", "NFD", "NFKC", "NFKD"], text: str) -> str:
    """`text` in a Unicode normal form, in linear time. `unicodedata` sorts the marks on a letter in quadratic
    time, so text is split after 30 of them, as in the Stream-Safe Text Format."""
    return "".join(unicodedata.normalize(form, part) for part in _FEW_MARKS.findall(text))


def is_visible(text: str) -> bool:
    """Whether `text` shows anything; spaces, direction marks and joiners do not."""
    return any(unicodedata.category(char)[0] not in "CZ" for char in _HIDDEN.sub("", text))


def hidden_characters(text: str) -> bool:
    """Whether `text` holds characters that make a person and a model read different things.

    Joiners inside emoji, Persian or Indic words, flags, line-break hints and balanced direction marks are
    ordinary writing.
    """
    if text.isascii():
        return False
    visible = _FLAG.sub("", text)
    return bool(_HIDDEN.search(visible)) or _misdirects(visible)


def is_plain(text: str) -> bool:
    """Whether `text` is prose alone, without markup, links or hidden characters."""
    return not (_MARKUP.search(text) or hidden_characters(text))


def visible(text: str) -> str:
    """`text` with an escape such as `\\u202e` for each character that hides or reorders text or steers a
    terminal. Joiners inside emoji and words, flags, and direction marks in right-to-left text stay. ChatGPT's
    citation marks, which only its own site can show, are left out."""
    if text.isascii() and text.isprintable():
        return text
    if "\ue200" in text:
        text = _CITATION.sub("", text)
    if not _SUSPECT.search(text):
        return text
    flags = {place for flag in _FLAG.finditer(text) for place in range(*flag.span())}
    marks = "\u200e\u200f\u061c" if _RTL_LETTER.search(text) else ""

    def shown(run: re.Match[str]) -> str:
        is_suspect_run = len(run[0]) > 1 and not _ORDINARY_RUN.fullmatch(run[0])
        return "".join(
            char
            if place in flags or char in marks or (not is_suspect_run and _ORDINARY.match(text, place))
            else _escape(char)
            for place, char in enumerate(run[0], run.start())
        )

    return _SUSPECT.sub(shown, text)


def replace_spans(text: str, spans: Iterable[tuple[int, int]], replacement: Callable[[str], str]) -> str:
    """`text` with what `replacement` returns for the text of each of these half-open ranges, in order."""
    pieces, done = [], 0
    for start, end in spans:
        pieces += [text[done:start], replacement(text[start:end])]
        done = end
    return "".join([*pieces, text[done:]])


def _escape(char: str) -> str:
    return f"\\u{ord(char):04x}" if ord(char) < 0x10000 else f"\\U{ord(char):08x}"


def _rejoined(pair: re.Match[str]) -> str:
    return pair[0].encode("utf-16-le", "surrogatepass").decode("utf-16-le")


def _misdirects(text: str) -> bool:
    opened = sum(text.count(mark) for mark in _OPENING)
    if opened != sum(text.count(mark) for mark in _CLOSING):
        return True
    return bool(_RIGHT_TO_LEFT.search(text)) and not _RTL_LETTER.search(text)


def lower(text: str) -> str:
    """`text` in lower case with the same length, so that offsets do not change."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(char.lower() if len(char.lower()) == 1 else char for char in text)


def legible(text: str) -> tuple[str, list[int] | None]:
    """`text` as it looks, for matching patterns: without invisible characters, full-width letters, and
    letters of another script within a word. The list maps each character and the end to offsets in `text`;
    it is None if no offset changed."""
    places = None
    is_composed = text.isascii() or normalise("NFC", text) == text
    if text.isascii() or (is_composed and not _ODD.search(text)):
        return text, places
    if _INVISIBLE.search(text) or not is_composed:
        pieces: list[str] = []
        places = []
        for place, char in enumerate(text):
            if _INVISIBLE.match(char):
                continue
            joined = (
                unicodedata.normalize("NFC", pieces[-1] + char)
                if pieces and unicodedata.combining(char)
                else ""
            )
            if len(joined) == 1:
                pieces[-1] = joined
            else:
                pieces.append(char)
                places.append(place)
        places.append(len(text))
        text = "".join(pieces)
    text = _WIDE.sub(lambda wide: unicodedata.normalize("NFKC", wide[0]), text)
    return _WORD.sub(_in_one_script, text), places


def _in_one_script(word: re.Match[str]) -> str:
    if not _MIXED.search(word[0]):
        return word[0]
    latin = word[0].translate(_TO_LATIN)
    return word[0].translate(_TO_CYRILLIC) if _FOREIGN.search(latin) else latin
