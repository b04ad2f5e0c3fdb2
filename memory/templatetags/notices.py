"""Translates notices that are stored in English."""

import re

from django import template
from django.utils.translation import gettext

register = template.Library()

_BETWEEN = re.compile(r"(?<=\.) ")


@register.filter
def translated(notice: str) -> str:
    """Translate a notice sentence by sentence; unknown sentences stay as they are."""
    whole = gettext(notice) if notice else ""
    if whole != notice:
        return whole
    return " ".join(gettext(sentence) for sentence in _BETWEEN.split(notice) if sentence)
