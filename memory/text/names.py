"""Normalise names of wings, closets and entities for comparison and URLs."""

import hashlib
import re
import unicodedata

from memory.text.sanitizing import normalise

MAX_SLUG_LENGTH = 80
MAX_LENGTH = 1_000
"""How much of a name is read; no stored name is that long."""

_QUOTES = "\"'`´«»‹›“”„‟‘’‚‛「」『』《》〈〉"
_POSSESSIVE = re.compile(r"['’]s$")
_VARIATION = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]")
# C, C++ and C# are three subjects, and so are Disney and Disney+.
_PLUS = re.compile(r"(?<=\w)\++(?=\s|$)")
_SHARP = re.compile(r"(?<=\w)#(?!\w)")
_KEPT = ("L", "N", "Mn", "Mc")


def slugify(name: str) -> str:
    """A stable slug of 1 to 80 characters: lower-case letters and digits of any script, joined by hyphens.
    A name without any becomes its code points (`u-1f600`); a long one ends in a digest."""
    text = _folded(_VARIATION.sub("", name))
    text = _PLUS.sub(lambda found: " plus" * len(found[0]), _SHARP.sub(" sharp", text))
    kept = (char if unicodedata.category(char).startswith(_KEPT) else " " for char in text)
    slug = "-".join("".join(kept).split())
    if not any(char.isalnum() for char in slug):
        slug = "-".join(["u", *(f"{ord(char):x}" for char in text if not char.isspace())])
    return _shortened(slug if slug != "u" else "unnamed")


def normalise_name(name: str) -> str:
    """The name without case, spacing, quotes and a final 's, for comparing entities; may be empty."""
    text = " ".join(_folded(name).split()).strip(_QUOTES + " ")
    return _POSSESSIVE.sub("", text).strip(_QUOTES + " ")


def _folded(text: str) -> str:
    folded = normalise("NFKC", text[:MAX_LENGTH]).casefold()
    return normalise("NFKC", folded)


def _shortened(slug: str) -> str:
    if len(slug) <= MAX_SLUG_LENGTH:
        return slug
    digest = hashlib.sha256(slug.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{slug[: MAX_SLUG_LENGTH - 9].rstrip('-')}-{digest}"
