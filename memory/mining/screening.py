"""Screen every fact before it is stored: mask secrets and send suspicious text to review."""

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from itertools import islice
from typing import Any

from django.utils.translation import gettext_noop

from memory.aaak import KINDS_OF_TAGS, Tags
from memory.facts.vocabulary import slug
from memory.mining.transcripts import Transcript, Turn
from memory.mining.types import ExtractedFact, Extraction, TurnPlacement
from memory.text.patterns import AFTER_WORD, compile_words, patterns, table_of
from memory.text.sanitizing import LOOKALIKES, hidden_characters, normalise, storable
from memory.text.secrets import BLANK, MIN_REPEATED_LENGTH, blank_secrets, find_secrets, hide_secrets

REVIEW_THRESHOLD = 0.5
MAX_SECRETS = 50
PROTECTED_KINDS = ("preference", "identity", "instruction", "constraint", "behaviour", "other")


def _filled(pattern: str) -> str:
    """A pattern with what its gaps stand for: so many characters of a sentence, or the end of a word."""
    within = re.sub(r"‹(\d+)›", lambda gap: _WITHIN % (int(gap[1]) - 2), pattern)
    return within.replace("‹›", AFTER_WORD)


_WITHIN = r"[^\w.\n](?:[^.\n]{0,%d}[^\w.\n])?"
_PATTERNS = {name: _filled(pattern) for name, pattern in patterns(table_of(__file__)).items()}
_OVERRIDE = compile_words(_PATTERNS["override"], _PATTERNS["override_unspaced"])
_ADDRESSES_MODEL = compile_words(_PATTERNS["addresses_model"])
_ASIDE = compile_words(_PATTERNS["aside"])
_TRIGGER = compile_words(_PATTERNS["trigger"], _PATTERNS["trigger_unspaced"])
_ENCODED = re.compile(_PATTERNS["encoded"], re.IGNORECASE)
_SAVE_REQUEST = compile_words(_PATTERNS["save_request"], _PATTERNS["save_request_unspaced"])
# Letters of other scripts, and signs and digits within words, that look like Latin letters.
_LOOKALIKES = str.maketrans(f"{LOOKALIKES[0]}@$013457", f"{LOOKALIKES[1]}asoieast")
_PHRASES = dict.fromkeys((0xFDFA, 0xFDFB), " ")
"""Characters that stand for whole Arabic phrases; all others become a few letters at most."""
_SPACED_LETTERS = re.compile(r"\b(\w) (?=\w\b)")
_SPACES = re.compile(r"\s+")
NOT_CONFIDENT = gettext_noop("Palace is not confident about it.")
_STORED_FIELDS = ("value", "statement", "object")
_TEXT_FIELDS = (*_STORED_FIELDS, "quote")


def screen(fact: ExtractedFact, threshold: float = REVIEW_THRESHOLD) -> ExtractedFact:
    """The fact with secrets masked, and why it needs review. Never drops a fact. A fact with a confidence
    below `threshold` waits for review. The span remains that of the unmasked words in the drawer."""
    reasons = [reason for test, reason in _TESTS if test(fact)]
    if fact.unsure or fact.confidence < threshold:
        reasons.append(NOT_CONFIDENT)
    return replace(_mask_secrets(fact), review_reason=" ".join(reasons))


def reasons_for_review(text: str) -> str:
    """Why text from elsewhere waits for review, in sentences; empty if it does not."""
    spellings = _spellings(text)
    return " ".join(reason for test, reason in _TEXT_TESTS if any(map(test, spellings)))


def overrides_instructions(text: str) -> bool:
    """Whether text that may address a model, such as instructions and notes, tries to override other
    instructions or asks for secrecy."""
    return any(map(_OVERRIDE.search, _spellings(text)))


def normalise_spelling(text: str) -> str:
    """The text as it looks, so that look-alike letters, accents, spaced letters and soft hyphens do not
    hide a word from a pattern. For matching only; it garbles other scripts."""
    shown = normalise("NFKD", text.translate(_PHRASES)).casefold()
    kept = "".join(each for each in shown if unicodedata.category(each) not in ("Mn", "Cf"))
    return _SPACES.sub(" ", _SPACED_LETTERS.sub(r"\1", kept.translate(_LOOKALIKES)))


def _spellings(text: str) -> tuple[str, str]:
    """The text as written, in characters that RE2 can read, and as it looks."""
    text = storable(text).text
    return text, normalise_spelling(text)


