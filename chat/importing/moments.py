"""Turns the many ways an export writes a time into one."""

import math
import re
from datetime import UTC, datetime

_NUMBER = re.compile(r"\s*\d{1,16}(\.\d*)?\s*")
_FIRST_MILLISECONDS = 100_000_000_000
_END = datetime(2200, 1, 1, tzinfo=UTC).timestamp()


def moment(value: object) -> datetime | None:
    """Return an aware UTC time for Unix seconds, milliseconds or ISO text, else None."""
    if isinstance(value, str):
        return _from_number(float(value)) if _NUMBER.fullmatch(value) else _from_text(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _from_number(value)
    return None


def _from_number(seconds: float) -> datetime | None:
    if not math.isfinite(seconds):
        return None
    if seconds >= _FIRST_MILLISECONDS:
        seconds /= 1000
    return datetime.fromtimestamp(seconds, tz=UTC) if 0 < seconds < _END else None


def _from_text(value: str) -> datetime | None:
    try:
        parsed = datetime.fromisoformat(value.strip())
        aware = parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)
        return aware.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
