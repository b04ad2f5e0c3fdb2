"""Secrets that only nearby words identify: "my password is …", "PIN 4821", "… is my password".

The words are in `secret_cues.toml`.
"""

import re
from collections.abc import Callable, Iterator

from memory.text.patterns import compile_pattern
from memory.text.tables import table_of

PASSWORD, PIN, SECURITY_CODE, ACCOUNT = "password", "PIN", "security code", "account number"
KEY, TOKEN, PRIVATE_KEY = "API key", "token", "private key"
RECOVERY, PHRASE, IDENTITY = "recovery code", "seed phrase", "identity number"
MAX_TAIL_LENGTH = 400
"""How many characters after its cue a secret may end."""

Range = tuple[int, int]
CuedSecret = tuple[int, int, str]

_DATA = table_of(__file__)
_NAMES = {kind: "|".join(names) for kind, names in _DATA["names"].items()}
_WHOLE_WORDS = {PIN, SECURITY_CODE, IDENTITY, TOKEN}
"""Kinds with short names that also occur inside other words."""

_CUES = tuple(
    (
        kind,
        compile_pattern(
            rf"(?:^|[^\pL])({names})(?:$|[^\pL])" if kind in _WHOLE_WORDS else f"({names})",
            ignore_case=True,
        ),
    )
    for kind, names in _NAMES.items()
)
_GAP = (
    r"(?:[ \t]+(?:for|to|of|at|on|in|from|für|fürs|von|vom|zum|zur|zu|bei|beim|im|meiner|meines|para|del?|en"
    r"|pour|du|des|à|au|sur|от|для|к|на|в|моей|моего)[ \t]+[^\n.:=?!]{1,50}?|[ \t]*\([^()\n]{1,40}\))?"
)
_LINK = (
    r"""s?["'”’»\]]{0,2}""" + _GAP + r"""(?:[ \t]*(:=|=>|->|[=:：→—–])|['’]s|[ \t]+(-)[ \t]"""
    r"""|[ \t]+(?:is|was|are|ist|lautet|war|sind|es|era|son|est|était|sont|это|такой|такая)"""
    r"""(?:[ \t]+(?:now|still|jetzt|nun|ahora|maintenant|теперь))?[ \t:]"""
    r"""|[ \t]*(?:是|为|改成|设为))[ \t]*(\n[ \t]*)?"""
)
_SIGN, _DASH, _LINE, _VALUE = 1, 2, 3, 4
_LINKED = compile_pattern(r"^" + _LINK + r"(.+)", ignore_case=True)
_QUOTED = re.compile(r"""["“„«](?P<double>[^"“”»\n]{1,200})["”»]|[`'‘](?P<single>[^`'’\n]{1,200})[`'’]""")
_WORD = re.compile(r"[^\s，。！？、；]+")
_SENTENCE = re.compile(r"(?:[^.;!?\n。；！？]|[.](?=\S))+")
_CLAUSE_ENDS = re.compile(
    r"""\s*(?:$|[.,;!?\n)\]。，！？、；—–-]|(?:and|but|und|aber|y|pero|et|mais|и|но|so|or|oder)\b)""",
    re.IGNORECASE,
)
_PLACEHOLDER = re.compile(
    r"[\[$<{%*•█…|(]|x{3,}|_{3,}|\.{3}|-{2,}|(?:os|process|env|self|this|config|settings|request"
    r"|args|get)[.\[(_]"
    r"|[\w.]+[(\[]",
    re.IGNORECASE,
)
_ORDINARY_WORDS = frozenset(_DATA["values"]["no_secret"].split())
_ORDINARY_BEGINNINGS = tuple(_DATA["values"]["no_secret_beginnings"].split())
_NUMBER = re.compile(r"[^\d\n.;?!]{0,40}?(?P<value>\d(?:[ ./-]?\d){2,29})(?![\w])")
_CODE = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{2,}")
_BETWEEN = re.compile(r"(?:[\s,;:/、，]|\d{1,2}[.)]\s|and|und|y|et|и|和|[-•*]\s)*", re.IGNORECASE)
_BEFORE_CODES = re.compile(r"[^\d\n.?!]{0,60}?(?:[:：\n]\s*)?(?=[A-Za-z]{0,8}-?\d|[A-Z0-9]{4,})")
_REVERSED = compile_pattern(
    r"(?:^|[\s\"'“(])([^\s\"'”]{4,80})[\"'”]?[ \t]+(?:"
    r"(?:is|was) (?:my|the|our) (?:\pL+[ \t]){0,3}|as (?:my|the|our|a) (?:\pL+[ \t]){0,2}|als "
    r"|ist (?:mein|das|die|unser)e? (?:\pL+[ \t-]){0,2}|es (?:mi|la) |est (?:mon|le) |это (?:мой )?|是我的)"
    rf"(?:{_NAMES[PASSWORD]}|{_NAMES[PIN]}|{_NAMES[KEY]})",
    ignore_case=True,
)
_CHANGED = compile_pattern(
    rf"(?:{_NAMES[PASSWORD]})[^\n.:=?!]{{0,50}}?[ \t](?:to|auf|zu|in|a|por|en|à|pour|на)[ \t]+(\S{{4,120}})",
    ignore_case=True,
)

CUES = (*(cue for _, cue in _CUES), _REVERSED, _CHANGED)
"""The patterns of words that reveal a secret."""


