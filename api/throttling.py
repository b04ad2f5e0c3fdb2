"""How often a token may ask: so many requests a minute, whichever way it comes in."""

from datetime import datetime

import structlog
from django.conf import settings
from django.core.cache import cache
from redis import RedisError

from accounts.tokens import Bearer

MINUTE = 60
log = structlog.get_logger(__name__)


class TooOften(Exception):
    """The token has asked too often; after `seconds` it may ask again."""

    def __init__(self, seconds: int) -> None:
        super().__init__(f"Too many requests. Try again in {seconds} seconds.")
        self.seconds = seconds


def count_request(bearer: Bearer, now: datetime) -> None:
    """Count one request of a token. Raises TooOften beyond PALACE_API_RATE in a minute of the
    clock; while the counter is away nobody is refused."""
    minute, second = divmod(int(now.timestamp()), MINUTE)
    key = f"api-rate:{bearer.token_id}:{minute}"
    try:
        cache.add(key, 0, timeout=2 * MINUTE)
        asked = cache.incr(key)
    except (RedisError, ValueError):
        log.warning("requests not counted")
        return
    if asked > settings.API_RATE:
        raise TooOften(MINUTE - second)
