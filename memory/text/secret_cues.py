"""Secrets that only nearby words identify: "my password is …", "PIN 4821", "… is my password".

A cue names a secret, such as "password" or "garage code". The secret comes right after its cue, after a link
such as "is" or a colon, or before the cue ("… is my password"). Each kind of cue has a reader that tells its
values from other words. The words are in `secret_cues.toml`.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice, zip_longest
from typing import NamedTuple

from memory.text.patterns import Match, Pattern, compile_pattern, compile_set, patterns, table_of

PASSWORD, ACCOUNT, KEY, TOKEN, PRIVATE_KEY = "password", "account number", "API key", "token", "private key"
MAX_TAIL_LENGTH = 400
"""How many characters after its cue a secret may end."""
MAX_BEFORE_LENGTH, MAX_GAP_LENGTH, MAX_LINKS = 100, 80, 3

Range = tuple[int, int]
CuedSecret = tuple[int, int, str]
Reader = Callable[[str], Iterator[Range]]

_DATA = table_of(__file__)
_PARTS, _VALUES = patterns(_DATA["parts"]), patterns(_DATA["values"])
_NO_LETTER = r"[^\p{Latin}\p{Cyrillic}]"


def _cue(names: list[str]) -> str:
    """A pattern with two groups: names that are whole words, and names marked `~`, which occur anywhere."""
    filled = [re.sub(r"\{([a-z]+)\}", lambda name: _PARTS[name[1]], name) for name in names]
    words = "|".join(name for name in filled if name[0] != "~") or r"\z."
    anywhere = "|".join(name[1:] for name in filled if name[0] == "~") or r"\z."
    return rf"(?:^|{_NO_LETTER})({words})(?:$|{_NO_LETTER})|({anywhere})"


_CUES = {kind: compile_pattern(_cue(names), ignore_case=True) for kind, names in _DATA["names"].items()}
_KINDS = tuple(_CUES)
_WHICH = compile_set(_CUES.values())

_SENSES: dict[str, list[tuple[str, Pattern]]] = {
    cue: [
        (kind, compile_pattern(rf"(?:^|{_NO_LETTER})(?:{_PARTS[part]})", ignore_case=True))
        for kind, part in senses.items()
    ]
    for cue, senses in _DATA["senses"].items()
}
_ORDINARY = compile_pattern(_VALUES["ordinary"], ignore_case=True)
_EXCUSED = {"code", "key", "token", "one-time code", "password", "password: weak"}
"""Cues that ordinary names contain, such as "error code"."""
_GLUED = re.compile(r"(?!(?:s|es|n|en)(?![^\W_]))[A-Za-zÀ-ɏЀ-ӿ]|_[A-Za-z]")
_DETERMINED = compile_pattern(
    rf"(?:^|[^\pL])(?:{_PARTS['mine']})[ \t]+(?:[\pL\pN]+[ \t-]){{0,2}}$", ignore_case=True
)
_FOR = re.compile(r"\s(?:for|to|für|fürs|vom|zum|para|de la|del|du|от|для|на)\s", re.IGNORECASE)
_PLAIN_CODE = re.compile(r"(?:.*-)?(?:code|c[óo]digo|код)", re.IGNORECASE)

_LINK = compile_pattern(
    r"(?:[ \t]*(:=|[=-]>|={1,3}|[:：→⇒—–|])|[ \t]+(-)[ \t]"
    rf"|(?:['’]s|[ \t,]+(?:{_PARTS['is']})(?:[ \t]+(?:{_PARTS['now']})){{0,2}})[ \t:\n]"
    rf"|(?:{_PARTS['unspaced']})|[ \t]+({_PARTS['turn']})[ \t])"
    r"[ \t:=→—–]*(?:\*\*|__)?[ \t]*(\n\s*)?|[ \t*]*(\n)\s*",
    ignore_case=True,
)
_LINKS = {None: "verb", 1: "sign", 2: "dash", 3: "turn", 4: "line", 5: "line"}
_GAP = compile_pattern(
    r"""(?:s|es|n|en)?["'”’»\])*_`]{0,4}(?:[ \t]*\([^()\n]{1,40}\)|[ \t]+(?-i:\p{Lu}[\pL\pN.+-]{1,20})"""
    rf"|[ \t]+(?:{_PARTS['of']})[ \t]+[^\n:=?!;]{{1,60}}|[ \t]+(?:{_PARTS['lock']}|\p{{Cyrillic}}{{3,14}})"
    rf"|[ \t,]*(?:{_PARTS['number']})){{0,3}}[ \t:]*",
    ignore_case=True,
)
"""Words between a cue and its link that only say what the secret is for."""
_BEFORE = compile_pattern(
    r"(?:^|[\s\"'“(])([^\s\"'”]{3,79}[^\s\"'”,;:.—–-]|\d{3}[ -]\d{3})[\"'”]?"
    r"[ \t]*[,—–=-]*[ \t]*(?:that['’]s|das ist|c['’]est)?[ \t]*"
    rf"(?:(?:(?:{_PARTS['is']}|as|als|como|comme|как)[ \t]+)?"
    rf"(?:{_PARTS['mine']})[ \t]+(?:[\pL'’.]+[ \t-]+){{0,3}}|\("
    r"|(?:as|als|como|comme|как)[ \t]+|是\pL{0,8}|[—–-][ \t]+(?:\pL+[ \t]+){0,2})$",
    ignore_case=True,
)
_TOLD = re.compile(r"(?:[\d!@#$%^&*_+]|[a-z][A-Z])[^\s是]*[\s是(,—–=-]")
_ENDS = re.compile(r"[.!?][\s\"”)]|[。！？，]|\n")
_SENTENCE_ENDS = re.compile(r"[.!?]\s|[。！？]")
_CLAUSE_ENDS = re.compile(rf"\s*(?:$|[.,;!?\n)\]。，！？、；—–(-]|(?:{_PARTS['and']})\b)", re.IGNORECASE)

