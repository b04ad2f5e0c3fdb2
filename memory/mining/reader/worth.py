"""How likely a careful reader is to call a fact valid: true as stated, about the user, clear on its own and
worth finding a month later."""

import math

from memory.mining.reader.decoding import logit
from memory.mining.reader.mentions import PRONOUN, Mention
from memory.mining.reader.predicates import PREDICATES
from memory.mining.reader.values import SAID
from memory.mining.types import ExtractedFact
from memory.text.languages import is_english
from memory.text.patterns import compile_pattern, compile_table, table_of

USUAL_LENGTH = 4.3
"""The logarithm of a usual length: stands for that of a quote that the statement does not show."""
_TABLE = table_of(__file__)
_WEIGHTS: dict[str, float] = _TABLE["weights"]
_HAN = compile_pattern(r"\p{Han}")
_FORMS: dict[str, float] = _TABLE["forms"]
_PATTERNS = compile_table(_TABLE["patterns"])


def confidence(fact: ExtractedFact, mention: Mention, agreement: float) -> float:
    """The probability that a fact is valid, given the probability that its finding agrees with the labels."""
    weighed = (_WEIGHTS[name] * value for name, value in features(fact, mention, agreement).items())
    return 1 / (1 + math.exp(-(_WEIGHTS["bias"] + _weight_of(form_of(fact, mention)) + sum(weighed))))


def _weight_of(form: str) -> float:
    """The weight of a form; that of its predicate if it is rare."""
    return _FORMS.get(form, _FORMS.get(predicate_of(form), 0.0))


def predicate_of(form: str) -> str:
    """The predicate of a form."""
    return form if form in PREDICATES else form.rpartition("_")[0]


def form_of(fact: ExtractedFact, mention: Mention) -> str:
    """The predicate of a fact, with a suffix if it has a date, is a lasting instruction, or only quotes the
    user."""
    name = fact.predicate
    is_quote = "“" in fact.statement and not PREDICATES[name].says and is_english(fact.quote)
    if fact.event_time:
        return f"{name}_dated"
    if name == "instructs" and _PATTERNS["lasting"].search(mention.words):
        return f"{name}_lasting"
    return f"{name}_quoted" if is_quote else name


def features(fact: ExtractedFact, mention: Mention, agreement: float) -> dict[str, float]:
    """What the probability depends on besides the form, by name."""
    return {
        "agreement": logit(agreement),
        "english": is_english(mention.words),
        "capital": fact.object[:1].isupper(),
        "value_length": _length(fact.object),
        "quote_length": _quote_length(fact),
        "statement_words": math.log1p(len(fact.statement.split())),
        "pronoun": bool(PRONOUN.search(fact.quote)),
        "definite": bool(_PATTERNS["definite"].search(mention.before)),
        "this": bool(_PATTERNS["this"].search(mention.before)),
        "intention": bool(_PATTERNS["intention"].search(mention.before)),
        "first_person": bool(_PATTERNS["first_person"].search(mention.words)),
        "lasting": bool(_PATTERNS["lasting"].search(mention.words)),
    }


def _quote_length(fact: ExtractedFact) -> float:
    """The length of a quote that the statement shows; a short one counts only if it is a fragment."""
    if not fact.statement.startswith(SAID):
        return USUAL_LENGTH
    is_fragment = is_english(fact.quote) and not _PATTERNS["first_person"].search(fact.quote)
    return _length(fact.quote) if is_fragment else max(_length(fact.quote), USUAL_LENGTH)


def _length(text: str) -> float:
    """The logarithm of the length of a text in characters, of which a Chinese one counts as three."""
    return math.log1p(3 * len(text) if _HAN.search(text) else len(text))
