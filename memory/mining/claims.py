"""Checks of single values in a model's answer; each gives the clean value or refuses the item."""

import re
from collections.abc import Iterable
from datetime import datetime

from django.utils.translation import gettext_noop as _

from memory.kinds import kind_of
from memory.mining.grounding import locate
from memory.mining.rules.vocabulary import slug

STATEMENT_LENGTH = 1_000
STATEMENT_LEAST = 5
TAGS_A_LINE = 20
TAG_LENGTH = 80
YEARS = range(1900, 2201)

_ENTITY_TYPES = {
    "organization": "organisation",
    "company": "organisation",
    "location": "place",
    "city": "place",
    "country": "place",
    "pet": "animal",
    "product": "thing",
    "object": "thing",
    "concept": "topic",
}
_KNOWN_ENTITY_TYPES = {"person", "place", "organisation", "project", "animal", "thing", "topic"}

_UNSTORABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
_DATE = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?")


class ItemRefused(ValueError):
    """One item of an answer is not accepted; the message is a sentence for the owner."""


def refuse_unless(holds: bool, reason: str) -> None:
    """Raises `ItemRefused` with `reason` unless the condition holds."""
    if not holds:
        raise ItemRefused(reason)


def within_bounds(confidence: float) -> float:
    """A confidence from 0 to 1."""
    refuse_unless(0.0 <= confidence <= 1.0, _("The confidence is not between 0 and 1."))
    return confidence


def phrase(text: str, name: str, longest: int) -> str:
    """`text` on one line; refused when it is empty, too long or cannot be stored."""
    what = {"what": name}
    unstorable = _("The %(what)s has characters that cannot be stored.") % what
    refuse_unless(not _UNSTORABLE.search(text), unstorable)
    clean = " ".join(text.split())
    refuse_unless(bool(clean), _("The %(what)s is empty.") % what)
    refuse_unless(len(clean) <= longest, _("The %(what)s is too long.") % what)
    return clean


def phrases(values: Iterable[str]) -> tuple[str, ...]:
    """The usable ones of many short phrases, each once; the others are dropped."""
    clean = (" ".join(value.split()) for value in values)
    kept = [v for v in clean if v and len(v) <= TAG_LENGTH and not _UNSTORABLE.search(v)]
    return tuple(dict.fromkeys(kept))[:TAGS_A_LINE]


def sentence(text: str) -> str:
    """A statement of 5 to 1,000 characters."""
    clean = phrase(text, "statement", STATEMENT_LENGTH)
    refuse_unless(len(clean) >= STATEMENT_LEAST, _("The statement is too short."))
    return clean


def fact_kind(name: str) -> str:
    """One of the fact kinds, also from the older vocabularies."""
    found = kind_of(slug(name))
    if found is None:
        raise ItemRefused(_("The kind of the fact is unknown."))
    return found


def entity_type(name: str) -> str:
    """One of the entity types, also from common synonyms."""
    wanted = slug(name)
    found = _ENTITY_TYPES.get(wanted, wanted)
    refuse_unless(found in _KNOWN_ENTITY_TYPES, _("The type of the entity is unknown."))
    return found


def quoted(quote: str, content: str, original: str) -> tuple[str, tuple[int, int]]:
    """The exact words of `original` that `quote` stands for and their half-open range.

    `content` is `original` with the memory blocks blanked; what reaches into one was not said.
    """
    span = locate(quote, content)
    if span is None or original[slice(*span)] != content[slice(*span)]:
        raise ItemRefused(_("The quote is not in the turn it names."))
    return original[slice(*span)], span


def moment(text: str | None, said_at: datetime, *, through: bool = False) -> datetime | None:
    """An ISO 8601 date of any precision, in the time zone of `said_at`; None when unreadable.

    A month or a year alone is its beginning, or with `through` its end.
    """
    wanted = (text or "").strip()
    partial = _DATE.fullmatch(wanted)
    if partial and through:
        partial = _DATE.fullmatch(_following(partial))
    try:
        if partial:
            found = datetime(
                int(partial[1]),
                int(partial[2] or 1),
                int(partial[3] or 1),
                tzinfo=said_at.tzinfo,
            )
        else:
            found = datetime.fromisoformat(wanted)
    except ValueError:
        return None
    aware = found if found.tzinfo else found.replace(tzinfo=said_at.tzinfo)
    return aware if aware.year in YEARS else None


def _following(partial: re.Match[str]) -> str:
    """The month after a month, the year after a year; a day stays what it is."""
    year, month, day = partial.groups()
    if day:
        return partial[0]
    if not month:
        return f"{int(year) + 1:04}"
    return f"{int(year) + int(month) // 12:04}-{int(month) % 12 + 1:02}"
