"""What stands around every page of somebody who is signed in."""

from functools import partial

from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from palace.keys import key_groups
from palace.navigation import links

KEYS_COOKIE = "keys"
OFF = "off"


def frame(request: HttpRequest) -> dict[str, object]:
    """Navigation and keys, made only by pages that show them."""
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return {}
    view = request.resolver_match.view_name if request.resolver_match else ""
    return {
        "navigation": SimpleLazyObject(partial(tuple, links(view))),
        "key_groups": SimpleLazyObject(partial(tuple, key_groups())),
        "keys_are_off": request.COOKIES.get(KEYS_COOKIE) == OFF,
    }
