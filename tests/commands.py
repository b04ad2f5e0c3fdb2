"""Run management commands as from a terminal."""

from io import StringIO
from typing import Any

from django.core.management import call_command


class Terminal(StringIO):
    """Input or output that claims to be a terminal."""

    def isatty(self) -> bool:
        return True


def run_command(line: str, *arguments: str, **options: Any) -> str:
    """The output of a command. Pass arguments that contain spaces separately."""
    out = StringIO()
    call_command(*line.split(), *arguments, stdout=out, **options)
    return out.getvalue()
