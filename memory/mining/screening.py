"""Screens every fact passes before it is stored: secrets are masked, suspicious text is reviewed."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from memory.mining.types import ExtractedFact
from memory.sanitising import hidden_characters

MASK = "•••"
REVIEW_THRESHOLD = 0.5
PROTECTED_KINDS = ("preference", "identity", "instruction")

_CARD = re.compile(r"(?<![\w-])\d(?:[ -]?\d){12,18}(?![\w-])")
_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b")
_SECRETS = (
    re.compile(
        r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----.*?(?:-----END [A-Z ]{0,30}-----|\Z)", re.DOTALL
    ),
    re.compile(r"\b(?:sk|pk|rk)[-_](?:[A-Za-z]{2,10}[-_])?[A-Za-z0-9_-]{16,}"),
    re.compile(r"\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|glpat-[\w-]{16,})"),
    re.compile(r"\bxox[abprs]-[\w-]{10,}|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\bAIza[\w-]{30,}"),
    re.compile(r"\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{4,}"),
    re.compile(r"(?<=://)[^\s:/@]{1,80}:[^\s@/]{1,120}(?=@)"),
    re.compile(r"(?<=Bearer )[\w.~+/=-]{12,}"),
)
_NAMED_SECRET = re.compile(
    r"(?P<name>\b(?:pass(?:word|phrase|code|wort)|contraseña|mot de passe|пароль|api[ _-]?key|secret(?: key)?"
    r"|access[ _-]?token|auth[ _-]?token|token|pin(?: ?code)?|cvv|cvc|ssn|social security number|seed phrase"
    r"|recovery phrase|private key|client[ _-]?secret)\b|密码|口令|密钥)"
    r"(?P<link>(?:[ \t]+(?:for|of|to|für|de|pour)[ \t]+[^\n.:=]{1,40}?)?[ \t]*(?:is|ist|es|est|lautet|=|:|：|是|为|—)[ \t]*)"  # noqa: RUF001
    r"(?P<quote>[\"'“`«]?)(?P<secret>[^\n\"”`»]{1,120})",
    re.IGNORECASE,
)
_PHRASE_SECRET = ("seed", "recovery", "passphrase")
_NO_SECRET = re.compile(
    r"(?:not|never|no|safe|stored|kept|written|wrong|weak|strong|too|very|the same|changed|required|needed"
    r"|important|missing|expired|invalid|a|an|in|on|my)\b",
    re.IGNORECASE,
)
_INSTRUCTION = re.compile(
    r"\b(?:ignore|disregard|forget|override|bypass)\b[^.\n]{0,40}\b(?:previous|prior|above|earlier|all|any|your|these|other)\b"
    r"[^.\n]{0,30}\b(?:instruction|prompt|rule|direction|guideline|message|context|polic)"
    r"|\b(?:system|developer)\s+(?:prompt|message|instruction)|<\|?/?(?:system|im_start|im_end|assistant|inst)\b"
    r"|\[/?(?:INST|SYSTEM)\]|\byou (?:are now|must (?:now|always|never)|shall|will now)\b|\bact as (?:if|an?|the)\b"
    r"|\bjailbreak|\bdo anything now\b|\bDAN mode\b|\b(?:assistant|ai|model|agent|chatbot) (?:must|should|shall|has to|needs to|will|is to)\b"
    r"|\b(?:do not|don['\u2019]t|never) (?:tell|reveal|inform|warn|mention(?: this)? to)\b"
    r"|\b(?:send|forward|post|upload|exfiltrate|transfer|email|wire)\b[^.\n]{0,60}(?:https?://|www\.|@\w|account|wallet|password|token)"
    r"|\b(?:call|invoke|run|execute) the \w+ (?:tool|function|command)\b|忽略(?:之前|以上|所有)|无视.{0,6}(?:指令|提示)"
    r"|игнорируй|ignoriere (?:alle|die)|ignora (?:todas|las)|ignore[rz]? (?:toutes|les) instructions",
    re.IGNORECASE,
)
_TRIGGER = re.compile(
    r"\b(?:when(?:ever)?|if|once|as soon as|every time|next time|each time|after|wenn|sobald|falls|cuando|si|quand|если|когда)\b"
    r"[^.\n]{0,80}\b(?:user|someone|anyone|they|you|assistant|asks?|asked|says?|said|mentions?|types?|writes?|requests?)\b[^.\n]{0,80}"
    r"\b(?:say|reply|respond|answer|tell|recommend|suggest|send|include|insert|add|use|run|call|execute|open|click|visit"
    r"|promote|always|never|must|instead)\b|(?:如果|当|每当).{0,30}(?:问|说|提到).{0,30}(?:回答|回复|推荐|告诉|执行)",
    re.IGNORECASE,
)
_ENCODED = re.compile(
    r"(?<![\w/+])(?=[A-Za-z0-9+/_-]*\d)(?=[A-Za-z0-9+/_-]*[A-Z])(?=[A-Za-z0-9+/_-]*[a-z])[A-Za-z0-9+/_-]{40,}={0,2}"
    r"|\b(?:0x)?[0-9a-f]{48,}\b|(?:\\x[0-9a-f]{2}){8,}|(?:\\u[0-9a-f]{4}){6,}|(?:%[0-9a-f]{2}){10,}|<!--",
    re.IGNORECASE,
)
_TEXTS = ("value", "statement", "object", "quote", "key")


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
    if fact.confidence < threshold:
        reasons.append("The confidence is low.")
    clean = _masked(fact)
    return Screened(clean, bool(reasons), " ".join(reasons), masked=clean != fact)


def mask_secrets(text: str) -> str:
    """`text` with card numbers, keys, tokens and passwords covered by dots."""
    for pattern in _SECRETS:
        text = pattern.sub(MASK, text)
    text = _NAMED_SECRET.sub(_mask_named, text)
    text = _IBAN.sub(lambda match: MASK if _is_iban(match[0]) else match[0], text)
    return _CARD.sub(lambda match: MASK if _is_card(match[0]) else match[0], text)


def _masked(fact: ExtractedFact) -> ExtractedFact:
    """Masked in every text. A secret that is recognised in the quote is covered elsewhere too."""
    texts = {name: getattr(fact, name) for name in _TEXTS}
    clean = {name: mask_secrets(text) for name, text in texts.items()}
    if clean == texts:
        return fact
    for secret in _secrets_in(fact.quote) | _secrets_in(fact.statement):
        clean = {name: text.replace(secret, MASK) for name, text in clean.items()}
    return replace(
        fact,
        key=f"{fact.kind}_secret",
        value=clean["value"],
        statement=clean["statement"],
        object=clean["object"],
        quote=clean["quote"],
    )


def _secrets_in(text: str) -> set[str]:
    found = {match[0] for pattern in _SECRETS for match in pattern.finditer(text)}
    found |= {match[0] for match in _CARD.finditer(text) if _is_card(match[0])}
    named = (_secret_part(match) for match in _NAMED_SECRET.finditer(text))
    return {secret for secret in found.union(named) if len(secret) > 2}


def _mask_named(match: re.Match[str]) -> str:
    secret = _secret_part(match)
    if not secret:
        return match[0]
    return (
        match[0].replace(secret, MASK, 1)
        if secret not in match["name"] + match["link"]
        else (
            match["name"] + match["link"] + match["quote"] + MASK + match["secret"][len(secret) :]
        )
    )


def _secret_part(match: re.Match[str]) -> str:
    """The secret itself: the next word, or for phrases everything up to the end of the sentence."""
    said = match["secret"]
    if _NO_SECRET.match(said):
        return ""
    if match["name"].casefold().startswith(_PHRASE_SECRET):
        return re.split(r"[.;]\s|$", said, maxsplit=1)[0].strip()
    return said.split()[0].rstrip(",.;!?。，") if said.split() else ""  # noqa: RUF001


def _is_card(text: str) -> bool:
    digits = [int(char) for char in text if char.isdigit()]
    doubled = [digit * 2 - 9 * (digit > 4) for digit in digits[-2::-2]]
    return len(set(digits)) > 1 and (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


def _is_iban(text: str) -> bool:
    plain = text.replace(" ", "")
    number = "".join(str(int(char, 36)) for char in plain[4:] + plain[:4])
    return 15 <= len(plain) <= 34 and int(number) % 97 == 1


def _any_text(pattern: re.Pattern[str]) -> Callable[[ExtractedFact], bool]:
    return lambda fact: any(pattern.search(getattr(fact, name)) for name in _TEXTS)


def _instructs(fact: ExtractedFact) -> bool:
    """Instruction-like; the owner's own plain wishes to the assistant are what the kind is for."""
    return any(_INSTRUCTION.search(getattr(fact, name)) for name in _TEXTS)


_TESTS: tuple[tuple[Callable[[ExtractedFact], bool], str], ...] = (
    (_instructs, "It reads like an instruction to a model."),
    (_any_text(_TRIGGER), "It sets a condition for later behaviour."),
    (_any_text(_ENCODED), "It holds encoded or hidden markup."),
    (
        lambda fact: any(hidden_characters(getattr(fact, name)) for name in _TEXTS),
        "It holds characters that cannot be seen.",
    ),
    (
        lambda fact: fact.authority != "user" and fact.kind in PROTECTED_KINDS,
        "It is about the user but was not said by the user.",
    ),
)
