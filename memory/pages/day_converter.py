"""Days in addresses, as in `/memory/calendar/2026-05-03/`."""

from datetime import date

from memory.pages.activity.days import FIRST_YEAR, LAST_YEAR


class DayConverter:
    """A day of the calendar; what is no day is no address."""

    regex = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"

    def to_python(self, value: str) -> date:
        """The day. Raises ValueError, which Django turns into a 404."""
        day = date.fromisoformat(value)
        if not FIRST_YEAR <= day.year <= LAST_YEAR:
            raise ValueError(value)
        return day

    def to_url(self, value: date) -> str:
        """The day as it stands in an address."""
        return value.isoformat()
