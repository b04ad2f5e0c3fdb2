"""A database cache shared by all processes: counts of sign-in attempts, codes for apps."""

import json
from datetime import datetime
from typing import Any

from django.core.cache.backends.base import DEFAULT_TIMEOUT, BaseCache
from django.db import connection
from django.utils.crypto import salted_hmac

from accounts.models import CacheEntry
from accounts.tenancy import visitor

SET = """
INSERT INTO accounts_cacheentry AS kept (digest, value, expires_at)
VALUES (%s, %s, coalesce(statement_timestamp() + make_interval(secs => %s), 'infinity'))
ON CONFLICT (digest) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at
"""
ADD = f"{SET} WHERE kept.expires_at <= statement_timestamp() RETURNING true"
GET = "SELECT value FROM accounts_cacheentry WHERE digest = %s AND expires_at > statement_timestamp()"
DELETE = "DELETE FROM accounts_cacheentry WHERE digest = %s RETURNING true"


class SharedCache(BaseCache):
    """Values are JSON, so that nobody who writes to the table runs code; keys are stored as digests."""

    def __init__(self, location: str, params: dict[str, Any]) -> None:
        super().__init__(params)

    def add(
        self, key: Any, value: Any, timeout: float | None = DEFAULT_TIMEOUT, version: int | None = None
    ) -> bool:
        """Store a value unless there is one. Of several processes, one gets True."""
        return _run(ADD, [self._digest(key, version), json.dumps(value), self._seconds(timeout)]) is not None

    def get(self, key: Any, default: Any = None, version: int | None = None) -> Any:
        found = _run(GET, [self._digest(key, version)])
        return default if found is None else json.loads(found)

    def set(
        self, key: Any, value: Any, timeout: float | None = DEFAULT_TIMEOUT, version: int | None = None
    ) -> None:
        _run(f"{SET} RETURNING true", [self._digest(key, version), json.dumps(value), self._seconds(timeout)])

    def delete(self, key: Any, version: int | None = None) -> bool:
        """Delete a value; whether there was one."""
        return _run(DELETE, [self._digest(key, version)]) is not None

    def _digest(self, key: Any, version: int | None) -> str:
        return salted_hmac("accounts.cache", self.make_key(key, version), algorithm="sha256").hexdigest()

    def _seconds(self, timeout: float | None) -> float | None:
        return self.default_timeout if timeout is DEFAULT_TIMEOUT else timeout


def remove_expired_entries(now: datetime) -> None:
    """Delete what has expired."""
    with visitor():
        CacheEntry.objects.filter(expires_at__lte=now).delete()


def _run(statement: str, values: list[Any]) -> Any:
    """The one value that the statement returns, None if it returns none."""
    with visitor(), connection.cursor() as cursor:
        cursor.execute(statement, values)
        row = cursor.fetchone()
    return row and row[0]