_QUOTED = re.compile(r"""["“„«]([^"“”»\n]{1,200})["”»]|[`'‘]([^`'’\n]{1,200})[`'’]""")
_WORD = re.compile(r"\d{4,5}(?:[ -]\d{4,5}){2,9}|[!-~]+(?=[\u3400-\u9fff])|[^\s，。！？、；]+")
_SENTENCE = re.compile(r"(?:[^.;!?\n。；！？]|[.](?=\S))+")
_CLAUSE = re.compile(
    r"(?:(?! (?:and|und|y|et|и)\b)[^.;!?\n。；！？,，(]|[.](?=\S)|(?<=[MD]r)[.]|(?<=Mrs)[.])+"
)
_QUESTION = re.compile(r"(?s:.{0,150})(?:[?？]|answer|antwort|respuesta|réponse|ответ|答案)", re.IGNORECASE)
_NAME = re.compile(r"[A-ZÀ-ÞА-Я][^\W\d_]{3,20}(?=[.!\s]*$)")
_PLACEHOLDER = re.compile(
    r"[\[$<{%*•█…|(/]|x{3,}|_{3,}|\.{3}|-{2,}|[\w.]+[(\[]|.*hidden\]|.*://|[\w.+-]+@[\w-]+\.[a-z.]+$"
    r"|(?:os|process|env|self|this|config|settings|request|args|get|your|deine?|tu|votre)[.\[(_-]"
    r"|[A-Za-z_.]*(?:passw(?:or)?d|secret|token|api_?key)[A-Za-z_.]*$"
    r"|[\w-]+\.(?:pdf|docx?|txt|png|jpe?g|com|org|net|de|es|fr|ru|cn|py|js)$",
    re.IGNORECASE,
)
_MEASURE = re.compile(r"[\d.,:/-]{1,3}%?|\d{4}-\d\d-\d\d|\d{1,5}(?:[.,:/%h]\d*)+|\d+[€$£%]")
_PREPOSITION = compile_pattern(rf"{_PARTS['of']}|with|mit|con|avec|using|via|per|с", ignore_case=True)
_ORDINARY_WORDS = frozenset(_DATA["values"]["no_secret"].split())
_ORDINARY_BEGINNINGS = tuple(_DATA["values"]["no_secret_beginnings"].split())

