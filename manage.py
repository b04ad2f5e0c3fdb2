#!/usr/bin/env python
"""Palace's command line."""

import os
import sys


def main() -> None:
    """Run a command; exits with one sentence if that is impossible."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "palace.settings")
    try:
        from palace.command_line import run
    except ModuleNotFoundError as missing:
        sys.exit(f"The package {missing.name} is missing: run `make install`, then use .venv/bin/python.")
    run(sys.argv)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
