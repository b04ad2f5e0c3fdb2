"""Shows what is kept with a message about it: in English there, to its reader in their language."""

import re

from django import template
from django.utils.translation import gettext

register = template.Library()

_BETWEEN = re.compile(r"(?<=\.) ")


@register.filter
def translated(notice: str) -> str:
    """The sentences of a notice, each in the language of the page; unknown ones as they are."""
    return " ".join(gettext(sentence) for sentence in _BETWEEN.split(notice) if sentence)
