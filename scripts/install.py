"""Installs what Palace needs into `.venv` and the models folder. Needs the standard library only.

`python scripts/install.py [--for-developers]`. A second run finds everything there; several runs
at once wait for one another; one that was killed is taken up again by the next.
"""

import argparse
import fcntl
import hashlib
import os
import subprocess
import sys
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent
ENVIRONMENT = CHECKOUT / ".venv"
PYTHON = str(ENVIRONMENT / "bin" / "python")
STAMP = ENVIRONMENT / "installed"
RUNTIME = CHECKOUT / "requirements.txt"
DEVELOPMENT = CHECKOUT / "requirements-dev.txt"
OLDEST = "import sys, pip; sys.exit(sys.version_info < (3, 11))"


def main() -> None:
    """Install, or say in one sentence what is missing."""
    parser = argparse.ArgumentParser(description="Install Palace into its checkout.")
    parser.add_argument("--for-developers", action="store_true", help="with what tests need")
    wanted = (DEVELOPMENT,) if parser.parse_args().for_developers else (RUNTIME, DEVELOPMENT)
    try:
        with one_at_a_time():
            if not is_installed(wanted):
                make_environment()
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
            say("Waiting for another installation to finish…")
            fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def is_installed(wanted: tuple[Path, ...]) -> bool:
    """Whether one of the lists of packages was installed as it is now."""
    try:
        stamp = STAMP.read_text()
    except FileNotFoundError:
        return False
    return stamp in {fingerprint(path) for path in wanted} and environment_works()


def fingerprint(requirements: Path) -> str:
    """What the stamp says once these packages are installed here."""
    place = f"{CHECKOUT}\0{requirements.name}\0".encode()
    return hashlib.sha256(place + requirements.read_bytes()).hexdigest()


def environment_works() -> bool:
    """Whether the environment's interpreter is there and new enough."""
    try:
        found = subprocess.run([PYTHON, "-c", OLDEST], capture_output=True, check=False)
    except OSError:
        return False
    return found.returncode == 0


def make_environment() -> None:
    """Make `.venv`, anew when it does not work."""
    STAMP.unlink(missing_ok=True)
    if environment_works():
        return
    say("Making a Python environment in .venv…")
    try:
        venv.EnvBuilder(clear=True, with_pip=True, symlinks=True).create(ENVIRONMENT)
    except subprocess.CalledProcessError:
        sys.exit(
            "Python could not make an environment: install its venv module "
            "(on Debian and Ubuntu `apt install python3-venv`), then run make again."
        )


def install_packages(requirements: Path) -> None:
    """Install the locked packages, each checked against its digest."""
    say(f"Installing packages ({requirements.name}); the first time this takes a minute or two…")
    quiet = [] if sys.stderr.isatty() else ["--progress-bar", "off"]
    pip = [PYTHON, "-m", "pip", "install", "--disable-pip-version-check", "--no-input"]
    options = ["--require-hashes", "--only-binary", ":all:", "--retries", "2", *quiet]
    command = [*pip, *options, "-r", str(requirements)]
    result = subprocess.run(command, check=False)
    if result.returncode:
        sys.exit(
            "The packages could not be installed: the lines above say why; "
            "most often the network is missing. Run make again when it is there."
        )
    STAMP.write_text(fingerprint(requirements))


def fetch_models() -> None:
    """Fetch the local embedding model, unless it is there."""
    result = subprocess.run([PYTHON, "-m", "llm.weights"], cwd=CHECKOUT, check=False)
    if result.returncode:
        sys.exit(result.returncode)


def say(sentence: str) -> None:
    """Tell the person what goes on."""
    sys.stderr.write(f"{sentence}\n")
    sys.stderr.flush()


if __name__ == "__main__":
    main()
