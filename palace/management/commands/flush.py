"""`flush`, run as the owner of the tables: the application role may not truncate."""

from typing import Any

from django.core.management.commands.flush import Command as DjangoFlush
from django.db import connections


class Command(DjangoFlush):
    """Empties every table; the tests use it between transactional cases."""

    def handle(self, **options: Any) -> None:
        """Truncate as the owner."""
        with connections[options["database"]].owner():
            super().handle(**options)
