"""Names the wings that recalled drawers come from."""

from collections.abc import Sequence

from django import template
from django.utils.text import get_text_list
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from chat.replies.sources import Source

MAX_NAMED = 2

register = template.Library()


@register.filter
def wing_names(sources: Sequence[Source]) -> str:
    """The wings of the drawers, the first two by name; empty while a drawer is not filed yet."""
    names = list(dict.fromkeys(source.wing for source in sources))
    if not all(names):
        return ""
    more = len(names) - MAX_NAMED
    if more > 0:
        names[MAX_NAMED:] = [ngettext("%(count)d more", "%(count)d more", more) % {"count": more}]
    return get_text_list(names, _("and"))
