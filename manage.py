#!/usr/bin/env python
"""Palace's command line."""

import os
import sys

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line


def main() -> None:
    """Run a command; a wrong setting ends it with one sentence."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "palace.settings")
    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        sys.exit(f"Palace cannot start: {error}")


if __name__ == "__main__":
    main()
