"""`flush`, run as the owner of the tables: the application role may not truncate."""

from typing import Any

from django.core.management.commands.flush import Command as DjangoFlush

from palace.postgres.base import as_owner


class Command(DjangoFlush):
    """Empties every table; the tests use it between transactional cases."""

    def handle(self, **options: Any) -> None:
        """Truncate as the owner."""
        with as_owner(options["database"]):
            super().handle(**options)