_START, _END = r"(?<![A-Za-z0-9])", r"(?![A-Za-z0-9])"
_NUMBER = re.compile(rf"{_START}\d(?:[ ./-]{{0,3}}\d){{2,29}}{_END}")
_ACCOUNTS = re.compile(rf"{_NUMBER.pattern}(?:[^\d\n.;?!]{{1,25}}\d(?:[ ./-]{{0,3}}\d){{4,29}}{_END}){{0,3}}")
_CODE = re.compile(
    rf"{_START}[*#]?(?:[A-Za-zА-Яа-я]{{1,3}}-?)?\d[\dA-ZА-Яа-я]{{0,11}}"
    rf"(?:[\x20-]{{1,3}}\d[\dA-Z]{{0,7}}){{0,5}}{_END}[#*]?"
)
_TURNS = re.compile(rf"\d{{1,4}}(?:[^\d\n.;!?]{{1,14}}\d{{1,3}}(?!\d)){{1,5}}{_END}|\d{{3,10}}{_END}")
_ID = re.compile(rf"{_START}(?:[A-Z0-9]{{1,20}}(?:[ ./-]|,? ?(?:номер|№) ?)?){{1,9}}(?<=[A-Z0-9]){_END}")
_BASE32 = re.compile(
    rf"{_START}(?:[A-Z2-7]{{4}}[ -]?){{2,}}[A-Z2-7]*=*|(?:[a-z2-7]{{4}}[ -]?){{3,}}[a-z2-7]*"
)
_DATE = re.compile(
    r"(?:[0-3]?\d[./-][0-3]?\d[./-](?:19|20)?\d\d|(?:19|20)\d\d[./-]\d\d[./-]\d\d|\d\d/\d\d(?:\d\d)?)$"
)
_YEAR = re.compile(rf"(?:{_PARTS['since']})\s(?:19|20)\d\d$", re.IGNORECASE)
_UNIT = compile_pattern(
    rf"^\s?(?:{_VALUES['units']})(?:$|[^\pL])|^[:,.]\d|^[年月日元块个位行次分岁米秒天]", ignore_case=True
)
_WORDS = re.compile(r"(?:(?:\d{1,2}[.)]\s?)?[^\W\d_A-ZА-Я]{1,12}[\s,、-]+){5,23}[^\W\d_A-ZА-Я]{1,12}")
_LISTED = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{2,}")
_BETWEEN = re.compile(r"(?:[\s,;:/、，]|\d{1,2}[.)]\s|and|und|y|et|и|和|[-•*]\s)*", re.IGNORECASE)
_BEFORE_CODES = re.compile(
    r"[^\d\n.?!]{0,60}?(?:[:：\n]\s*)?(?:\d{1,2}[.)]\s?)?(?=[A-Za-z]{0,8}-?\d|[A-Z0-9]{4,})"
)
_PAIR = re.compile(
    r"[^\s/|,;:]{2,60}"
    r"(?P<sign>\s*[/|,]\s*|:(?=[^\s/])|[ \t]+(?:and|und|y|et|и|with|mit|con|avec|-|–)[ \t]+|\n)"
    r"(?P<value>[^\s，。；]{4,80})"
)
_AFTER_MAIL = re.compile(r"[ \t]*[,/:|\n]\s*(?P<value>[^\s，。]{6,80})")


class Place(NamedTuple):
    """Where a value may start, how it is linked to its cue ("" if directly), and the words between."""

    start: int
    link: str
    gap: str

    @property
    def firm(self) -> bool:
        """Whether the words between only say what the secret is for."""
        return not self.link or bool(_GAP.fullmatch(self.gap))


def cued_secrets(text: str) -> Iterator[CuedSecret]:
    """The half-open ranges of secrets that nearby words reveal, each with its kind."""
    for cue in map(_KINDS.__getitem__, _WHICH(text) or ()):
        matches = list(_CUES[cue].finditer(text))
        done = 0
        for match, following in zip_longest(matches, matches[1:]):
            start, end = match.start(match.lastindex or 0), match.end(match.lastindex or 0)
            if start < done or (following and _is_repeated(text, end, following)):
                continue
            before, tail = text[max(0, start - MAX_BEFORE_LENGTH) : start], text[end : end + MAX_TAIL_LENGTH]
            kind = _sense(cue, before, text[start:end], tail)
            found = [(end + first, end + last) for first, last in _READERS[kind](tail)] if kind else []
            if kind in _REVERSIBLE and not found and _TOLD.search(before):
                said = _BEFORE.search(before)
                if said and _REVERSIBLE[kind](said[1]):
                    found = [(start - len(before) + said.start(1), start - len(before) + said.end(1))]
            for first, done in found:
                yield first, done, kind.partition(":")[0]


