"""Find secrets in text: passwords, keys, tokens, card and account numbers, and recovery codes.

Formats and checksums identify most of them; `memory.text.secret_cues` finds the others by nearby words.
Patterns run on RE2 or on a bounded part of the text, so the time is linear in the text.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from memory.text.patterns import compile_ascii, compile_pattern, compile_set, patterns, table_of
from memory.text.sanitizing import legible, replace_spans
from memory.text.secret_cues import ACCOUNT, KEY, cued_secrets

BLANK = "█"
MAX_REPEATED, MIN_REPEATED_LENGTH = 20, 5
CARD = "card number"

_SURROGATE = re.compile("[\ud800-\udfff]")  # which RE2 cannot read
_MASK = re.compile(r"\[[a-z-]+(?: [a-z]+){0,2} hidden\]|•••", re.IGNORECASE)

_TABLE = table_of(__file__)
_FORMATS = tuple((row["kind"], compile_ascii(row["pattern"])) for row in map(patterns, _TABLE["formats"]))
_PREFIXED = compile_ascii(r"\b(?:sk|pk|rk)[-_](?:[A-Za-z]{2,10}[-_])?[A-Za-z0-9_-]{16,}")
_RANDOM = compile_ascii(r"[A-Za-z0-9+/_=-]{32,}")
_HEXADECIMAL = re.compile(r"[0-9a-fA-F-]+")
_LETTERS = (re.compile("[a-z]"), re.compile("[A-Z]"), re.compile("[0-9].*[0-9].*[0-9]"))
MAX_KEY_LENGTH = 48
"""Longer words are encoded texts and files."""

_DIGITS = compile_pattern(r"\d[\d .\-\x{a0}]{11,}\d")
_GROUP = re.compile(r"\d+")
_ISSUERS = re.compile(
    r"4(?:\d{15}|\d{18})|5[1-5]\d{14}|(?:222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720)\d{12}"
    r"|3[47]\d{13}|3(?:0[0-5]|[689]\d)\d{11}|35(?:2[89]|[3-8]\d)\d{12}"
    r"|6(?:011|4[4-9]\d|5\d\d)\d{12}|(?:62|60|81|82|50|5[6-9]|67)\d{14}|62\d{17}"
)
MIN_CARD_LENGTH, MAX_CARD_LENGTH = 14, 19

_IBAN_START = compile_ascii(r"\b[A-Za-z]{2}\d\d")
_SIGNS = compile_set((*(pattern for _, pattern in _FORMATS), _PREFIXED, _RANDOM, _DIGITS, _IBAN_START))
"""Most texts have none of these, and so no secret."""
_IBAN_LENGTHS = {
    country: int(length)
    for length, countries in _TABLE["iban_lengths"].items()
    for country in countries.split()
}


@dataclass(frozen=True, slots=True, order=True)
class Secret:
    """A secret in a text: the half-open range of its characters, and its kind in English."""

    start: int
    end: int
    kind: str

    @property
    def mask(self) -> str:
        """The text that replaces it."""
        return f"[{self.kind} hidden]"


def find_secrets(text: str) -> tuple[Secret, ...]:
    """The secrets in a text, in order and without overlaps."""
    text, places = legible(text if text.isascii() else _SURROGATE.sub("\ufffd", text))
    found: list[Secret] = []
    if _SIGNS(text):
        found += (*_formatted(text), *_cards(text), *_accounts(text))
    found += (Secret(start, end, kind) for start, end, kind in cued_secrets(text))
    if not found:
        return ()
    found = list(_without_overlaps([*found, *_repeated(text, _without_overlaps(found))]))
    return tuple(
        found
        if places is None
        else (Secret(places[each.start], places[each.end], each.kind) for each in found)
    )


def _without_overlaps(found: Iterable[Secret]) -> tuple[Secret, ...]:
    merged: list[Secret] = []
    for each in sorted(found):
        if not merged or each.start >= merged[-1].end:
            merged.append(each)
        elif each.end > merged[-1].end:
            merged[-1] = Secret(merged[-1].start, each.end, merged[-1].kind)
    return tuple(merged)


def _repeated(text: str, found: Sequence[Secret]) -> Iterator[Secret]:
    """Further occurrences of the first few secrets, which no cue may reveal."""
    kinds = {text[each.start : each.end]: each.kind for each in found[:MAX_REPEATED]}
    for value, kind in kinds.items():
        place = text.find(value) if len(value) >= MIN_REPEATED_LENGTH else -1
        while place >= 0:
            yield Secret(place, place + len(value), kind)
            place = text.find(value, place + len(value))


def hide_secrets(text: str) -> str:
    """`text` with a mask such as `[password hidden]` for each secret."""
    return hide_within(text, 0, len(text), tuple)


def hide_within(text: str, start: int, end: int, spared: Callable[[], Collection[str]]) -> str:
    """`text[start:end]` with masks, also for secrets that only the surrounding text reveals, or that extend
    beyond it. `spared` is only called if there is a secret."""
    pieces: list[str] = []
    done = start
    for secret in find_secrets(text):
        if start < secret.end and secret.start < end and text[secret.start : secret.end] not in spared():
            pieces += [text[done : secret.start], secret.mask]
            done = secret.end
    return "".join([*pieces, text[done:end]])


def blank_secrets(text: str, found: Sequence[Secret] | None = None) -> str:
    """`text` with a block for each character of a secret, so offsets do not change. `found` are the secrets
    in it, if known."""
    secrets = find_secrets(text) if found is None else found
    spans = ((secret.start, secret.end) for secret in secrets)
    return replace_spans(text, spans, lambda secret: BLANK * len(secret))


def holds_mask(text: str) -> bool:
    """Whether a secret was masked or blanked in a text."""
    return BLANK in text or bool(_MASK.search(text))


def _formatted(text: str) -> Iterator[Secret]:
    for kind, pattern in _FORMATS:
        for match in pattern.finditer(text):
            yield Secret(match.start(match.lastindex or 0), match.end(match.lastindex or 0), kind)
    for match in _PREFIXED.finditer(text):
        if any(map(str.isdigit, match[0])):
            yield Secret(match.start(), match.end(), KEY)
    for match in _RANDOM.finditer(text):
        if (
            len(match[0]) <= MAX_KEY_LENGTH
            and _looks_random(match[0])
            and not _in_address(text, match.start())
        ):
            yield Secret(match.start(), match.end(), KEY)


def _looks_random(word: str) -> bool:
    """Whether a word looks random: many different characters of three kinds, and not a hash or id."""
    mixed = all(kind.search(word) for kind in _LETTERS) and len(set(word)) >= 18
    return mixed and not _HEXADECIMAL.fullmatch(word)


def _in_address(text: str, start: int) -> bool:
    """Whether a word is part of a URL, a data URL or a checksum, which are not secret."""
    before = text[max(0, start - 200) : start].rpartition(" ")[2]
    return "://" in before or "base64," in before or before.lower().endswith(("sha256-", "sha512-"))


def _cards(text: str) -> Iterator[Secret]:
    for run in _DIGITS.finditer(text):
        groups = [(run.start() + each.start(), each[0]) for each in _GROUP.finditer(run[0])]
        for number, (start, _) in enumerate(groups):
            ahead = [each for _, each in groups[number : number + 6]]
            for last, digits in enumerate(accumulate(ahead), number):
                if len(digits) > MAX_CARD_LENGTH:
                    break
                if len(digits) >= MIN_CARD_LENGTH and _is_card(digits):
                    yield Secret(start, groups[last][0] + len(groups[last][1]), CARD)


def _is_card(written: str) -> bool:
    digits = [int(char) for char in written]
    doubled = [digit * 2 - 9 * (digit > 4) for digit in digits[-2::-2]]
    is_issued = bool(_ISSUERS.fullmatch("".join(map(str, digits))))
    return is_issued and len(set(digits)) > 1 and (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


def _accounts(text: str) -> Iterator[Secret]:
    for match in _IBAN_START.finditer(text):
        end = _iban_end(text, match.start(), _IBAN_LENGTHS.get(match[0][:2].upper(), 0))
        if end:
            yield Secret(match.start(), end, ACCOUNT)


def _iban_end(text: str, start: int, length: int) -> int:
    """The end of an IBAN of this length, written with or without spaces, or 0 if it is not valid."""
    kept = ""
    for place in range(start, min(len(text), start + 2 * length)):
        char = text[place]
        if char.isascii() and char.isalnum():
            kept += char
        elif char not in " -\u00a0":
            return 0
        if len(kept) == length:
            number = "".join(str(int(each, 36)) for each in kept[4:] + kept[:4])
            return place + 1 if int(number) % 97 == 1 else 0
    return 0
