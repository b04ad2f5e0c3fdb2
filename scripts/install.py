"""Installs Palace into its checkout: packages into `.venv`, then the local models.

Runs on the standard library alone: `python scripts/install.py [--for-developers]`. A second run changes
nothing, simultaneous runs wait for each other, and the next run resumes one that was killed.
"""

import argparse
import fcntl
import hashlib
import os
import re
import subprocess
import sys
import venv
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent
ENVIRONMENT = CHECKOUT / ".venv"
PYTHON = str(ENVIRONMENT / "bin" / "python")
STAMP = ENVIRONMENT / "installed"
RUNTIME = CHECKOUT / "requirements.txt"
DEVELOPMENT = CHECKOUT / "requirements-dev.txt"
IS_USABLE = "import sys, pip; sys.exit(sys.version_info < (3, 11))"
PACKAGE = re.compile(r"^[\w.\[\]-]+==[^;\n]+$", re.MULTILINE)  # not those of other systems
SHOWN_LINES = 5
STEPS = 4


def main() -> None:
    """Install everything, or say in one sentence what is missing."""
    parser = argparse.ArgumentParser(description="Install Palace into its checkout.")
    parser.add_argument("--for-developers", action="store_true", help="with what tests and checks need")
    wanted = (DEVELOPMENT,) if parser.parse_args().for_developers else (RUNTIME, DEVELOPMENT)
    try:
        with one_at_a_time():
            if not is_installed(wanted):
                create_environment()
                install_packages(wanted[0])
        fetch_models()
    except KeyboardInterrupt:
        sys.exit(130)
    except OSError as error:
        sys.exit(f"Palace cannot be installed in {CHECKOUT}: {error.strerror or error}.")


@contextmanager
def one_at_a_time() -> Iterator[None]:
    """Wait for another installation into this checkout; the lock ends with the process."""
    folder = os.open(CHECKOUT, os.O_RDONLY)
    try:
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("Waiting for another installation to finish…\n")
            fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def is_installed(wanted: tuple[Path, ...]) -> bool:
    """Whether one of these lists of packages was installed in its present form."""
    try:
        stamp = STAMP.read_text()
    except FileNotFoundError:
        return False
    return stamp in {fingerprint(path) for path in wanted} and environment_works()


def fingerprint(requirements: Path) -> str:
    """What the stamp contains once these packages are installed here."""
    place = f"{CHECKOUT}\0{requirements.name}\0".encode()
    return hashlib.sha256(place + requirements.read_bytes()).hexdigest()


def environment_works() -> bool:
    """Whether the interpreter of the environment runs, is new enough and has pip."""
    try:
        return subprocess.run([PYTHON, "-c", IS_USABLE], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def create_environment() -> None:
    """Create `.venv`, or replace it if it does not work."""
    STAMP.unlink(missing_ok=True)
    if environment_works():
        return
    say("Creating a Python environment in .venv…\n")
    try:
        venv.EnvBuilder(clear=True, with_pip=True, symlinks=True).create(ENVIRONMENT)
    except subprocess.CalledProcessError:
        sys.exit(
            "Python could not create an environment: install its venv module "
            "(on Debian and Ubuntu `apt install python3-venv`), then run make again."
        )


def install_packages(requirements: Path) -> None:
    """Install the locked packages, each checked against its digest; pip's output shows only if it fails."""
    total = len(PACKAGE.findall(requirements.read_text()))
    say(f"Installing {total} packages, which takes a minute or two the first time:")
    command = [PYTHON, "-m", "pip", "install", "--disable-pip-version-check", "--no-input"]
    command += ["--require-hashes", "--only-binary", ":all:", "--retries", "2", "--progress-bar", "off"]
    last: deque[str] = deque(maxlen=SHOWN_LINES)
    with subprocess.Popen(
        [*command, "-r", str(requirements)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as pip:
        assert pip.stdout is not None
        show_progress(pip.stdout, last, total)
    if pip.returncode:
        say(f"\n{''.join(last)}")
        sys.exit(
            "The packages could not be installed; the lines above say why. "
            "Check the network connection, then run make again."
        )
    say(" done.\n")
    STAMP.write_text(fingerprint(requirements))


def show_progress(output: Iterator[str], last: "deque[str]", total: int) -> None:
    """Turn pip's output into steps on one line, and keep its last lines."""
    seen = shown = 0
    for line in output:
        last.append(line)
        seen += line.startswith(("Collecting ", "Requirement already satisfied"))
        step = seen * STEPS // max(total, 1)
        if shown < step < STEPS:
            shown = step
            say(f" {step * 100 // STEPS}%")
        elif line.startswith("Installing collected"):
            say(" unpacking…")


def fetch_models() -> None:
    """Download the local models unless they are there."""
    for module in ("llm.weights", "memory.mining.reader.install"):
        result = subprocess.run([PYTHON, "-m", module], cwd=CHECKOUT, check=False)
        if result.returncode:
            sys.exit(result.returncode)


def say(words: str) -> None:
    """Print progress."""
    sys.stderr.write(words)
    sys.stderr.flush()


if __name__ == "__main__":
    main()