def _is_repeated(text: str, end: int, following: Match) -> bool:
    """Whether another cue follows the one that ends at `end` in place of a secret ("password is password"),
    unless it is part of a secret itself ("code is code42")."""
    between = text[end : following.start()].strip(" \t:=\"'")
    behind = following.end(following.lastindex or 0)
    return len(between) < 3 and (not between.isalpha() or text[behind : behind + 1].isspace())


def _sense(cue: str, before: str, name: str, tail: str) -> str:
    """The kind of secret that a cue means here, "" if none. "Code" and "key" can mean several."""
    if name[-1] < "\u2e80" and _GLUED.match(tail):
        return ""
    if cue in _EXCUSED and _ORDINARY.search(f"{before[-20:]}{name}{tail[:18]}"):
        return ""
    if cue not in _SENSES:
        return cue
    left, right = _SENTENCE_ENDS.split(before)[-1][-60:], _ENDS.split(tail, maxsplit=1)[0][:40]
    for kind, words in _SENSES[cue]:
        if words.search(f"{left}{name}{right}"):
            return kind
    signed = tail.lstrip()[:1] in (":", "=", "—", "：") and len(left.split()) <= 2
    told = signed or _DETERMINED.search(left) or _FOR.match(right)
    if cue == "code" and _PLAIN_CODE.fullmatch(name) and told:
        return "one-time code"
    return "API key: long" if cue == "key" else ""


def _places(tail: str) -> Iterator[Place]:
    """Where the value of a cue may start: right after it, and after each of the next links."""
    yield Place(len(tail) - len(tail.lstrip(" \t*_")), "", "")
    for link in islice(_LINK.finditer(tail[: MAX_GAP_LENGTH + 20]), MAX_LINKS):
        gap = tail[: link.start()]
        if len(gap) > MAX_GAP_LENGTH or _ENDS.search(gap):
            return
        yield Place(link.end(), _LINKS[link.lastindex], gap)


def _password(tail: str, weak: bool = False, places: Iterable[Place] | None = None) -> Iterator[Range]:
    """A password. A `weak` cue only accepts words that look like one. `places` are of the tail, if known."""
    for place in _places(tail) if places is None else places:
        quoted = _QUOTED.match(tail, place.start)
        if quoted and place.link:
            if place.firm and not _PLACEHOLDER.match(quoted[quoted.lastindex or 0]):
                yield quoted.span(quoted.lastindex or 0)
            return
        word = _first_word(tail[place.start :])
        end = place.start + len(word)
        if place.link and _is_value(word, tail[end:], place, weak=weak):
            yield place.start, end
            return
        number = word.isdigit() and len(word) >= 3 + bool(place.start)
        if not (place.link or weak) and number and not _UNIT.match(tail[end : end + 20]):
            yield place.start, end
            return
    unlinked = list(_unlinked(tail))
    yield from unlinked or (_LONG_PIN(tail) if tail[:1] == " " and not weak else ())


def _unlinked(tail: str) -> Iterator[Range]:
    """A password a few words after its cue, without a linking word or sign."""
    before = ""
    for match in islice(_WORD.finditer(tail.split("\n", 1)[0]), 5):
        word = match[0].rstrip(",.;:)")
        fits = len(word) >= 5 + bool(before) and word[0] < "\u2e80" and not re.search('[=<>"]', word)
        if fits and _is_mixed(word) and not _PREPOSITION.fullmatch(before):
            yield match.start(), match.start() + len(word)
            return
        if match[0][-1] in ",.;:?!":
            return
        before = word


def _weak_password(tail: str) -> Iterator[Range]:
    return _password(tail, weak=True)


def _key(fewest: int) -> Reader:
    """A key or token has a digit, a letter and several characters."""

    def read(tail: str) -> Iterator[Range]:
        for start, end in _weak_password(tail):
            value = tail[start:end]
            if len(value) >= fewest and any(map(str.isdigit, value)) and any(map(str.isalpha, value)):
                yield start, end

    return read


def _phrase(tail: str) -> Iterator[Range]:
    places = tuple(_places(tail))
    for place in places:
        said = _QUOTED.match(tail, place.start) or _SENTENCE.match(tail, place.start)
        if place.link not in ("", "turn") and said and not _is_about(said[0]) and place.firm:
            yield place.start, place.start + len(said[0].rstrip())
            return
    listed = _WORDS.match(tail, 1)
    yield from [listed.span()] if listed else _password(tail, weak=True, places=places)


