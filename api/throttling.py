"""Rate limiting: requests per minute and token, across REST, OpenAI and MCP."""

from datetime import datetime

import structlog
from django.conf import settings
from django.core.cache import caches
from redis import RedisError

from accounts.tokens import Bearer
from api.problems import Refused

MINUTE = 60
log = structlog.get_logger(__name__)


class TooOften(Refused):
    """The rate limit is exceeded; the client may try again after `seconds`."""

    def __init__(self, seconds: int) -> None:
        super().__init__(429, f"Too many requests. Try again in {seconds} seconds.", retry_after=seconds)


def count_request(bearer: Bearer, now: datetime) -> None:
    """Count a request. Raises TooOften beyond PALACE_API_RATE in a calendar minute; while the cache is
    unavailable, nothing is limited."""
    minute, second = divmod(int(now.timestamp()), MINUTE)
    key = f"api-rate:{bearer.token_id}:{minute}"
    cache = caches["requests"]
    try:
        cache.add(key, 0, timeout=2 * MINUTE)
        count = cache.incr(key)
    except (RedisError, ValueError):
        log.warning("requests not counted")
        return
    if count > settings.API_RATE:
        raise TooOften(MINUTE - second)
