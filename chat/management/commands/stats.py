"""`stats`: counts what is in a palace."""

import json
from argparse import ArgumentParser
from typing import Any

from accounts.tenancy import tenant
from chat.statistics import statistics
from memory.management.arguments import UserCommand, get_user

WORDS = {"dead_jobs": "chats that could not be mined"}


class Command(UserCommand):
    """Prints counts, one per line or as a flat JSON object."""

    help = (
        "Count what is in a user's palace and chats. `dead_jobs` in the JSON are chats that could not be "
        "mined; Site health in the admin lists failed background jobs of every kind."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--json", action="store_true", help="print JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        user = get_user(options["user"])
        with tenant(user.id):
            counts = statistics(user.id)
        if options["json"]:
            self.stdout.write(json.dumps(counts))
            return
        for name, count in counts.items():
            self.stdout.write(f"{WORDS.get(name, name.replace('_', ' '))}: {count:,}")
