"""Screens every fact passes before it is stored: secrets are masked, suspicious text is reviewed."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields, replace

from django.utils.translation import gettext_noop

from memory.aaak import Tags
from memory.facts.vocabulary import slug
from memory.mining.transcripts import Turn
from memory.mining.types import ExtractedFact, Extraction, TurnPlacement
from memory.text.sanitizing import hidden_characters, lower

MASK = "•••"
REVIEW_THRESHOLD = 0.5
ANALYSED = 20_000
OVERLAP = 300
PROTECTED_KINDS = ("preference", "identity", "instruction", "constraint", "behaviour", "other")

_CARD = re.compile(r"(?<![\w-])\d(?:[ -]?\d){12,18}(?![\w-])")
_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b")
_SECRETS = (
    re.compile(r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----.*?(?:-----END [A-Z ]{0,30}-----|\Z)", re.DOTALL),
    re.compile(r"\b(?:sk|pk|rk)[-_](?:[A-Za-z]{2,10}[-_])?[A-Za-z0-9_-]{16,}"),
    re.compile(r"\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|glpat-[\w-]{16,})"),
    re.compile(r"\bxox[abprs]-[\w-]{10,}|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\bAIza[\w-]{30,}"),
    re.compile(r"\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{4,}"),
    re.compile(r"(?<=://)[^\s:/@]{1,80}:[^\s@/]{1,120}(?=@)"),
    re.compile(r"(?<=Bearer )[\w.~+/=-]{12,}"),
)
_NAMED_SECRET = re.compile(
    r"(?P<name>\b(?:pass(?:word|phrase|code|wort)|contraseña|mot de passe|пароль|api[ _-]?key|secret[ _-]?key"
    r"|access[ _-]?token|auth[ _-]?token|token|pin(?: ?code)?|cvv|cvc|ssn|social security number|seed phrase"
    r"|recovery phrase|private key|client[ _-]?secret)\b|密码|口令|密钥)"
    r"(?P<link>(?:[ \t]+(?:for|of|to|für|de|pour)[ \t]+[^\n.:=]{1,40}?)?[ \t]*(?:is|ist|es|est|lautet"
    r"|=|:|：|是|为|—)[ \t]*)"
    r"(?P<quote>[\"'“`«]?)(?P<secret>[^\n\"”`»]{1,120})",
)
_PHRASES = ("seed", "recovery", "passphrase")
_OFTEN_HARMLESS = ("token", "pin", "pin code", "passcode")
_NO_SECRET = re.compile(
    r"(?:not|never|no|safe|stored|kept|written|wrong|to|that|what|how|when|weak|strong|too|very"
    r"|the same|changed|required|needed"
    r"|important|missing|expired|invalid|a|an|in|on|my)\b",
    re.IGNORECASE,
)
_OVERRIDE = re.compile(
    r"\b(?:ignore|disregard|forget|override|bypass)\b[^.\n]{0,40}\b(?:previous|prior|above|earlier|all|any|your|these|other)\b"
    r"[^.\n]{0,30}\b(?:instruction|prompt|rule|direction|guideline|message|context|polic)"
    r"|<\|?/?(?:system|im_start|im_end|assistant|inst)\b|\[/?(?:INST|SYSTEM)\]"
    r"|\bjailbreak|\bdo anything now\b|\bDAN mode\b"
    r"|\b(?:do not|don['\u2019]t|never) (?:tell|reveal|inform|warn|mention)\b[^.\n]{0,20}\b(?:user"
    r"|owner|anyone|anybody|them)\b"
    r"|\b(?:send|forward|post|upload|exfiltrate|transfer|email|wire)\b[^.\n]{0,60}(?:https?://|www\.|@\w|account|wallet|password|token)"
    r"|忽略(?:之前|以上|所有)|无视.{0,6}(?:指令|提示)"
    r"|игнорируй|ignoriere (?:alle|die)|ignora (?:todas|las)|ignore[rz]? (?:toutes|les) instructions",
    re.IGNORECASE,
)
_ADDRESSED = re.compile(
    r"\b(?:system|developer)\s+(?:prompt|message|instruction)"
    r"|\byou (?:are (?:now|an?|the)|must|shall|should|will now)\b|\bact as (?:if|an?|the)\b"
    r"|\b(?:assistant|ai|model|agent|chatbot) (?:must|should|shall|has to|needs to|will|is to)\b"
    r"|\b(?:call|invoke|run|execute) the \w+ (?:tool|function|command)\b",
    re.IGNORECASE,
)
_TRIGGER = re.compile(
    r"\b(?:when(?:ever)?|if|once|as soon as|every time|next time|each time|after|wenn|sobald|falls"
    r"|cuando|si|quand|если|когда)\b"
    r"[^.\n]{0,80}\b(?:user|someone|anyone|they|you|assistant|asks?|asked|says?|said|mentions?|types?|writes?|requests?)\b[^.\n]{0,80}"
    r"\b(?:say|reply|respond|answer|tell|recommend|suggest|send|include|insert|add|use|run|call|execute|open|click|visit"
    r"|promote|always|never|must|instead)\b|(?:如果|当|每当).{0,30}(?:问|说|提到).{0,30}(?:回答|回复|推荐|告诉|执行)",
    re.IGNORECASE,
)
_ENCODED = re.compile(
    r"(?-i:(?<![\w/+])(?=[A-Za-z0-9+/]*\d)(?=[A-Za-z0-9+/]*[A-Z])(?=[A-Za-z0-9+/]*[a-z])[A-Za-z0-9+/]{40,}={0,2})"
    r"|\b(?:0x)?[0-9a-f]{48,}\b|(?:\\x[0-9a-f]{2}){8,}|(?:\\u[0-9a-f]{4}){6,}|(?:%[0-9a-f]{2}){10,}|<!--",
    re.IGNORECASE,
)
_ASKED = re.compile(
    r"\b(?:remember|memori[sz]e|keep in mind|bear in mind|do(?:n['\u2019]t| not) forget|note that"
    r"|take note|make a note"
    r"|(?:save|store|add|write)\b[^.\n]{0,60}\b(?:memory|memories|profile)\b|merk(?:e|t)? (?:dir"
    r"|euch)|vergiss nicht|denk daran"
    r"|behalte|recuerd[ae]n?|ten(?:ga)? en cuenta|no olvides|an[oó]ta|apunta|souviens-toi"
    r"|rappelle-toi|retiens|n['\u2019]oublie pas"
    r"|garde en t[eê]te)\b|запомни|помни|не забудь|имей в виду|记住|记得|记下|别忘|请记",
    re.IGNORECASE,
)
_TAG_LINES = tuple(line.name for line in fields(Tags))
_TEXTS = ("value", "statement", "object", "quote")


@dataclass(frozen=True, slots=True)
class Screened:
    """A fact that may be stored. With `review` it waits for its owner, and `reason` is a sentence
    saying why (several are joined); `masked` says that a secret was covered."""

    fact: ExtractedFact
    review: bool
    reason: str = ""
    masked: bool = False


def screen(fact: ExtractedFact, threshold: float = REVIEW_THRESHOLD) -> Screened:
    """The fact with secrets masked, and whether it needs review. Nothing is ever dropped.

    `threshold` is the confidence below which a fact waits for review. The span stays that of the
    unmasked words in the drawer.
    """
    reasons = [reason for test, reason in _TESTS if test(fact)]
    if fact.unsure or fact.confidence < threshold:
        reasons.append(gettext_noop("The confidence is low."))
    clean = _masked(fact)
    return Screened(clean, bool(reasons), " ".join(reasons), masked=clean != fact)


def reasons_for_review(text: str) -> str:
    """Why words from elsewhere wait for their owner, as sentences; empty when they need not."""
    parts = tuple(_parts(text))
    return " ".join(reason for test, reason in _TEXT_TESTS if any(map(test, parts)))


def overrides_instructions(text: str) -> bool:
    """Whether words that need no review for addressing a model, such as its instructions and notes,
    set themselves above other instructions or want something done in secret."""
    return any(_OVERRIDE.search(part) for part in _parts(text))


def _parts(text: str) -> Iterator[str]:
    """Long text in overlapping parts, so that no pattern works on more at once."""
    for start in range(0, len(text), ANALYSED):
        yield text[max(0, start - OVERLAP) : start + ANALYSED]


def mask_secrets(text: str) -> str:
    """`text` with card numbers, keys, tokens and passwords covered by dots."""
    for pattern in _SECRETS:
        text = pattern.sub(MASK, text)
    for start, end in reversed(_named_secrets(text)):
        text = text[:start] + MASK + text[end:]
    text = _IBAN.sub(lambda match: MASK if _is_iban(match[0]) else match[0], text)
    return _CARD.sub(lambda match: MASK if _is_card(match[0]) else match[0], text)


def secrets_in(text: str) -> set[str]:
    """Every secret that is recognised in `text`, as it was written."""
    found = {match[0] for pattern in _SECRETS for match in pattern.finditer(text)}
    found |= {match[0] for match in _CARD.finditer(text) if _is_card(match[0])}
    found |= {match[0] for match in _IBAN.finditer(text) if _is_iban(match[0])}
    named = (text[start:end] for start, end in _named_secrets(text))
    return {secret for secret in found.union(named) if len(secret) > 2}


def without_secrets(extraction: Extraction, turns: Iterable[Turn]) -> Extraction:
    """The extraction without names, tags and edges that hold a secret of the turns, and with
    secrets masked in its topics. Facts keep theirs for `screen` to mask."""
    secrets = {secret for turn in turns for secret in secrets_in(turn.content[:ANALYSED])}
    if not secrets:
        return extraction

    def is_clean(*texts: str) -> bool:
        return not any(secret in text for secret in secrets for text in texts)

    def cleaned(place: TurnPlacement) -> TurnPlacement:
        tags = Tags(*(tuple(filter(is_clean, getattr(place.tags, line))) for line in _TAG_LINES))
        return replace(place, topic=_covered(place.topic, secrets), tags=tags)

    return replace(
        extraction,
        wing=replace(extraction.wing, name=_covered(extraction.wing.name, secrets)),
        placements=tuple(map(cleaned, extraction.placements)),
        entities=tuple(e for e in extraction.entities if is_clean(e.name, *e.aliases)),
        relations=tuple(
            replace(edge, quote=_covered(edge.quote, secrets))
            for edge in extraction.relations
            if is_clean(edge.subject, edge.object)
        ),
    )


def _covered(text: str, secrets: Iterable[str]) -> str:
    for secret in secrets:
        text = text.replace(secret, MASK)
    return text


def _masked(fact: ExtractedFact) -> ExtractedFact:
    """Masked in every text. A secret that is recognised in the quote is covered elsewhere too."""
    texts = {name: getattr(fact, name) for name in _TEXTS}
    clean = {name: mask_secrets(text) for name, text in texts.items()}
    if clean == texts:
        return fact
    secrets = secrets_in(fact.quote) | secrets_in(fact.statement)
    clean = {name: _covered(text, secrets) for name, text in clean.items()}
    return replace(
        fact,
        key=slug(clean["statement"]),
        value=clean["value"],
        statement=clean["statement"],
        object=clean["object"],
        quote=clean["quote"],
    )


def _named_secrets(text: str) -> list[tuple[int, int]]:
    """Half-open ranges of what stands after "password is" and its like."""
    lowered = lower(text)
    found = ((match, _secret_length(match)) for match in _NAMED_SECRET.finditer(lowered))
    return [(match.start("secret"), match.start("secret") + length) for match, length in found if length]


def _secret_length(match: re.Match[str]) -> int:
    """How much of the words after the name is the secret: the first one, or for phrases all up to
    the end of the sentence; 0 when they are plainly no password."""
    said, name = match["secret"], match["name"]
    if _NO_SECRET.match(said):
        return 0
    if name.startswith(_PHRASES):
        return len(re.split(r"[.;]\s|$", said, maxsplit=1)[0].rstrip())
    word = said.split(maxsplit=1)[0].rstrip(",.;!?。，") if not said[0].isspace() else ""
    harmless = name in _OFTEN_HARMLESS and not any(char.isdigit() for char in word)
    return 0 if harmless else len(word)


def _is_card(text: str) -> bool:
    digits = [int(char) for char in text if char.isdigit()]
    doubled = [digit * 2 - 9 * (digit > 4) for digit in digits[-2::-2]]
    return len(set(digits)) > 1 and (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


def _is_iban(text: str) -> bool:
    plain = text.replace(" ", "")
    number = "".join(str(int(char, 36)) for char in plain[4:] + plain[:4])
    return 15 <= len(plain) <= 34 and int(number) % 97 == 1


def _any_text(test: Callable[[str], object]) -> Callable[[ExtractedFact], bool]:
    return lambda fact: any(test(getattr(fact, name)) for name in _TEXTS)


_TEXT_TESTS: tuple[tuple[Callable[[str], object], str], ...] = (
    (
        lambda text: _OVERRIDE.search(text) or _ADDRESSED.search(text),
        gettext_noop("It reads like an instruction to a model."),
    ),
    (_TRIGGER.search, gettext_noop("It sets a condition for later behaviour.")),
    (_ENCODED.search, gettext_noop("It holds encoded or hidden markup.")),
    (hidden_characters, gettext_noop("It holds characters that cannot be seen.")),
)
_TESTS: tuple[tuple[Callable[[ExtractedFact], bool], str], ...] = (
    *((_any_text(test), reason) for test, reason in _TEXT_TESTS),
    (
        lambda fact: fact.authority != "user" and fact.kind in PROTECTED_KINDS,
        gettext_noop("It is about the user but was not said by the user."),
    ),
    (
        lambda fact: fact.authority != "user" and bool(_ASKED.search(fact.quote)),
        gettext_noop("Somebody else than the user asks for it to be remembered."),
    ),
)