def without_secrets(transcript: Transcript) -> tuple[Transcript, frozenset[str]]:
    """The transcript with every secret blanked, so offsets do not change, and its first secrets as written,
    except short ones, which may occur anywhere by chance."""
    texts = [transcript.title]
    for turn in (*transcript.earlier, *transcript.turns):
        texts += [turn.content, turn.tool_arguments]
    found = {text: find_secrets(text) for text in texts}
    written = (text[each.start : each.end] for text in found for each in found[text])
    secrets = frozenset(islice((each for each in written if len(each) >= MIN_REPEATED_LENGTH), MAX_SECRETS))
    blanked = {text: _blank_each(blank_secrets(text, each), secrets) for text, each in found.items()}

    def blanked_turn(turn: Turn) -> Turn:
        return replace(turn, content=blanked[turn.content], tool_arguments=blanked[turn.tool_arguments])

    return replace(
        transcript,
        title=blanked[transcript.title],
        turns=tuple(map(blanked_turn, transcript.turns)),
        earlier=tuple(map(blanked_turn, transcript.earlier)),
    ), secrets


def drop_items_with_secrets(extraction: Extraction, secrets: Collection[str]) -> Extraction:
    """The extraction without facts, relations, names and tags that contain a secret, blanked or not."""

    def is_clean(*texts: str) -> bool:
        return not any(BLANK in _blank_each(blank_secrets(text), secrets) for text in texts)

    def cleaned(place: TurnPlacement) -> TurnPlacement:
        tags = Tags(**{kind: tuple(filter(is_clean, getattr(place.tags, kind))) for kind in KINDS_OF_TAGS})
        return replace(place, topic=_clean_name(place.topic, secrets), tags=tags)

    return replace(
        extraction,
        wing=replace(extraction.wing, name=_clean_name(extraction.wing.name, secrets)),
        placements=tuple(map(cleaned, extraction.placements)),
        facts=tuple(f for f in extraction.facts if is_clean(f.statement, f.value, f.object)),
        entities=tuple(e for e in extraction.entities if is_clean(e.name, *e.aliases)),
        relations=tuple(edge for edge in extraction.relations if is_clean(edge.subject, edge.object)),
    )


def _blank_each(text: str, secrets: Collection[str]) -> str:
    for secret in sorted(secrets, key=len, reverse=True):
        text = text.replace(secret, BLANK * len(secret))
    return text


def _clean_name(name: str, secrets: Collection[str]) -> str:
    blanked = _blank_each(blank_secrets(name), secrets)
    return " ".join(blanked.replace(BLANK, " ").split()) if blanked != name else name


def _mask_secrets(fact: ExtractedFact) -> ExtractedFact:
    """The fact with secrets masked; a secret recognised in one text is masked in all."""
    texts = {name: getattr(fact, name) for name in _TEXT_FIELDS}
    found = {
        (text[each.start : each.end], each.mask) for text in texts.values() for each in find_secrets(text)
    }
    if not found:
        return fact
    clean: dict[str, Any] = {
        name: _replace_secrets(hide_secrets(text), found) for name, text in texts.items()
    }
    return replace(fact, key=slug(clean["statement"]), **clean)


def _replace_secrets(text: str, masks: Iterable[tuple[str, str]]) -> str:
    for secret, mask in sorted(masks, key=lambda pair: -len(pair[0])):
        text = text.replace(secret, mask)
    return text


def _any_text(test: Callable[[str], object]) -> Callable[[ExtractedFact], bool]:
    """Whether a test finds what a model may read of a fact, or around what others said. The owner's own
    sentence is not read with the fact: "I'm vegetarian, so if you suggest any food …"."""

    def is_found(fact: ExtractedFact) -> bool:
        names = _STORED_FIELDS if fact.authority == "user" else _TEXT_FIELDS
        return any(any(map(test, _spellings(getattr(fact, name)))) for name in names)

    return is_found


_TEXT_TESTS: tuple[tuple[Callable[[str], object], str], ...] = (
    (
        lambda text: _OVERRIDE.search(text) or _ADDRESSES_MODEL.search(_ASIDE.sub(" ", text)),
        gettext_noop("It reads like an instruction to a model."),
    ),
    (_TRIGGER.search, gettext_noop("It sets a condition for later behaviour.")),
    (_ENCODED.search, gettext_noop("It contains encoded or hidden markup.")),
    (hidden_characters, gettext_noop("It contains invisible characters.")),
)
_TESTS: tuple[tuple[Callable[[ExtractedFact], bool], str], ...] = (
    *((_any_text(test), reason) for test, reason in _TEXT_TESTS),
    (
        lambda fact: fact.authority != "user" and fact.kind in PROTECTED_KINDS,
        gettext_noop("It is about you, but you did not say it."),
    ),
    (
        lambda fact: fact.authority != "user" and any(map(_SAVE_REQUEST.search, _spellings(fact.quote))),
        gettext_noop("Someone other than you asked Palace to save it."),
    ),
)