def _is_about(said: str) -> bool:
    """Whether a phrase is about a secret instead of being one."""
    words = [word.strip(",.\"'") for word in said.lower().split()[:3]]
    ordinary = sum(word in _ORDINARY_WORDS for word in words) > (len(words) == 3)
    return ordinary or bool(_PLACEHOLDER.match(said)) or said.startswith(_ORDINARY_BEGINNINGS)


def _seed_words(tail: str) -> Iterator[Range]:
    for place in _places(tail):
        words = _WORDS.match(tail, place.start)
        if words and place.link and sum(word in _ORDINARY_WORDS for word in words[0].split()) < 3:
            yield words.span()
            return


def _answer(tail: str) -> Iterator[Range]:
    """The answer to a security question, if it is spelled like a name."""
    question = _QUESTION.match(tail)
    asked = question.end() if question else 0
    for place in _places(tail[asked:]):
        start = asked + place.start
        said = (_CLAUSE if place.link else _NAME).match(tail, start)
        value = said[0].rstrip() if said else ""
        named = any(not char.isascii() or char.isupper() for char in value)
        if named and _first_word_lower(value) not in _ORDINARY_WORDS and not _PLACEHOLDER.match(value):
            yield start, start + len(value)
            return


def _numbers(pattern: re.Pattern[str], accepts: Callable[[str], bool], *, dates: bool = False) -> Reader:
    """Reads what `pattern` matches after a link, or after words that say what the secret is for."""

    def read(tail: str) -> Iterator[Range]:
        for place in _places(tail):
            match = pattern.search(tail, place.start, place.start + 80)
            if match is None:
                continue
            before, between = tail[: match.start()], tail[place.start : match.start()]
            if _ENDS.search(between) or not accepts(match[0]) or _UNIT.match(tail[match.end() :][:20]):
                continue
            if not dates and (_DATE.match(match[0]) or _YEAR.search(before + match[0])):
                continue
            short = len(between) <= (25 if place.link else 40) and not re.search(r"[.,;]\s", between)
            firm = place.firm if place.link else bool(_GAP.fullmatch(before))
            near = not between.strip(" \t,:#№*_\"'`(LR") and (firm or place.link != "turn")
            if near or (short and firm):
                yield match.start(), match.start() + len(match[0].rstrip(" ./-"))
                return

    return read


def _digits(fewest: int, most: int) -> Callable[[str], bool]:
    return lambda value: fewest <= sum(map(str.isdigit, value)) <= most


def _is_id(value: str) -> bool:
    digits, kept = sum(map(str.isdigit, value)), sum(map(str.isalnum, value))
    return (digits >= 5 and kept <= 24 and digits * 3 > kept) or (digits >= 3 and 8 <= kept <= 18)


def _is_combination(value: str) -> bool:
    return value.isdigit() or _digits(4, 16)(value)


def _is_base32(value: str) -> bool:
    return len(value) >= 12 and (value.isupper() or " " in value or any(map(str.isdigit, value)))


def _codes(tail: str) -> Iterator[Range]:
    """The range from the first to the last code of a list."""
    before = _BEFORE_CODES.match(tail)
    place = before.end() if before else 0
    first = last = 0
    while code := _LISTED.match(tail, place):
        if not (any(map(str.isdigit, code[0])) or (len(code[0]) >= 4 and code[0].isupper())):
            break
        first, last = first or code.start(), code.end()
        between = _BETWEEN.match(tail, last)
        place = between.end() if between else last
    if before and last - first >= 4:
        yield first, last


def _login(tail: str) -> Iterator[Range]:
    """The password after a user name: "Login: anna / …"."""
    for place in _places(tail):
        pair = _PAIR.match(tail, place.start)
        if pair is None or place.link == "turn" or (not place.link and ":" in pair["sign"]):
            continue
        value = pair["value"].rstrip(",.;)\"'")
        usual = value.endswith(":") or "=" in value[1:] or _PLACEHOLDER.match(value)
        signed = place.link in ("sign", "line", "verb") and pair["sign"].strip() in ("/", "|", ":")
        bare = signed and len(value) >= 6 and not value.isdigit() and value.lower() not in _ORDINARY_WORDS
        if not usual and (bare or _is_mixed(value)):
            yield pair.start("value"), pair.start("value") + len(value)
            return


