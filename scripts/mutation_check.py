"""Breaks one behaviour after another on purpose, and reports which test notices.

Run it in a clean checkout, `.venv/bin/python scripts/mutation_check.py [part of a name]`. It edits files in
place and restores each before the next. The exit status is 1 if a mutation survived.
"""

import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LISTED = Path(__file__).with_name("mutations.toml")
PASSED, FAILED = 0, 1


@dataclass(frozen=True, slots=True)
class Mutation:
    """A change that breaks one behaviour, and the tests that must fail with it."""

    name: str
    file: str
    old: str
    new: str
    tests: list[str]

    def noticed_by(self) -> str:
        """The test that fails while the behaviour is broken, or an empty string. Raises SystemExit if the
        change does not apply or the tests cannot run."""
        path = ROOT / self.file
        before = path.read_text(encoding="utf-8")
        if before.count(self.old) != 1:
            sys.exit(f"{self.name}: {self.file} has the text to replace {before.count(self.old)} times.")
        try:
            path.write_text(before.replace(self.old, self.new), encoding="utf-8")
            options = ("-q", "-x", "-rfE", "--tb=no", "--no-header", "-p", "no:cacheprovider")
            command = (sys.executable, "-m", "pytest", *options, *self.tests)
            done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
        finally:
            path.write_text(before, encoding="utf-8")
        if done.returncode not in (PASSED, FAILED):
            sys.exit(f"{self.name}: pytest ended with {done.returncode}.\n{done.stdout}")
        ends = ("FAILED ", "ERROR ")
        return next((line.split()[1] for line in done.stdout.splitlines() if line.startswith(ends)), "")


def main(chosen: str) -> int:
    """Try all mutations whose name contains `chosen`; the exit status is 1 if any survived."""
    listed = [Mutation(**each) for each in tomllib.loads(LISTED.read_text(encoding="utf-8"))["mutation"]]
    survivors = []
    for mutation in (each for each in listed if chosen in each.name):
        test = mutation.noticed_by()
        _say(f"{mutation.name}: {f'noticed by {test}' if test else 'SURVIVED'}")
        survivors += [] if test else [mutation.name]
    _say(f"{len(survivors)} survived")
    return bool(survivors)


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(" ".join(sys.argv[1:])))
