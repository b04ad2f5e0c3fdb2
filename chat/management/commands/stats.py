"""`stats`: counts what is in a palace."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from accounts.tenancy import tenant
from chat.statistics import statistics
from memory.management.arguments import add_user, get_user


class Command(BaseCommand):
    """Prints counts, one per line or as a flat JSON object."""

    help = "Count what is in a user's palace and chats."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_user(parser)
        parser.add_argument("--json", action="store_true", help="print JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        user = get_user(options["user"])
        with tenant(user.id):
            counts = statistics(user.id)
        if options["json"]:
            self.stdout.write(json.dumps(counts))
            return
        for name, count in counts.items():
            self.stdout.write(f"{name.replace('_', ' ')}: {count:,}")
