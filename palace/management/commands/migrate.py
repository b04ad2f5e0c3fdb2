"""`migrate`, run as the owner of the tables."""

from typing import Any

from django.core.management.commands.migrate import Command as DjangoMigrate
from django.db import connections

from palace.postgres.role import create_role, grant_tables


class Command(DjangoMigrate):
    """Updates the tables as their owner and grants the application role their use."""

    def handle(self, *args: Any, **options: Any) -> None:
        """Make the role, migrate, grant."""
        connection = connections[options["database"]]
        connection.as_owner = True
        with connection.owner():
            create_role(connection)
            super().handle(*args, **options)
            grant_tables(connection)