def _wifi(tail: str) -> Iterator[Range]:
    """The password after the name of a network, or alone."""
    if found := list(_login(tail)):
        yield from found
        return
    for place in islice(_places(tail), 1, 2):
        word = _first_word(tail[place.start :])
        end = place.start + len(word)
        alone = place.firm and not re.match(r"\s*[/|,\n]|\s+\w", tail[end:])
        if alone and len(word) >= 8 and _is_mixed(word):
            yield place.start, end


def _after_mail(tail: str) -> Iterator[Range]:
    found = _AFTER_MAIL.match(tail)
    if found and _is_mixed(found["value"]) and _CLAUSE_ENDS.match(tail, found.end()):
        yield found.start("value"), found.start("value") + len(found["value"].rstrip(",.;)\"'"))


def _first_word(value: str) -> str:
    word = _WORD.match(value)
    return word[0].rstrip(",.;:)\"'”’»`") if word else ""


def _is_value(word: str, after: str, place: Place, *, weak: bool) -> bool:
    if _PLACEHOLDER.match(word):
        return False
    if _looks_like_password(word):
        return (len(word) >= 5 and _is_mixed(word)) or (place.link != "turn" and place.firm)
    ordinary = _first_word_lower(word) in _ORDINARY_WORDS or word.startswith(_ORDINARY_BEGINNINGS)
    if weak or ordinary or len(word) < 4 or place.link not in ("sign", "verb"):
        return False
    return bool(_CLAUSE_ENDS.match(after)) and place.firm


def _is_mixed(word: str) -> bool:
    """Whether a word has letters, and digits or signs other than punctuation."""
    plain = word.strip("()[]\"'“”,.;:!?…")
    if _PLACEHOLDER.match(plain) or not any(map(str.isalpha, plain)):
        return False
    return any(char.isdigit() or char in "!@#$%^&*_+=~?" for char in plain)


def _looks_like_password(word: str) -> bool:
    """Whether a word has a digit, a sign or an inner capital, like a password."""
    plain = word.strip("()[]\"'“”,.;:!?…")
    if len(plain) < 3 or _PLACEHOLDER.match(plain) or _MEASURE.fullmatch(plain):
        return False
    has_sign = any(not char.isalnum() and char not in "-'’./" for char in plain)
    has_capital = any(char.isupper() for char in plain[1:]) and not plain.isupper()
    return any(map(str.isdigit, plain)) or has_sign or has_capital


def _first_word_lower(said: str) -> str:
    return (said.split(maxsplit=1) or [""])[0].strip(",.;:!?\"'”’»)").lower()


def _is_short_code(value: str) -> bool:
    return re.fullmatch(r"(?:[A-Z]-)?\d{4,8}|\d{3}[ -]\d{3}", value) is not None


_LONG_PIN = _numbers(_NUMBER, _digits(6, 8))
_READERS: dict[str, Reader] = {
    "seed phrase": _phrase,
    "seed phrase: words": _seed_words,
    "passphrase": _phrase,
    "recovery code": _codes,
    "security code": _numbers(_NUMBER, _digits(3, 4)),
    "one-time code": _numbers(_NUMBER, _digits(4, 10)),
    "identity number": _numbers(_ID, _is_id),
    ACCOUNT: _numbers(_ACCOUNTS, _digits(6, 60), dates=True),
    "card number": _numbers(_NUMBER, _digits(13, 19), dates=True),
    "combination": _numbers(_TURNS, _is_combination, dates=True),
    "PIN": _numbers(_CODE, _digits(4, 12)),
    "access code": _numbers(_CODE, _digits(3, 10)),
    "authenticator key": _numbers(_BASE32, _is_base32),
    "security answer": _answer,
    PRIVATE_KEY: _key(8),
    KEY: _key(8),
    "API key: long": _key(16),
    TOKEN: _key(8),
    PASSWORD: _password,
    "password: weak": _weak_password,
    "password: login": _login,
    "password: wifi": _wifi,
    "password: mail": _after_mail,
}
_REVERSIBLE: dict[str, Callable[[str], bool]] = {
    PASSWORD: lambda value: _looks_like_password(value) and not value.isdigit(),
    **dict.fromkeys(("one-time code", "PIN", "access code"), _is_short_code),
}