def cued_secrets(text: str) -> Iterator[CuedSecret]:
    """The half-open ranges of secrets that nearby words reveal, each with its kind."""
    for kind, cue in _CUES:
        for match in cue.finditer(text):
            end = match.end(1)
            for start, stop in _READERS[kind](text[end : end + MAX_TAIL_LENGTH]):
                yield end + start, end + stop, kind
    for pattern in (_REVERSED, _CHANGED):
        for match in pattern.finditer(text):
            if _looks_like_password(match[1]):
                yield match.start(1), match.end(1), PASSWORD


def _password(tail: str) -> Iterator[Range]:
    link = _LINKED.match(tail)
    if link is None:
        yield from _unlinked_password(tail)
        return
    start = link.start(_VALUE)
    value = tail[start:]
    quoted = _QUOTED.match(value)
    if quoted:
        group = "double" if quoted["double"] else "single"
        if not _PLACEHOLDER.match(quoted[group]):
            yield start + quoted.start(group), start + quoted.end(group)
        return
    word = _first_word(value)
    is_loose = bool(link[_LINE] or link[_DASH])
    if word and _is_value(word, value[len(word) :], signed=bool(link[_SIGN]), loose=is_loose):
        yield start, start + len(word)


def _key(tail: str) -> Iterator[Range]:
    """A key or token has a digit and at least eight characters."""
    for start, end in _password(tail):
        value = tail[start:end]
        if len(value) >= 8 and any(map(str.isdigit, value)):
            yield start, end


def _phrase(tail: str) -> Iterator[Range]:
    link = _LINKED.match(tail)
    if link is None:
        return
    start = link.start(_VALUE)
    quoted = _QUOTED.match(tail[start:])
    said = quoted or _SENTENCE.match(tail[start:])
    if said and not _PLACEHOLDER.match(said[0]) and _first_word_lower(said[0]) not in _ORDINARY_WORDS:
        yield start, start + len(said[0].rstrip())


def _number(fewest: int, most: int) -> Callable[[str], Iterator[Range]]:
    def read(tail: str) -> Iterator[Range]:
        found = _NUMBER.match(tail)
        if found is None:
            return
        number = found["value"]
        digits = sum(map(str.isdigit, number))
        if fewest <= digits <= most and digits * 2 > len(number):
            yield found.span("value")

    return read


def _codes(tail: str) -> Iterator[Range]:
    """The range from the first to the last code of a list."""
    before = _BEFORE_CODES.match(tail)
    place = before.end() if before else 0
    first = last = 0
    while code := _CODE.match(tail, place):
        if not (any(map(str.isdigit, code[0])) or (len(code[0]) >= 4 and code[0].isupper())):
            break
        first, last = first or code.start(), code.end()
        between = _BETWEEN.match(tail, last)
        place = between.end() if between else last
    if before and last - first >= 4:
        yield first, last


def _unlinked_password(tail: str) -> Iterator[Range]:
    """A password that follows its cue without a linking word or sign."""
    if tail[:1] not in (" ", "\t") and not (tail[:1].isascii() and tail[:1].isalnum()):
        return
    line = tail.split("\n", 1)[0]
    for match in list(_WORD.finditer(line))[:4]:
        word = match[0].rstrip(",.;:")
        if (
            len(word) >= 6
            and any(map(str.isalpha, word))
            and any(map(str.isdigit, word))
            and _looks_like_password(word)
        ):
            yield match.start(), match.start() + len(word)
            return
        if match[0][-1] in ",.;:?!":
            return


def _first_word(value: str) -> str:
    word = _WORD.match(value)
    return word[0].rstrip(",.;:)\"'”’»`") if word else ""


def _is_value(word: str, after: str, *, signed: bool, loose: bool) -> bool:
    if _PLACEHOLDER.match(word) or "hidden]" in word:
        return False
    if _looks_like_password(word):
        return True
    if loose or _first_word_lower(word) in _ORDINARY_WORDS or word.startswith(_ORDINARY_BEGINNINGS):
        return False
    return len(word) >= 4 and (signed or bool(_CLAUSE_ENDS.match(after)))


def _looks_like_password(word: str) -> bool:
    """Whether a word has a digit, a sign or an inner capital, like a password."""
    plain = word.strip("()[]\"'“”,.;:!?…")
    if (
        len(plain) < 3
        or _PLACEHOLDER.match(plain)
        or re.fullmatch(r"[\d.,:/-]{1,5}%?|\d{4}-\d\d-\d\d", plain)
    ):
        return False
    has_sign = any(not char.isalnum() and char not in "-'’" for char in plain)
    has_capital = any(char.isupper() for char in plain[1:]) and not plain.isupper()
    return any(map(str.isdigit, plain)) or has_sign or has_capital


def _first_word_lower(said: str) -> str:
    return (said.split(maxsplit=1) or [""])[0].strip(",.;:!?\"'”’»)").lower()


_READERS: dict[str, Callable[[str], Iterator[Range]]] = {
    PHRASE: _phrase,
    RECOVERY: _codes,
    SECURITY_CODE: _number(3, 4),
    IDENTITY: _number(6, 18),
    ACCOUNT: _number(6, 26),
    PIN: _number(4, 12),
    PRIVATE_KEY: _key,
    KEY: _key,
    TOKEN: _key,
    PASSWORD: _password,
}
