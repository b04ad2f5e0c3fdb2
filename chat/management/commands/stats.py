"""`stats`: how much is in somebody's palace."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from accounts.tenancy import tenant
from chat.statistics import statistics
from memory.management.arguments import add_user, person


class Command(BaseCommand):
    """Prints counts, one a line or as one flat JSON object."""

    help = "Count what is in a person's palace and ledger."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Whose palace."""
        add_user(parser)
        parser.add_argument("--json", action="store_true", help="print JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        """Count and print."""
        user = person(options["user"])
        with tenant(user.id):
            counts = statistics(user.id)
        if options["json"]:
            self.stdout.write(json.dumps(counts))
            return
        for name, count in counts.items():
            self.stdout.write(f"{name.replace('_', ' ')}: {count:,}")
