"""The base of commands about a user, and the arguments they share: --user and --at."""

from argparse import ArgumentParser
from datetime import datetime
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from accounts.models import User
from memory.preferences import preferences_of, zone_of


class UserCommand(BaseCommand):
    """A command about a user. `run` and `migrate` check the system, which takes seconds."""

    requires_system_checks = ()
    user_required = True

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add `--user EMAIL`."""
        required = self.user_required
        parser.add_argument("--user", metavar="EMAIL", required=required, help="the user's email address")


def add_moment(parser: ArgumentParser, meaning: str) -> None:
    """Add `--at ISO`."""
    parser.add_argument(
        "--at",
        metavar="ISO",
        help=f"{meaning}: a date or date-time, in the user's time zone unless it names one",
    )


def get_user(email: str) -> User:
    """The user with this address, ignoring case. Raises CommandError if there is none."""
    found = User.objects.filter(email__iexact=email.strip()).first()
    if found is None:
        raise CommandError(f"There is no account with the address {email}.")
    return found


def parse_moment(text: str | None, user_id: UUID) -> datetime | None:
    """Parse `--at`; None without it.

    A date alone means the end of that day. Raises CommandError.
    """
    if text is None:
        return None
    try:
        parsed = datetime.fromisoformat(text.strip())
    except ValueError as error:
        raise CommandError(f"{text} is no date; write it as 2026-03-31 or 2026-03-31T18:30.") from error
    check_year(parsed)
    if "T" not in text.upper() and " " not in text.strip():
        parsed = parsed.replace(hour=23, minute=59, second=59, microsecond=999_999)
    if parsed.tzinfo is None:
        parsed = timezone.make_aware(parsed, zone_of(preferences_of(user_id)))
    return parsed


def check_year(moment: datetime) -> None:
    """Raise CommandError for years with which dates cannot be calculated."""
    if not 1900 <= moment.year < 2200:
        raise CommandError("Dates must be between the years 1900 and 2199.")
