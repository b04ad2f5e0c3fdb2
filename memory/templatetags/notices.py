"""Shows sentences that are kept with what they are about: in English there, to their reader in
their language."""

import re

from django import template
from django.utils.translation import gettext

register = template.Library()

_BETWEEN = re.compile(r"(?<=\.) ")


@register.filter
def translated(notice: str) -> str:
    """The sentences of a notice, each in the language of the page; unknown ones as they are."""
    whole = gettext(notice) if notice else ""
    if whole != notice:
        return whole
    return " ".join(gettext(sentence) for sentence in _BETWEEN.split(notice) if sentence)
